import random

import pytest

from triage.flakiness import cost, machines, signatures, trends
from triage.model.history import (
    GreenEpisode,
    JobDay,
    LogDay,
    LossDay,
    Period,
    QueueCount,
    Reach,
    RetryDay,
    RunDay,
    RunnerStratum,
    Sighting,
    SignatureDay,
)
from triage.model.report import SignatureState, TimeToGreen

WEEK = Period(20_000, 20_006)


def loss(kind: str, signature: str, seconds: int, day: int = 20_001, attempts: int = 1, job: str = "ppo") -> LossDay:
    return LossDay(
        kind,
        "e2e",
        job,
        "L20x8",
        signature,
        f"family of {signature}" if signature else "",
        day,
        attempts,
        attempts,
        seconds,
    )


def test_costs_are_summed_by_cause_and_ranked_against_the_week_before() -> None:
    losses = [
        loss("failed", "oom", 3600, attempts=2), loss("rerun", "oom", 7200), loss("failed", "", 1800),
        loss("failed", "nccl", 36_000, day=19_999), loss("failed", "oom", 60, day=19_999), loss("cancelled", "", 99_999),
    ]  # fmt: skip
    runs = [JobDay("e2e", "ppo", "L20x8", 1, 20_001, 18, 2)]
    reach = [Reach("oom", "family of oom", 2, 4, 3, 1)]
    first, second = cost.cause_costs(losses, reach, runs, WEEK, 10)
    assert (first.signature, first.failed_hours, first.rerun_hours, first.hours) == ("oom", 1.0, 2.0, 3.0)
    assert (first.failures, first.rate.k, first.rate.n, first.pull_requests, first.authors) == (2, 2, 20, 4, 3)
    assert (first.rank_before, second.signature, second.hours, second.rank_before) == (2, "", 0.5, None)
    assert cost.cancelled_hours(losses, WEEK) == pytest.approx(99_999 / 3600)
    assert cost.lost_hours(losses, [WEEK.before(), WEEK]) == pytest.approx((36_060 / 3600, 3.5))


def test_without_failures_nothing_is_lost() -> None:
    assert cost.cause_costs([], [], [], WEEK, 10) == ()
    assert cost.loss_points([], [WEEK]) == ()
    assert cost.lost_hours([], [WEEK]) == (0.0,)


def stratum(
    runner: str, settled: int, failed: int, job: str = "ppo", pool: str = "L20x8", week: int = 1
) -> RunnerStratum:
    return RunnerStratum(runner, pool, "e2e", job, week, settled, failed)


def test_a_machine_that_only_runs_hard_jobs_is_not_suspect() -> None:
    fleet = [stratum(f"r{n}", 50, 1) for n in range(8)] + [
        stratum("hard", 50, 30, job="multi"),
        stratum("r1", 50, 30, job="multi"),
    ]
    assert machines.suspect_runners(fleet, 28, 10).suspects == ()


def test_a_machine_of_a_broken_week_is_not_suspect() -> None:
    fleet = [stratum(f"r{n}", 50, 1, week=1) for n in range(8)] + [stratum(f"new{n}", 50, 40, week=2) for n in range(8)]
    assert machines.suspect_runners(fleet, 28, 10).suspects == ()


def test_a_bad_machine_is_named_with_what_was_expected_of_it() -> None:
    found = machines.suspect_runners([*(stratum(f"r{n}", 50, 1) for n in range(8)), stratum("bad", 50, 20)], 28, 10)
    (suspect,) = found.suspects
    assert (suspect.name, suspect.pool, found.tested) == ("bad", "L20x8", 9)
    assert (suspect.failing.k, suspect.failing.n, suspect.peers.k, suspect.peers.n) == (20, 50, 8, 400)
    assert suspect.expected == pytest.approx(28 * 50 / 450)
    assert suspect.adjusted == pytest.approx(9 * suspect.p)


def test_the_order_of_the_rows_changes_no_digit() -> None:
    fleet = [stratum(f"r{n}", 7 + n, 1, week=week) for n in range(8) for week in range(9)]
    fleet += [stratum("bad", 50 + week, 20 + week, week=week) for week in range(9)]
    (there,) = machines.suspect_runners(fleet, 28, 10).suspects
    for seed in range(20):
        shuffled = random.Random(seed).sample(fleet, len(fleet))
        assert machines.suspect_runners(shuffled, 28, 10).suspects == (there,)


def test_machines_with_few_attempts_are_not_tested() -> None:
    assert machines.suspect_runners([stratum("a", 4, 4), stratum("b", 4, 0)], 28, 10).tested == 0
    assert machines.suspect_runners([], 28, 10).tested == 0


def test_pools_are_compared_only_where_they_ran_the_same_job() -> None:
    apart = [stratum("a", 100, 1), stratum("b", 100, 60, job="other", pool="npu")]
    assert machines.suspect_pools(apart, 28, 10).tested == 0
    shared = [stratum("a", 100, 1), stratum("b", 100, 60, pool="npu")]
    assert [suspect.name for suspect in machines.suspect_pools(shared, 28, 10).suspects] == ["npu"]


