"""The history that helps to judge, when one is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.storage.past import Past


@contextmanager
def past_in(db: str, repo: str) -> Iterator[Past | None]:
    """None without `--db`. UsageError when the file is not there: a history that nobody synced says nothing."""
    if not db:
        yield None
        return
    from triage.storage.database import History
    from triage.storage.past import Past

    with History.existing(db, repo) as history:
        yield Past(history, datetime.now(UTC))
