from datetime import timedelta

from tests.histories import MONDAY, OOM, outcome
from triage.model.evidence import Sight
from triage.storage.database import History
from triage.storage.outcomes import put
from triage.storage.past import Past

NOW = MONDAY + timedelta(days=3)


def filled(history: History) -> Past:
    put(history, [
        outcome(1, "success", run=1, at=MONDAY),
        outcome(2, "failure", run=2, at=MONDAY + timedelta(hours=3), causes=(OOM,)),
        outcome(3, "success", run=2, attempt=2, at=MONDAY + timedelta(hours=5), causes=()),
        outcome(4, "failure", run=3, at=MONDAY + timedelta(hours=9)),
        outcome(5, "failure", run=4, at=MONDAY + timedelta(hours=4), causes=(OOM,), on_base=False, pull_request=7),
        outcome(6, "failure", run=5, at=MONDAY + timedelta(hours=5), causes=(OOM,), on_base=False, pull_request=8),
        outcome(7, "success", run=6, at=MONDAY - timedelta(days=40)),
    ])  # fmt: skip
    return Past(history, NOW)


def test_the_base_branch_newest_first(history: History) -> None:
    seen = filled(history).base("e2e", "ppo", OOM.fingerprint, 10)
    assert [(one.run, one.sight) for one in seen] == [(3, Sight.FAILED), (2, Sight.SAME_CAUSE), (1, Sight.PASSED)]
    assert seen[1].label == "run 2 of 2026-11-23"


def test_other_pull_requests_with_the_same_cause(history: History) -> None:
    past = filled(history)
    assert [one.pull for one in past.pulls("e2e", "ppo", OOM.fingerprint, 10)] == [8, 7]
    assert past.pulls("e2e", "ppo", "another cause", 10) == ()


def test_the_record_counts_and_says_how_many(history: History) -> None:
    record = filled(history).record("e2e", "ppo", OOM.fingerprint, OOM.signature, 7, 10)
    assert (record.failures, record.pulls, record.seconds) == (3, 1, 3600)
    assert (record.on_base.k, record.on_base.n, record.on_base.enough) == (1, 3, False)
    assert (record.reruns.k, record.reruns.n) == (1, 1)
    assert record.first == MONDAY.date()


def test_an_empty_history_says_nothing(history: History) -> None:
    past = Past(history, NOW)
    record = past.record("e2e", "ppo", "c", "s", 0, 10)
    assert (record.failures, record.pulls, record.seconds, record.first, record.synced) == (0, 0, 0, None, None)
    assert past.base("e2e", "ppo", "c", 5) == ()
