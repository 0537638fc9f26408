"""The report as one HTML file: works offline, light and dark, in print, without a script and with a keyboard."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment

from triage.model.finding import ChangeKind, State
from triage.model.fix import Held
from triage.model.report import Report, SignatureState
from triage.output import report_svg, report_words
from triage.output.page import environment, inlined

_CONTENTS = (
    ("changes", "What changed"),
    ("trend", "Trend"),
    ("costs", "What it cost"),
    ("machines", "Suspect runners"),
    ("fixes", "Did the fixes hold?"),
    ("jobs", "Jobs"),
    ("hardware", "Hardware and workflows"),
    ("reruns", "Reruns and time to green"),
    ("signatures", "Signatures"),
    ("method", "Method"),
)
_BAD = (ChangeKind.BROKEN, ChangeKind.DEGRADED, State.BROKEN, State.DEGRADED, Held.FAILED, Held.DEAD)
_WARN = (ChangeKind.FLAKY, ChangeKind.NEW, State.FLAKY, Held.REDUCED, SignatureState.INFLATING, Held.REVERTED)
_GOOD = (ChangeKind.RECOVERED, ChangeKind.GONE, ChangeKind.CALMER, State.RECOVERED, State.STEADY, Held.HELD)
_WORDS = (*ChangeKind, *State, *Held, *SignatureState)


def render(report: Report) -> str:
    points = report.trend
    families = report_svg.families(report.losses)
    trends = (
        ("Trunk green, with 95 % interval", report_svg.trend("Trunk green", points, lambda point: point.green)),
        ("Flake rate, with 95 % interval", report_svg.trend("Flake rate", points, lambda point: point.flake)),
        ("Unexplained, with 95 % interval", report_svg.trend("Unexplained", points, lambda point: point.unknown)),
    )
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            r=report,
            w=report_words,
            svg=report_svg,
            tones={word.value: _tone(word) for word in _WORDS},
            contents=_CONTENTS,
            trends=trends,
            families=families,
            more_families=len({point.family for point in report.losses}) > len(families),
            loss_chart=report_svg.losses(report.losses, [point.first for point in points]),
            most_hours=max((row.hours for row in report.costs), default=0) or 1,
            css=inlined("report.css"),
            js=inlined("report.js"),
        )
    )


def _tone(word: object) -> str:
    for tone, words in (("bad", _BAD), ("warn", _WARN), ("good", _GOOD)):
        if any(word is one for one in words):
            return tone
    return ""


@cache
def _environment() -> Environment:
    made = environment()
    made.filters["slug"] = slug
    return made


def slug(text: str) -> str:
    """An anchor that is the same next week."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unexplained"
