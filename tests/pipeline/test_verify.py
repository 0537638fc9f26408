from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.histories import MONDAY, OOM, REPO, opened, outcome
from triage.model.diagnosis import Facts
from triage.model.fix import FixRow, Held, Presence
from triage.model.outcome import FixRecord, FixState
from triage.model.run import Commit, PullRequest
from triage.pipeline.inspection import shown
from triage.pipeline.ledger import follow_up
from triage.pipeline.verify import verify
from triage.storage.database import History
from triage.storage.ledger import all_fixes, put_fixes
from triage.storage.outcomes import put

MERGED = MONDAY + timedelta(days=10)
NOW = MONDAY + timedelta(days=30)
FIX = FixRecord(
    REPO, "f1", "gpu-oom", "Offload the optimizer", ".github/workflows/e2e.yml", "ppo", FixState.MERGED, MONDAY,
    expectation_kind="environment", expectation_text="OFFLOAD=1", merged_at=MERGED,
)  # fmt: skip


class Seen:
    """An inspection that always answers the same, and remembers which job's log was looked at."""

    def __init__(self, in_log: Presence, in_tree: Presence) -> None:
        self._answers = (in_log, in_tree)
        self.jobs: list[int] = []

    def in_log(self, fix: FixRecord, job_id: int) -> Presence:
        self.jobs.append(job_id)
        return self._answers[0]

    def in_tree(self, fix: FixRecord) -> Presence:
        return self._answers[1]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with opened(str(tmp_path / "history.db")) as empty:
        yield empty


def runs(history: History, before: str, after: str) -> None:
    """A letter a run, one an hour: "x" failed with the fixed cause, "y" with another, "." passed."""
    rows = []
    for place, (letter, start) in enumerate(
        [(c, MONDAY) for c in before] + [(c, MERGED + timedelta(hours=1)) for c in after]
    ):
        conclusion = "success" if letter == "." else "failure"
        causes = (OOM,) if letter == "x" else ()
        rows.append(outcome(place + 1, conclusion, run=place + 1, at=start + timedelta(hours=place), causes=causes))
    put(history, rows)


def judged(history: History, fix: FixRecord = FIX, seen: Seen | None = None) -> FixRow:
    put_fixes(history, [fix])
    (row,) = verify(history, NOW, seen)
    return row


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ("xx.." * 8, "." * 30, Held.HELD),
        ("xx.." * 8, "y." * 15, Held.HELD),
        ("x" + "." * 30, "." * 10, Held.TOO_EARLY),
        ("xx.." * 8, "x" + "." * 29, Held.REDUCED),
        ("xx.." * 8, "xx.." * 8, Held.FAILED),
        ("xx.." * 8, "", Held.NOT_RUN),
    ],
)
def test_what_ran_since_decides(history: History, before: str, after: str, held: Held) -> None:
    runs(history, before, after)
    row = judged(history)
    assert row.held is held
    assert (row.before.k, row.before.n) == (before.count("x"), len(before))
    assert (row.after.k, row.after.n) == (after.count("x"), len(after))


def test_hours_saved_are_the_old_loss_less_the_new_one(history: History) -> None:
    runs(history, "x." * 20, "." * 20)
    # Half of the runs lost an hour on 8 GPUs before.
    assert judged(history).saved_hours == pytest.approx(0.5 * 8 * 20)


@pytest.mark.parametrize("seen", [Seen(Presence.ABSENT, Presence.SHOWN), Seen(Presence.SHOWN, Presence.ABSENT)])
def test_a_setting_that_is_not_there_outranks_good_luck(history: History, seen: Seen) -> None:
    runs(history, "xx.." * 8, "." * 30)
    row = judged(history, seen=seen)
    assert row.held is Held.DEAD
    assert row.saved_hours is None
    assert seen.jobs == [62], "the newest run's log is looked at"


def test_runs_from_before_the_merge_do_not_count_even_when_they_end_later(history: History) -> None:
    runs(history, "xx.." * 8, "." * 30)
    old_base = outcome(
        900, "failure", run=900, at=MERGED - timedelta(minutes=5), causes=(OOM,), on_base=False, event="pull_request"
    )
    rerun = outcome(
        901, "failure", run=900, attempt=2, at=MERGED + timedelta(days=1), causes=(OOM,), event="pull_request"
    )
    put(history, [old_base, rerun])
    assert judged(history).after.k == 0


def test_another_job_does_not_speak_for_this_one(history: History) -> None:
    runs(history, "xx.." * 8, "")
    put(history, [outcome(500 + n, run=500 + n, at=MERGED + timedelta(hours=n + 1), job="other") for n in range(30)])
    assert judged(history).held is Held.NOT_RUN


@pytest.mark.parametrize(("state", "held"), [(FixState.PROPOSED, Held.NOT_MERGED), (FixState.REVERTED, Held.REVERTED)])
def test_what_is_not_on_the_branch_is_not_judged(history: History, state: FixState, held: Held) -> None:
    runs(history, "xx.." * 8, "." * 30)
    assert judged(history, replace(FIX, state=state)).held is held


@pytest.mark.parametrize(
    ("kind", "text", "facts", "expected"),
    [
        ("environment", "OFFLOAD=1", Facts(commands=("export OFFLOAD=1",)), Presence.SHOWN),
        ("environment", "OFFLOAD=1", Facts(commands=("export OFFLOAD=0",)), Presence.ABSENT),
        ("environment", "OFFLOAD=1", Facts(commands=("python train.py",)), Presence.UNKNOWN),
        ("argument", "a.b=2", Facts(commands=("python train.py 'a.b=2' c=3",)), Presence.SHOWN),
        ("setting", "a.b=2", Facts(settings={"a.b": "2"}), Presence.SHOWN),
        ("setting", "a.b=2", Facts(settings={"a.b": "1"}), Presence.ABSENT),
        ("command", "pip install x", Facts(commands=("pip install x==1",)), Presence.SHOWN),
        ("command", "pip install x", Facts(commands=("make",)), Presence.ABSENT),
        ("command", "pip install x", Facts(), Presence.UNKNOWN),
        ("line", "x==1", Facts(commands=("make",)), Presence.UNKNOWN),
    ],
)
def test_what_a_log_shows_of_a_setting(kind: str, text: str, facts: Facts, expected: Presence) -> None:
    assert shown(replace(FIX, expectation_kind=kind, expectation_text=text), facts) is expected


def test_a_proposed_fix_whose_pull_request_was_merged_becomes_a_merged_one(history: History) -> None:
    put_fixes(history, [replace(FIX, state=FixState.PROPOSED, merged_at=None, pull_request=7)])

    def pull(number: int) -> PullRequest:
        return PullRequest(
            number, REPO, "t", "ada", "closed", "main", "b", "topic", "h", merge_sha="c0ffee", merged=True
        )

    def commit(sha: str) -> Commit:
        return Commit(sha, "Merge", date=MERGED)

    (merged,) = follow_up(history, pull, commit)
    assert (merged.state, merged.merged_at, merged.merge_sha) == (FixState.MERGED, MERGED, "c0ffee")
    assert all_fixes(history) == (merged,)
    assert follow_up(history, pull, commit) == ()
