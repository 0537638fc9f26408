"""The result as one HTML file: works offline, light and dark, at 400 pixels, without a script and with a keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment

from triage.model.diagnosis import Cause, VerdictValue
from triage.model.log import Line
from triage.model.patch import GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.model.run import Run
from triage.output import comment_words, words
from triage.output.links import line_url
from triage.output.page import environment, inlined
from triage.output.plain import plain

_TONES = {
    VerdictValue.YOURS: "bad",
    VerdictValue.TRUNK: "warn",
    VerdictValue.FLAKE: "warn",
    VerdictValue.INFRA: "",
    VerdictValue.UNKNOWN: "",
    PatchState.PATCH: "good",
    PatchState.ADVICE: "warn",
    PatchState.IN_PLACE: "",
    PatchState.REFUSED: "",
    GateStatus.OK: "good",
    GateStatus.FAILED: "bad",
    GateStatus.SKIPPED: "",
}
_DIFF_CLASSES = {"+": "add", "-": "cut", "@": "at"}


@dataclass(frozen=True, slots=True)
class CauseCard:
    """One cause with all that the page shows of it."""

    number: int
    group: CauseGroup
    cause: Cause
    failures: tuple[Failure, ...]
    patches: tuple[Patch, ...]
    address: str
    judged: bool
    logs: str


@dataclass(frozen=True, slots=True)
class Part:
    """What failed in one run; without a run, in all that the page shows."""

    run: Run | None
    cards: tuple[CauseCard, ...]
    silent: tuple[Failure, ...]


def render(result: TriageResult) -> str:
    """One self-contained page. All text of logs and repositories is escaped by the template."""
    parts = _parts(result)
    return _environment().get_template("result.html.j2").render(
        result=result,
        cards=[card for part in parts for card in part.cards],
        parts=parts,
        w=words,
        say=comment_words,
        headline=words.headline(result),
        css=inlined("report.css", "result.css"),
        js=inlined("result.js"),
    )  # fmt: skip


def _parts(result: TriageResult) -> tuple[Part, ...]:
    """A part for each run, where no cause is of two; else all as one: nothing is told twice."""
    runs_of = {group.id: {one.run for one in result.failures_of(group)} for group in result.causes}
    runs = dict.fromkeys(run for found in runs_of.values() for run in found)
    runs |= dict.fromkeys(failure.run for failure in result.silent)
    if len(runs) < 2 or any(len(found) > 1 for found in runs_of.values()):
        return (Part(None, _cards(result, result.causes, 1), result.silent),)
    parts: list[Part] = []
    for run in runs:
        groups = [group for group in result.causes if run in runs_of[group.id]]
        first = 1 + sum(len(part.cards) for part in parts)
        silent = tuple(failure for failure in result.silent if failure.run == run)
        parts.append(Part(run, _cards(result, groups, first), silent))
    return tuple(parts)


def _cards(result: TriageResult, groups: Sequence[CauseGroup], first: int) -> tuple[CauseCard, ...]:
    return tuple(_card(number, group, result) for number, group in enumerate(groups, start=first))


def _card(number: int, group: CauseGroup, result: TriageResult) -> CauseCard:
    failures = result.failures_of(group)
    cause = failures[0].cause(group.id)
    return CauseCard(
        number=number,
        group=group,
        cause=cause,
        failures=failures,
        patches=result.patches_of(group),
        address=line_url(failures[0], cause.line),
        judged=words.judged(group, failures),
        logs=words.log_names(failures),
    )


@cache
def _environment() -> Environment:
    made = environment()
    made.filters["tone"] = lambda value: _TONES[value]
    made.filters["around"] = _around
    made.filters["diff"] = _diff
    made.filters["by_status"] = lambda gates, status: [one for one in gates if one.status.value == status]
    return made


def _around(lines: Sequence[Line], at: Line) -> list[tuple[Line, bool]]:
    """The log around a line, and which of them it is."""
    return [(line, line.number == at.number) for line in (lines or (at,))]


def _diff(diff: str) -> list[tuple[str, str]]:
    """Lines of a diff with the class that colours them; the sign at their start says the same without colour."""
    found = []
    for line in diff.rstrip("\n").split("\n"):
        head = line.startswith(("--- ", "+++ "))
        found.append((plain(line), "head" if head else _DIFF_CLASSES.get(line[:1], "")))
    return found
