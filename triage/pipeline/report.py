"""The report of a period: counts from the history, statistics over them, and what must be said about both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from triage import __version__
from triage.flakiness import cost, jobs, machines, signatures, trends
from triage.flakiness.money import flakes_and_failures
from triage.model.finding import Attribution, Change, ChangeKind, Sight
from triage.model.fix import Deadline, FixRow
from triage.model.history import CommitWindow, Period, Sighting, SignatureDay, date_of, day_of
from triage.model.report import CauseCost, Completeness, PoolPrice, Report, UnknownCluster
from triage.pipeline.notices import method, notices
from triage.pipeline.report_settings import Known, ReportSettings
from triage.pipeline.verify import Inspection, verify
from triage.storage import aggregates, series
from triage.storage.database import History

HISTORY_DAYS = 182
TREND_PERIODS = 26
# Runners are compared over at least this long: a week holds too few failures to name a machine; and at most so long:
# what a machine did two quarters ago is no reason to drain it today.
ATTRIBUTION_DAYS = 28
LONGEST_ATTRIBUTION = 91
MOST_CHANGES = 10
SIGHTS = 3
UNEXPLAINED = 500


@dataclass(frozen=True, slots=True)
class _Counts:
    """Everything that is read of the history for one report, in days over the span of the trend."""

    jobs: jobs.JobCounts
    trend: trends.TrendCounts
    signatures: Sequence[SignatureDay]
    first_day: int  # of the history's attempts; the period's own when there are none


def build_report(
    history: History,
    period: Period,
    now: datetime,
    settings: ReportSettings | None = None,
    inspection: Inspection | None = None,
) -> Report:
    """Reads nothing but aggregates, and single rows for what is shown in full."""
    known = settings or ReportSettings()
    counts = _read(history, period)
    periods = trends.periods_back(period, TREND_PERIODS, counts.first_day)
    changes = jobs.job_changes(counts.jobs, period, known.minimum)
    hits = signatures.hits(counts.signatures, counts.jobs.days, period)
    points = trends.trend(counts.trend, periods, known.minimum)
    greens = [trends.time_to_green(series.green_episodes(history, part)) for part in periods[-2:]]
    fixes = verify(history, now, inspection, known.minimum)
    complete = _completeness(history, period)
    attributed = period.ending_here(min(max(period.days, ATTRIBUTION_DAYS), LONGEST_ATTRIBUTION))
    strata = aggregates.runner_strata(history, attributed)
    has_gpus = any(row.gpu_seconds for row in counts.jobs.losses)
    lost = cost.pools(counts.jobs.losses, period)
    prices = {pool: price for pool in lost if (price := known.price_of(pool))}
    flakes, failures = flakes_and_failures(counts.jobs.losses, period, prices)
    unexplained = series.unexplained(history, period, UNEXPLAINED)
    return Report(
        repo=history.repo,
        first=date_of(period.first),
        last=date_of(period.last),
        generated_at=now,
        completeness=complete,
        notices=notices(complete, period, now, counts.first_day, has_gpus, known.minimum),
        tiles=trends.tiles(points, greens, counts.jobs.losses, periods, has_gpus),
        changes=_changes(history, periods, counts, changes, hits),
        costs=_costs(history, period, counts, known, prices),
        flakes=flakes,
        failures=failures,
        cancelled_hours=cost.cancelled_hours(counts.jobs.losses, period),
        jobs=jobs.job_rows(counts.jobs, changes, period, known.minimum, prices),
        matrix=jobs.matrix(counts.jobs.days, period, known.minimum),
        queues=machines.queues(
            aggregates.queue_counts(history, period), aggregates.queue_counts(history, period.before())
        ),
        runners=_with_sights(history, attributed, machines.suspect_runners(strata, attributed.days, known.minimum)),
        pools=machines.suspect_pools(strata, attributed.days, known.minimum),
        retries=signatures.retry_rows(counts.jobs.retries, period, known.minimum),
        signatures=signatures.health(hits, counts.signatures, known.known, period, period.last - counts.first_day + 1),
        unknown=points[-1].unknown,
        clusters=tuple(
            UnknownCluster(sighting.text, count, _sight(sighting))
            for count, sighting in signatures.clusters(unexplained)
        ),
        fixes=fixes,
        deadlines=_deadlines(known.deadlines, fixes, now.date()),
        trend=points,
        losses=cost.loss_points(counts.jobs.losses, periods),
        time_to_green=greens[-1],
        method=method(lost, prices, known.currency),
        prices=tuple(PoolPrice(pool, price) for pool, price in prices.items()),
        currency=known.currency if prices else "",
        triage_version=__version__,
        catalogue_version=known.catalogue_version,
    )


def _read(history: History, period: Period) -> _Counts:
    span = period.ending_here(max(HISTORY_DAYS, 2 * period.days))
    days = aggregates.job_days(history, span)
    retries = aggregates.retry_days(history, span)
    losses = aggregates.loss_days(history, span)
    counts = jobs.JobCounts(days, retries, losses, series.flips(history, period), series.streaks(history, period))
    runs, logs = aggregates.run_days(history, span), aggregates.log_days(history, span)
    trend = trends.TrendCounts(runs, days, retries, losses, logs)
    first_day = min((row.day for row in days), default=period.first)
    return _Counts(counts, trend, aggregates.signature_days(history, span), first_day)


def _completeness(history: History, period: Period) -> Completeness:
    held = aggregates.coverage(history, period)
    logs = aggregates.log_counts(history, period)
    missing: dict[str, int] = {}
    for row in logs:
        if row.log == "unavailable":
            missing[row.detail] = missing.get(row.detail, 0) + row.failed
    return Completeness(
        runs_listed=held.runs_listed,
        runs_read=held.runs_read,
        attempts=held.jobs,
        failed=sum(row.failed for row in logs),
        logs_read=sum(row.failed for row in logs if row.log == "read"),
        logs_pending=sum(row.failed for row in logs if row.log == "pending"),
        logs_missing=tuple(sorted(missing.items(), key=lambda item: -item[1])),
        newest=datetime.fromtimestamp(held.newest, UTC) if held.newest else None,
        synced=datetime.fromtimestamp(held.synced, UTC) if held.synced else None,
    )


def _changes(
    history: History,
    periods: Sequence[Period],
    counts: _Counts,
    changes: Sequence[jobs.JobChange],
    hits: Sequence[signatures.Hits],
) -> tuple[Change, ...]:
    """At most MOST_CHANGES, the bad ones first: this is what people read."""
    period = periods[-1]
    found = [_job_change(history, change) for change in changes]
    hours = {row.signature: row.hours for row in cost.cause_costs(counts.jobs.losses, (), counts.jobs.days, period, 1)}
    for kind, of in ((ChangeKind.NEW, signatures.new_ones(hits)), (ChangeKind.GONE, signatures.gone_ones(hits))):
        for hit in sorted(of, key=lambda hit: -max(hit.now, hit.before)):
            seen = _sights(series.sightings(history, period, hit.signature, SIGHTS)) if hit.now else ()
            found.append(
                Change(
                    kind=kind,
                    subject=hit.signature,
                    hits=hit.now,
                    hits_before=hit.before,
                    hits_by_period=signatures.by_period(counts.signatures, hit.signature, periods),
                    gpu_hours=hours.get(hit.signature, 0.0),
                    sights=seen,
                )
            )
    order = list(ChangeKind)
    return tuple(sorted(found, key=lambda change: order.index(change.kind))[:MOST_CHANGES])


def _job_change(history: History, change: jobs.JobChange) -> Change:
    point = change.point
    days = (day_of(_midnight(point.earliest)), day_of(_midnight(point.latest)))
    on_base = change.kind not in (ChangeKind.FLAKY, ChangeKind.CALMER)
    window = series.commit_window(history, change.workflow, change.job, *days) if on_base else CommitWindow("", "")
    return Change(
        kind=change.kind,
        subject=change.job,
        workflow=change.workflow,
        point=point,
        commit_before=window.before,
        commit_after=window.after,
    )


def _costs(
    history: History, period: Period, counts: _Counts, settings: ReportSettings, prices: Mapping[str, float]
) -> tuple[CauseCost, ...]:
    reach = aggregates.reach(history, period)
    rows = cost.cause_costs(counts.jobs.losses, reach, counts.jobs.days, period, settings.minimum, prices)
    return tuple(_described(history, period, row, settings) for row in rows)


def _described(history: History, period: Period, row: CauseCost, settings: ReportSettings) -> CauseCost:
    known = settings.known.get(row.signature, Known(row.signature or "unexplained"))
    seen = _sights(series.sightings(history, period, row.signature, SIGHTS))
    return replace(row, title=known.title, owner=known.owner, issue=known.issue, fix=known.fix, sights=seen)


def _with_sights(history: History, period: Period, found: Attribution) -> Attribution:
    suspects = []
    for suspect in found.suspects:
        seen = series.sightings_on(history, period, suspect.name, suspect.pool, 50)
        names = [sighting.signature or "unexplained" for sighting in seen]
        most = tuple(sorted(set(names), key=lambda name: (-names.count(name), name))[:SIGHTS])
        suspects.append(replace(suspect, signatures=most, sights=_sights(seen[:SIGHTS])))
    return replace(found, suspects=tuple(suspects))


def _deadlines(others: Sequence[Deadline], fixes: Sequence[FixRow], today: date) -> tuple[Deadline, ...]:
    """Workarounds of the ledger that are merged, and what others know of; the longest overdue first."""
    own = [
        Deadline("workaround", fix.title, fix.workflow_path, fix.expires, (today - fix.expires).days, fix.owner)
        for fix in fixes
        if fix.expires is not None and fix.merged is not None
    ]
    return tuple(sorted((*own, *others), key=lambda deadline: -deadline.overdue))


def _sights(found: Sequence[Sighting]) -> tuple[Sight, ...]:
    return tuple(_sight(sighting) for sighting in found)


def _sight(sighting: Sighting) -> Sight:
    at = datetime.fromtimestamp(sighting.completed, UTC)
    return Sight(sighting.job, sighting.runner, sighting.url, sighting.line, sighting.text, at, sighting.pull_request)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
