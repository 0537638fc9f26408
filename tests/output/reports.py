"""Reports for the renderers' tests: the demo's week, an empty one, and one whose every text is hostile."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.histories import OOM, opened, outcome
from triage.demo.history import write_history
from triage.model.configuration import RunnerLabel
from triage.model.history import Period, day_of
from triage.model.outcome import Pool
from triage.model.report import Report, Tile
from triage.pipeline.report import build_report
from triage.pipeline.report_settings import ReportSettings
from triage.storage.outcomes import put

END = datetime(2026, 11, 30, tzinfo=UTC)
WEEK = Period(day_of(END) - 7, day_of(END) - 1)
HOSTILE = (
    "</style><script>alert(1)</script><img src=x onerror=alert(1)> | a | `b` ``` ~~~ @everyone #1 fixes #2 "
    "[x](javascript:alert(1)) ![y](https://evil.example/p.png) https://evil.example \x1b[31m\u202eright\u2066\u200b\nnext \"'&<>"
)
# Names of fields that hold what people, logs or GitHub wrote.
UNTRUSTED = {
    "repo", "subject", "workflow", "job", "runner", "text", "url", "signature", "family", "title", "owner", "issue", "fix",
    "name", "pool", "why", "where", "workflow_path", "catalogue_version",
}  # fmt: skip
UNTRUSTED_LISTS = {"jobs", "pools", "signatures"}


@cache
def demo_week() -> Report:
    with TemporaryDirectory() as folder, opened(str(Path(folder) / "history.db")) as history:
        write_history(history, END)
        return replace(build_report(history, WEEK, END), triage_version="0", notices=("Something is missing.",))


@cache
def empty_week() -> Report:
    with TemporaryDirectory() as folder, opened(str(Path(folder) / "history.db")) as history:
        return replace(build_report(history, WEEK, END), triage_version="0")


PRICED = ReportSettings(
    runners=(RunnerLabel("L20*", "cuda", 8, 1.5), RunnerLabel("mi300", "rocm", 4, 2.25)), currency="EUR"
)


@cache
def priced_week() -> Report:
    """Small enough to check by hand, an hour an attempt where nothing else is said:

    - an out of memory on 8 GPUs at 1.50 that passed when rerun: 8 h + 8 h = 16 h, 24.00, a flake;
    - an unexplained failure of half an hour on 4 GPUs at 2.25: 2 h, 4.50;
    - an out of memory on 8 GPUs of a pool without a price: 8 h.
    """
    at = END - timedelta(days=3)
    half = at + timedelta(minutes=30)
    mi300, a2 = Pool("mi300", "rocm", 4), Pool("a2 npu", "npu", 8)
    with TemporaryDirectory() as folder, opened(str(Path(folder) / "history.db")) as history:
        put(
            history,
            [
                outcome(1, "failure", run=1, at=at, causes=(OOM,)),
                outcome(2, run=1, attempt=2, at=at + timedelta(hours=2)),
                outcome(3, "failure", run=2, at=at, job="moe", pool=mi300, started_at=at, completed_at=half),
                outcome(4, "failure", run=3, at=at, job="npu", pool=a2, causes=(OOM,)),
            ],
        )
        return replace(build_report(history, WEEK, END, PRICED), triage_version="0")


def hostile_week() -> Report:
    """The demo's week with every text that others wrote replaced."""
    found = _poisoned(demo_week())
    assert isinstance(found, Report)
    return replace(found, notices=(HOSTILE,))


def _poisoned(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_poisoned(item) for item in value)
    if not is_dataclass(value) or isinstance(value, type | Tile):
        return value
    changed = {}
    for spec in fields(value):
        old = getattr(value, spec.name)
        if type(old) is str and spec.name in UNTRUSTED:
            changed[spec.name] = {"url": f"https://evil.example/{HOSTILE}", "signature": f"{HOSTILE}{old}"}.get(
                spec.name, HOSTILE
            )
        elif isinstance(old, tuple) and spec.name in UNTRUSTED_LISTS and all(type(item) is str for item in old):
            changed[spec.name] = (HOSTILE,) * len(old)
        else:
            changed[spec.name] = _poisoned(old)
    return replace(value, **changed)
