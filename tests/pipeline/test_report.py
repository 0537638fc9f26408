"""From a history to a report: what it finds, what it says when there is little, and the same from both databases."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.histories import DATABASES, MONDAY, OOM, REPO, empty_history, opened, outcome
from triage.demo.history import write_history
from triage.demo.planted import TRUTHS
from triage.model.configuration import Configuration, KnownIssue
from triage.model.finding import ChangeKind, State
from triage.model.fix import Held
from triage.model.history import Period, day_of
from triage.model.outcome import LogState, Pool
from triage.model.report import Report
from triage.model.signature import Catalogue
from triage.pipeline.report import build_report
from triage.pipeline.report_settings import ReportSettings
from triage.storage.database import History
from triage.storage.outcomes import put

END = datetime(2026, 11, 30, tzinfo=UTC)
WEEK = Period(day_of(END) - 7, day_of(END) - 1)


@pytest.fixture(scope="module", params=DATABASES)
def half_year(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    with empty_history(request.param, tmp_path_factory.mktemp("demo")) as history:
        write_history(history, END)
        yield build_report(history, WEEK, END + timedelta(hours=8))


def test_the_planted_regression_is_told_with_its_day_and_commits(half_year: Report) -> None:
    (change,) = [change for change in half_year.changes if change.subject == TRUTHS.regressed_job]
    began = END.date() - timedelta(days=TRUTHS.regressed_days_ago)
    assert change.kind is ChangeKind.DEGRADED
    assert change.point is not None
    assert change.point.earliest <= began <= change.point.latest
    assert len(change.commit_before) == len(change.commit_after) == 40
    assert change.commit_before != change.commit_after


def test_the_planted_recovery_new_cause_and_gone_cause_are_told(half_year: Report) -> None:
    told = {(change.kind, change.subject) for change in half_year.changes}
    assert (ChangeKind.RECOVERED, TRUTHS.recovered_job) in told
    assert (ChangeKind.NEW, TRUTHS.new_signature) in told
    assert (ChangeKind.GONE, "hccl-error") in told
    assert {subject for kind, subject in told if kind in (ChangeKind.DEGRADED, ChangeKind.BROKEN)} == {
        TRUTHS.regressed_job
    }


def test_the_bad_runner_and_no_other_is_suspect(half_year: Report) -> None:
    (suspect,) = half_year.runners.suspects
    assert suspect.name == TRUTHS.bad_runner
    assert suspect.adjusted <= 0.05
    assert "gpu-ecc-error" in suspect.signatures
    assert len(suspect.sights) == 3


def test_the_flaky_job_is_flaky_and_the_fixes_are_judged(half_year: Report) -> None:
    assert {row.job: row.state for row in half_year.jobs}[TRUTHS.flaky_job] is State.FLAKY
    held = {row.id: row for row in half_year.fixes}
    assert held[TRUTHS.held_fix].held is Held.HELD
    assert (held[TRUTHS.held_fix].saved_hours or 0) > 0
    assert held[TRUTHS.failed_fix].held is Held.FAILED
    assert held[TRUTHS.failed_fix].saved_hours is None
    assert half_year.deadlines[0].overdue == 9


def test_sums_agree_with_each_other(half_year: Report) -> None:
    total = sum(row.hours for row in half_year.costs)
    tiles = {tile.key: tile for tile in half_year.tiles}
    assert tiles["lost"].value == pytest.approx(total)
    assert sum(row.gpu_hours for row in half_year.jobs) == pytest.approx(total)
    newest = max(point.first for point in half_year.losses)
    assert sum(point.hours for point in half_year.losses if point.first == newest) == pytest.approx(total)
    assert sum(cell.failing.n for cell in half_year.matrix) == sum(row.failing.n for row in half_year.jobs)
    assert half_year.notices == ()


@pytest.mark.postgres
def test_both_databases_give_the_same_report(tmp_path: Path) -> None:
    reports = []
    for kind in ("sqlite", "postgres"):
        with empty_history(kind, tmp_path) as history:
            write_history(history, END, days=70)
            reports.append(build_report(history, WEEK, END))
    assert reports[0] == reports[1]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with opened(str(tmp_path / "history.db")) as empty:
        yield empty


def test_an_empty_history_is_said(history: History) -> None:
    report = build_report(history, WEEK, END)
    assert report.notices[0].startswith("The history is empty")
    assert [tile.value for tile in report.tiles] == [None] * 5
    assert (report.jobs, report.costs, report.changes, report.matrix) == ((), (), (), ())


def test_one_run_is_too_little_data_and_is_said(history: History) -> None:
    put(history, [outcome(1, "failure", at=MONDAY, causes=(OOM,))])
    report = build_report(history, WEEK, END)
    assert report.notices[0] == "Only 1 job attempt in this period: too little data for any rate."
    assert any(notice.startswith("The history begins on 2026-11-23") for notice in report.notices)
    assert report.jobs[0].state is State.TOO_LITTLE
    assert [change for change in report.changes if change.kind is ChangeKind.NEW] == []
    assert report.costs[0].hours == 8.0


def test_a_week_without_runs_is_not_a_good_week(history: History) -> None:
    put(history, [outcome(n, run=n, at=MONDAY - timedelta(days=20)) for n in range(1, 30)])
    report = build_report(history, WEEK, END)
    assert report.notices[0].startswith("No job ran in this period")
    assert report.notices[1].startswith("Stale: the newest attempt ended on 2026-11-03")
    assert all(tile.value is None for tile in report.tiles if tile.unit == "share")


def test_missing_logs_and_missing_gpus_are_said(history: History) -> None:
    gone = [
        outcome(
            n,
            "failure",
            run=n,
            at=MONDAY + timedelta(hours=n),
            log=LogState.UNAVAILABLE,
            log_detail="expired",
            pool=Pool("cpu"),
        )
        for n in range(1, 20)
    ]
    waiting = outcome(50, "failure", run=50, at=MONDAY, log=LogState.PENDING, pool=Pool("cpu"))
    put(history, [*gone, waiting])
    said = " ".join(build_report(history, WEEK, END).notices)
    assert "19 of 20 failed attempts have no log (expired 19)" in said
    assert "Logs still to be read: 1;" in said
    assert "GPU-hours are not known, and not zero" in said


def test_a_half_read_listing_is_said(history: History) -> None:
    from triage.model.run import Run
    from triage.storage.listing import Unread, put_runs, record

    runs = [
        Run(
            n,
            1,
            REPO,
            "e2e",
            "w.yml",
            "push",
            "completed",
            "success",
            "0" * 40,
            "main",
            created_at=MONDAY,
            updated_at=MONDAY,
        )
        for n in range(1, 11)
    ]
    record(history, runs)
    put_runs(history, [Unread(runs[0])], [outcome(1, "failure", at=MONDAY)], [])
    said = " ".join(build_report(history, WEEK, END).notices)
    assert "9 of 10 runs are listed but not read yet" in said
    assert "rates are too high" in said


def test_what_the_catalogue_and_the_configuration_add(history: History) -> None:
    put(history, [outcome(1, "failure", at=MONDAY, causes=(replace(OOM, signature="unlisted"),))])
    configuration = Configuration(
        minimum_n=1, known_issues=(KnownIssue("x", "https://github.example/1", date(2026, 11, 1), True),)
    )
    settings = ReportSettings.of(Catalogue({}), configuration, END.date())
    report = build_report(history, WEEK, END, settings)
    assert report.deadlines[0].name == "x"
    assert report.deadlines[0].overdue == 29
    assert report.jobs[0].failing.enough
