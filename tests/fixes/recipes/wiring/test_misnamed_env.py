"""A variable that the step gives under a name that nothing reads."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyEnv

CI = ".github/workflows/report.yml"
RECIPE = CopyEnv(("{name}",), token=True)
READS = "import os\nAPP_SECRET = os.environ['CHAT_APP_SECRET']\nurl = os.environ['CHAT_URL']\n"


def workflow(entry: str, run: str = "python report.py") -> str:
    step = f"      - name: Send\n        run: {run}\n        env:\n          {entry}\n          CHAT_URL: x\n"
    return f"on: [push]\njobs:\n  report:\n    runs-on: ubuntu-latest\n    steps:\n{step}"


@pytest.mark.parametrize(
    ("wanted", "entry", "new"),
    [
        ("CHAT_APP_SECRET", "APP_SECRET: ${{ secrets.S }}", "+CHAT_APP_SECRET: ${{ secrets.S }}"),
        ("CHAT_APP_SECRET", "CHAT_APP_SECERT: ${{ secrets.S }}", "+CHAT_APP_SECRET: ${{ secrets.S }}"),
        ("DATA_ROOT", "DATA_ROOT_DIR: /data", "+DATA_ROOT: /data"),
    ],
)
def test_the_entry_takes_the_name_that_the_program_reads(wanted: str, entry: str, new: str) -> None:
    program = READS + f"root = os.environ['{wanted}']\n"
    whole = tree({CI: workflow(entry), "report.py": program})
    made = patch(RECIPE, "report", CI, step="Send", captures={"name": wanted}, repository=whole)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{entry}", new]


@pytest.mark.parametrize(
    ("entry", "run", "more"),
    [
        ("APP_SECRET: x", "python report.py", "other = os.environ['APP_SECRET']\n"),
        ("APP_SECRET: x", 'python report.py "$APP_SECRET"', ""),
        ("GITHUB_APP_SECRET: x", "python report.py", ""),
        ("SECRET: x", "python report.py", ""),
        ("CHAT_CHANNEL: x", "python report.py", ""),
    ],
)
def test_an_entry_that_something_reads_or_that_only_shares_a_word_stays(entry: str, run: str, more: str) -> None:
    whole = tree({CI: workflow(entry, run), "report.py": READS + more})
    made = draft(RECIPE, "report", CI, step="Send", captures={"name": "CHAT_APP_SECRET"}, repository=whole)
    assert made.state is not PatchState.PATCH
