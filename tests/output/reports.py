"""Reports for the renderers' tests: the demo's week, an empty one, and one whose every text is hostile."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.histories import opened
from triage.demo.history import write_history
from triage.model.history import Period, day_of
from triage.model.report import Report, Tile
from triage.pipeline.report import build_report

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
