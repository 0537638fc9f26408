from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.histories import DATABASES, empty_history
from triage.storage.database import History


@pytest.fixture(params=DATABASES)
def history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[History]:
    with empty_history(request.param, tmp_path) as opened:
        yield opened
