"""The report as one JSON object, schema `triage.report/1`: the fields of `model.report`, rates with their value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum

from triage.model.finding import Rate
from triage.model.fix import FixRow
from triage.model.report import SCHEMA, CauseCost, Report
from triage.output.plain import json_text

# Left out where no price is configured, or none of the pools has one.
_ONLY_WHERE_PRICED = ("money", "prices", "currency")


def render(report: Report) -> str:
    return json_text({"schema": SCHEMA, **_object(report)}) + "\n"


def render_fixes(rows: Sequence[FixRow]) -> str:
    """The ledger alone: {"schema", "fixes"}."""
    found = {"schema": SCHEMA, "fixes": [_object(row) for row in rows]}
    return json_text(found) + "\n"


def _object(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    found = {spec.name: _plain(getattr(value, spec.name)) for spec in fields(value)}
    for name in _ONLY_WHERE_PRICED:
        if found.get(name) in (None, [], ""):
            found.pop(name, None)
    match value:
        case Rate():
            found["value"] = value.value
        case CauseCost():
            found["hours"] = value.hours
        case _:
            pass
    return found


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case datetime() | date():
            return value.isoformat()
        case tuple():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value):
            return _object(value)
        case _:
            return value
