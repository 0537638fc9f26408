"""The result as one HTML file: works offline, light and dark, at 400 pixels, without a script and with a keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from triage.model.diagnosis import Cause, VerdictValue
from triage.model.log import Line
from triage.model.patch import GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import comment_words, words
from triage.output.links import line_url, linkable
from triage.output.plain import plain, shorten

_FOLDER = Path(__file__).parent / "templates"
_WIDEST = 2000
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


def render(result: TriageResult) -> str:
    """One self-contained page. All text of logs and repositories is escaped by the template."""
    by_id = {failure.id: failure for failure in result.failures}
    patches = {patch.id: patch for patch in result.patches}
    cards = [
        _card(number, group, [by_id[one] for one in group.failures], [patches[one] for one in group.fixes])
        for number, group in enumerate(result.causes, start=1)
    ]
    return _environment().get_template("result.html.j2").render(
        result=result,
        cards=cards,
        silent=[failure for failure in result.failures if not failure.diagnosis.causes],
        w=words,
        say=comment_words,
        headline=words.headline(result),
        css=Markup("".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("report.css", "result.css"))),
        js=Markup((_FOLDER / "result.js").read_text(encoding="utf-8")),
    )  # fmt: skip


def _card(number: int, group: CauseGroup, failures: Sequence[Failure], patches: Sequence[Patch]) -> CauseCard:
    cause = next(one for one in failures[0].diagnosis.causes if one.id == group.id)
    return CauseCard(number, group, cause, tuple(failures), tuple(patches), line_url(failures[0], cause.line))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: shorten(plain(str(text).replace("\n", " ")), _WIDEST)
    environment.filters["linkable"] = linkable
    environment.filters["tone"] = lambda value: _TONES[value]
    environment.filters["around"] = _around
    environment.filters["diff"] = _diff
    environment.filters["by_status"] = lambda gates, status: [one for one in gates if one.status.value == status]
    return environment


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
