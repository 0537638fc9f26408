"""Does what a fix set still reach the program, on the branch as it is now and in the newest log?"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.histories import MONDAY, REPO, opened, outcome
from tests.pipeline.made_up_github import TextLog
from triage.interfaces import LogSource
from triage.model.configuration import Configuration
from triage.model.fix import Presence
from triage.model.outcome import FixRecord, FixState, Outcome
from triage.model.run import Unavailable, UnavailableReason
from triage.model.signature import Catalogue
from triage.pipeline.inspection import LogAndTree
from triage.pipeline.triage import Knowledge
from triage.storage.database import History
from triage.storage.outcomes import put

PATH = ".github/workflows/e2e.yml"
WORKFLOW = """\
name: e2e
on: push
jobs:
  ppo:
    runs-on: L20x8
    env:
      TP: "2"
    steps:
      - uses: actions/checkout@v4
      - name: Train
        run: bash tests/ppo.sh
"""
SCRIPT = "set -x\npython3 -m train.main rollout.tensor_parallel=${TP:-1} trainer.steps=2\n"
FIX = FixRecord(
    REPO, "f1", "gpu-oom", "Raise it", PATH, "ppo", FixState.MERGED, MONDAY, merged_at=MONDAY,
    expectation_kind="argument", expectation_text="rollout.tensor_parallel=2", expectation_program="train.main",
)  # fmt: skip


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with opened(str(tmp_path / "history.db")) as empty:
        put(empty, [outcome(1)])
        yield empty


def look(history: History, tree: MemoryTree | None = None, log: str = "") -> LogAndTree:
    def find(row: Outcome) -> LogSource | Unavailable:
        return TextLog("1.log", log) if log else Unavailable(UnavailableReason.EXPIRED, "gone")

    return LogAndTree(history, find, Knowledge.of(Catalogue({}), Configuration()), tree)


def tree(workflow: str = WORKFLOW, script: str = SCRIPT) -> MemoryTree:
    return MemoryTree({PATH: workflow.encode(), "tests/ppo.sh": script.encode()})


@pytest.mark.parametrize(
    ("now", "seen"),
    [
        (tree(), Presence.SHOWN),
        (tree(script=SCRIPT.replace("${TP:-1}", "1")), Presence.ABSENT),
        (tree(script=SCRIPT.replace("TP:", "TENSOR_PARALLEL:")), Presence.ABSENT),
        (tree(workflow=WORKFLOW.replace('TP: "2"', 'TP: "4"')), Presence.ABSENT),
        (None, Presence.UNKNOWN),
    ],
    ids=["as merged", "hard-coded", "renamed in a refactoring", "changed", "no tree"],
)
def test_an_override_that_died_in_a_refactoring_is_found(
    history: History, now: MemoryTree | None, seen: Presence
) -> None:
    assert look(history, now).in_tree(FIX) is seen


def test_a_fix_without_a_promise_cannot_be_looked_for(history: History) -> None:
    plain = replace(FIX, expectation_kind="", expectation_text="")
    assert look(history, tree(), "x").in_tree(plain) is look(history, tree(), "x").in_log(plain, 1) is Presence.UNKNOWN


@pytest.mark.parametrize(("value", "seen"), [("2", Presence.SHOWN), ("1", Presence.ABSENT), ("", Presence.UNKNOWN)])
def test_the_newest_log_shows_what_really_ran(history: History, value: str, seen: Presence) -> None:
    said = f" rollout.tensor_parallel={value}" if value else ""
    text = "".join(
        f"2026-11-23T00:10:00.{number:07d}Z {line}\n"
        for number, line in enumerate(
            ["##[group]Run bash tests/ppo.sh", "##[endgroup]", f"+ python3 -m train.main{said} trainer.steps=2", "done"]
        )
    )
    assert look(history, log=text).in_log(FIX, 1) is seen


def test_a_log_that_is_gone_shows_nothing(history: History) -> None:
    assert look(history).in_log(FIX, 1) is Presence.UNKNOWN
