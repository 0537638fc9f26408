"""The report's numbers as one tidy CSV: a row per figure, so that a spreadsheet can pivot them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from triage.model.finding import Rate
from triage.model.report import Report
from triage.output.plain import plain
from triage.output.report_words import cost_title

COLUMNS = ("section", "name", "workflow", "pool", "measure", "k", "n", "value", "low", "high", "from", "to")
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@")

Figure = dict[str, object]


def render(report: Report) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    span = {"from": report.first.isoformat(), "to": report.last.isoformat()}
    for figure in _figures(report):
        writer.writerow({key: _cell(value) for key, value in {**span, **figure}.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    shown = plain(value)
    return "'" + shown if shown.lstrip().startswith(_FORMULA) else shown


def _rate(rate: Rate) -> Figure:
    """Under the minimum n there is a count and no value."""
    value = rate.value if rate.enough else None
    bounds = {"low": rate.low, "high": rate.high} if rate.enough else {}
    return {"k": rate.k, "n": rate.n, "value": "" if value is None else value, **bounds}


def _figures(report: Report) -> Iterator[Figure]:
    for job in report.jobs:
        of: Figure = {"section": "job", "name": job.job, "workflow": job.workflow, "pool": " ".join(job.pools)}
        rates = {
            "failing": job.failing,
            "failing on base": job.failing_on_base,
            "flake": job.flake,
            "flip": job.flip,
        }
        for measure, rate in rates.items():
            yield {**of, "measure": measure, **_rate(rate)}
        yield {**of, "measure": "GPU-hours lost", "value": job.gpu_hours}
        yield from _money(of, report, job.money)
        yield {**of, "measure": f"state: {job.state}"}
    yield from _causes(report)
    for name, spent in (("flakes", report.flakes), ("other failures", report.failures)):
        of = {"section": "lost", "name": name}
        yield {**of, "measure": "GPU-hours lost", "value": spent.hours}
        yield from _money(of, report, spent.money)
    for cell in report.matrix:
        of = {"section": "matrix", "workflow": cell.workflow, "pool": cell.pool, "measure": "failing"}
        yield {**of, **_rate(cell.failing)}
    for row in report.queues:
        for measure, seconds in (("queue p50 seconds", row.p50), ("queue p90 seconds", row.p90)):
            yield {"section": "queue", "pool": row.pool, "measure": measure, "n": row.jobs, "value": seconds}
    for suspect in report.runners.suspects:
        of = {"section": "suspect runner", "name": suspect.name, "pool": suspect.pool}
        yield {**of, "measure": "failing", **_rate(suspect.failing)}
        yield {**of, "measure": "adjusted p", "value": suspect.adjusted}
    for point in report.trend:
        times = {"from": point.first.isoformat(), "to": point.last.isoformat()}
        for measure, rate in (("trunk green", point.green), ("flake", point.flake), ("unexplained", point.unknown)):
            yield {"section": "trend", "measure": measure, **_rate(rate), **times}
    for loss in report.losses:
        name = loss.family or "unexplained"
        yield {"section": "trend", "name": name, "measure": "GPU-hours lost", "value": loss.hours, "from": loss.first}


def _money(of: Figure, report: Report, amount: float | None) -> Iterator[Figure]:
    if amount is not None:
        yield {**of, "measure": cost_title(report), "value": amount}


def _causes(report: Report) -> Iterator[Figure]:
    for cost in report.costs:
        of: Figure = {"section": "cause", "name": cost.signature or "unexplained", "pool": " ".join(cost.pools)}
        yield {**of, "measure": "failures of attempts", **_rate(cost.rate)}
        yield {**of, "measure": "GPU-hours failed", "value": cost.failed_hours}
        yield {**of, "measure": "GPU-hours rerun", "value": cost.rerun_hours}
        yield from _money(of, report, cost.money)
        yield {**of, "measure": "pull requests", "value": cost.pull_requests}
    for retry in report.retries:
        name = retry.signature or "unexplained"
        yield {"section": "rerun", "name": name, "measure": "passed when rerun", **_rate(retry.success)}
