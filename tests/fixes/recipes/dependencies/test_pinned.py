"""A release that other jobs hold is copied, unless it is there to be tested as the oldest one."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
TEXT = """
    on: push
    jobs:
      test:
        runs-on: [gpu-8]
        steps:
          - run: pip install -e .
          - run: pytest
      other:
        runs-on: [gpu-8]
        steps:
          - run: pip install -e .
          - run: pip install ray==2.9.0
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("ray>=2.9.0", "dependencies = ['ray>=2.9.0,<3.0.1']"),
        ("ray>=2.8.0", "pip install ray==2.9.0"),
    ],
)
def test_the_least_release_that_the_project_asks_for_is_no_model(asked: str, expected: str) -> None:
    files = tree({CI: TEXT, "pyproject.toml": f"[project]\nname = 'train'\ndependencies = ['{asked}']\n"})
    made = patch(PipPin("ray", "<{installed}"), "test", CI, facts=Facts(installed={"ray": "3.0.1"}), repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if "ray" in line and line[0] == "+"] == [f"+{expected}"]
