import pytest

from triage.flakiness.intervals import rate
from triage.flakiness.jobs import JobCounts, job_changes, job_rows, matrix, state
from triage.model.finding import ChangeKind, State
from triage.model.history import FlipCount, JobDay, LossDay, Period, RetryDay, Streak

WEEK = Period(20_000, 20_006)


@pytest.mark.parametrize(
    ("flakes", "n", "in_a_row", "change", "expected"),
    [
        (0, 100, 0, None, State.STEADY),
        (1, 100, 0, None, State.STEADY),
        (2, 100, 0, None, State.FLAKY),
        (2, 1000, 0, None, State.STEADY),
        (5, 9, 0, None, State.TOO_LITTLE),
        (0, 3, 5, None, State.BROKEN),
        (9, 100, 5, ChangeKind.DEGRADED, State.BROKEN),
        (9, 100, 4, ChangeKind.DEGRADED, State.DEGRADED),
        (0, 100, 0, ChangeKind.RECOVERED, State.RECOVERED),
        (9, 100, 0, ChangeKind.RECOVERED, State.FLAKY),
    ],
)
def test_states(flakes: int, n: int, in_a_row: int, change: ChangeKind | None, expected: State) -> None:
    assert state(rate(flakes, n), in_a_row, change) is expected


def job(day: int, passed: int, failed: int, name: str = "ppo", on_base: int = 1, pool: str = "L20x8") -> JobDay:
    return JobDay("e2e", name, pool, on_base, day, passed, failed)


def counts(days: list[JobDay], retries: list[RetryDay] = [], streaks: list[Streak] = []) -> JobCounts:  # noqa: B006 - never changed
    return JobCounts(days, retries, [], [FlipCount("e2e", "ppo", 40, 4)], streaks)


def test_a_row_counts_the_period_alone_and_all_pools() -> None:
    days = [job(19_990, 50, 50), job(20_001, 18, 2), job(20_002, 9, 1, on_base=0, pool="npu")]
    retries = [RetryDay("e2e", "ppo", "L20x8", "s", 20_001, 3, 2), RetryDay("e2e", "ppo", "L20x8", "s", 19_990, 9, 9)]
    lost = [
        LossDay("failed", "e2e", "ppo", "L20x8", "s", "f", 20_001, 1, 1, 7200),
        LossDay("cancelled", "e2e", "ppo", "L20x8", "", "", 20_001, 1, 0, 9),
    ]
    (row,) = job_rows(JobCounts(days, retries, lost, [FlipCount("e2e", "ppo", 40, 4)], []), [], WEEK, 10)
    assert (row.failing.k, row.failing.n, row.failing_on_base.k, row.failing_on_base.n) == (3, 30, 2, 20)
    assert (row.flake.k, row.flake.n, row.flip.k, row.flip.n) == (2, 30, 4, 40)
    assert (row.pools, row.gpu_hours, row.state) == (("L20x8", "npu"), 2.0, State.FLAKY)


def test_no_job_no_row() -> None:
    assert job_rows(counts([]), [], WEEK, 10) == ()
    assert matrix([], WEEK, 10) == ()


def test_those_that_need_somebody_come_first() -> None:
    days = [
        job(20_001, 100, 0, "steady"),
        job(20_001, 3, 0, "rare"),
        job(20_001, 90, 10, "flaky"),
        job(20_001, 0, 20, "broken"),
    ]
    flaky = [RetryDay("e2e", "flaky", "L20x8", "s", 20_001, 10, 9)]
    rows = job_rows(counts(days, flaky, [Streak("e2e", "broken", 20, 20)]), [], WEEK, 10)
    assert [row.job for row in rows] == ["broken", "flaky", "steady", "rare"]


def half_year(before: int, after: int, at: int) -> list[JobDay]:
    """Ten base results a day up to the week's end; from day `at` on, `after` of them fail instead of `before`."""
    return [job(day, 10 - (bad := after if day >= at else before), bad) for day in range(19_850, WEEK.last + 1)]


@pytest.mark.parametrize(
    ("before", "after", "streak", "kind"),
    [(0, 5, 0, ChangeKind.DEGRADED), (5, 0, 0, ChangeKind.RECOVERED), (0, 10, 30, ChangeKind.BROKEN)],
)
def test_a_change_is_told_in_the_week_in_which_it_can_be_seen(
    before: int, after: int, streak: int, kind: ChangeKind
) -> None:
    days = half_year(before, after, 20_003)
    streaks = [Streak("e2e", "ppo", streak, 99)]
    (found,) = job_changes(counts(days, streaks=streaks), WEEK, 10)
    assert (found.kind, found.job, found.point.day.toordinal() - 719_163) == (kind, "ppo", 20_003)


def test_a_change_that_the_week_before_could_see_is_not_told_again() -> None:
    assert job_changes(counts(half_year(0, 8, 19_995)), WEEK, 10) == ()


def test_a_change_that_began_before_is_told_when_it_becomes_visible() -> None:
    days = half_year(0, 1, 19_999)
    (found,) = job_changes(counts(days), WEEK, 10)
    assert found.point.earliest.toordinal() - 719_163 <= 19_999


def test_new_flakes_are_a_change_of_their_own_but_not_beside_a_degraded_job() -> None:
    days = [job(day, 10, 0, on_base=0) for day in range(19_900, WEEK.last + 1)]
    flakes = [RetryDay("e2e", "ppo", "L20x8", "s", day, 3, 3) for day in range(20_002, WEEK.last + 1)]
    (found,) = job_changes(counts(days, flakes), WEEK, 10)
    assert found.kind is ChangeKind.FLAKY
    both = job_changes(counts([*days, *half_year(0, 9, 20_002)], flakes), WEEK, 10)
    assert [change.kind for change in both] == [ChangeKind.DEGRADED]