def test_queue_quantiles_are_exact() -> None:
    now = [QueueCount("a", seconds, 1) for seconds in range(1, 11)] + [QueueCount("b", 60, 5)]
    rows = machines.queues(now, [QueueCount("a", 100, 3)])
    assert [(row.pool, row.jobs, row.p50, row.p90, row.p90_before) for row in rows] == [
        ("b", 5, 60, 60, None),
        ("a", 10, 5, 9, 100),
    ]


def history_of(hits: dict[str, list[tuple[int, int]]]) -> tuple[signatures.Hits, ...]:
    days = [SignatureDay(name, "f", day, count) for name, found in hits.items() for day, count in found]
    ran = [JobDay("e2e", "ppo", "L20x8", 1, day, 90, 10) for day in range(19_900, 20_007)]
    return signatures.hits(days, ran, WEEK)


def test_new_and_gone_causes() -> None:
    counts = history_of({
        "new": [(20_003, 2)],
        "gone": [(day, 1) for day in range(19_945, 20_000)],
        "rare": [(19_950, 1)],
        "back": [(19_901, 1), (20_001, 1)],
    })  # fmt: skip
    assert [hit.signature for hit in signatures.new_ones(counts)] == ["new"]
    assert [hit.signature for hit in signatures.gone_ones(counts)] == ["gone"]


def test_without_a_history_before_nothing_is_new() -> None:
    ran = [JobDay("e2e", "ppo", "L20x8", 1, 20_001, 90, 10)]
    counts = signatures.hits([SignatureDay("s", "f", 20_001, 9)], ran, WEEK)
    assert signatures.new_ones(counts) == ()
    (row,) = signatures.health(counts, [SignatureDay("s", "f", 20_001, 9)], {"s"}, WEEK, 7)
    assert (row.state, row.expected) == (SignatureState.ACTIVE, None)


def test_signature_health() -> None:
    hits = {
        "growing": [(19_990, 4), (20_002, 30)],
        "even": [(day, 1) for day in range(19_900, 20_007)],
        "old": [(19_905, 3)],
        "own": [(20_000, 1)],
    }
    days = [SignatureDay(name, "f", day, count) for name, found in hits.items() for day, count in found]
    rows = signatures.health(history_of(hits), days, {"growing", "even", "old", "never"}, WEEK, 107)
    assert {row.signature: row.state for row in rows} == {
        "growing": SignatureState.INFLATING, "even": SignatureState.ACTIVE, "old": SignatureState.SILENT,
        "own": SignatureState.NOT_IN_CATALOGUE,
    }, "what never occurred was never heard, so it is not silent"  # fmt: skip
    young = signatures.health(history_of(hits), days, {"old"}, WEEK, 30)
    assert SignatureState.SILENT not in {row.state for row in young}


def test_rerun_success_by_cause() -> None:
    retries = [
        RetryDay("e2e", "ppo", "p", "flaky", 20_001, 12, 11),
        RetryDay("e2e", "x", "p", "flaky", 20_002, 8, 8),
        RetryDay("e2e", "x", "p", "hard", 20_002, 3, 0),
    ]
    rows = signatures.retry_rows(retries, WEEK, 10)
    assert [(row.signature, row.success.k, row.success.n, row.success.enough) for row in rows] == [
        ("flaky", 19, 20, True),
        ("hard", 0, 3, False),
    ]


def test_lines_that_differ_in_numbers_are_one_cluster() -> None:
    lines = ["rank 3 died at 0xdeadbeef", "rank 12 died at 0x00ff", "another error", "rank 7 died at 0x12"]
    found = signatures.clusters([Sighting("", "j", "r", "u", 1, line, 1, 0) for line in lines])
    assert [(count, sighting.text) for count, sighting in found] == [(3, lines[0]), (1, "another error")]


def test_what_is_still_red_counts_as_longest() -> None:
    def episodes(*seconds: int | None) -> TimeToGreen:
        return trends.time_to_green([GreenEpisode("e2e", "b", 0, value) for value in seconds])

    assert episodes() == TimeToGreen(0, 0, None, None)
    assert episodes(10, 20, 30) == TimeToGreen(3, 0, 20, 30)
    assert episodes(10, 20, None) == TimeToGreen(3, 1, 20, None)
    assert episodes(10, None, None) == TimeToGreen(3, 2, None, None)


def test_the_trend_says_what_it_does_not_know() -> None:
    counts = trends.TrendCounts(
        [RunDay("e2e", 1, 20_001, 3, 1), RunDay("e2e", 0, 20_001, 0, 50)],
        [JobDay("e2e", "ppo", "p", 1, 20_001, 30, 10)],
        [],
        [],
        [LogDay(20_001, 10, 8, 6)],
    )
    periods = trends.periods_back(WEEK, 26, 19_995)
    assert len(periods) == 2
    before, now = trends.trend(counts, periods, 10)
    assert (before.green.n, before.flake.enough) == (0, False)
    assert (now.green.k, now.green.n, now.green.enough) == (3, 4, False)
    assert (now.unknown.k, now.unknown.n, now.flake.k, now.flake.n) == (2, 8, 0, 40)
    tiles = {
        tile.key: tile for tile in trends.tiles([before, now], [TimeToGreen(0, 0, None, None)] * 2, [], periods, False)
    }
    assert tiles["green"].value is None
    assert tiles["green"].note == "too little data: 3 of 4"
    assert tiles["flake"].value == 0
    assert tiles["lost"].value is None
    assert tiles["lost"].spark == (None, None)
