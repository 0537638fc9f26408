"""Which step a line belongs to: marks in the text, fitted to the steps that the API lists where it does.

The API gives whole seconds and the displayed names; the log gives `##[group]Run <first line>`, also for the steps
inside composite actions. So a step that ran takes the first mark after the step before that fits by name, or by time
to a second; the others stay inside. Where nothing fits, the step is unknown, which is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from triage.model.log import COMPLETE, SETUP, Confidence, StepSpan
from triage.model.run import Step

POST = "Post "
_SLACK = timedelta(seconds=1.5)
_PRINTED_NOTHING = frozenset({"skipped", None})


@dataclass(frozen=True, slots=True)
class Mark:
    """`title` is "Run ..." for a header, SETUP, COMPLETE, or POST for any post step. `failed`: it ended non-zero."""

    line: int
    time: datetime | None
    title: str
    failed: bool = False


def spans(marks: Sequence[Mark], steps: Sequence[Step], last_line: int) -> tuple[StepSpan, ...]:
    """The steps in order of their lines, the last one up to `last_line`."""
    fitted = _fit(marks, [step for step in steps if step.conclusion not in _PRINTED_NOTHING]) if steps else []
    if not fitted:
        fitted = [(mark, None, Confidence.MEDIUM) for mark in marks]
    ends = [*(mark.line for mark, _, _ in fitted), last_line + 1][1:]
    return tuple(
        _span(mark, step, confidence, end - 1)
        for (mark, step, confidence), end in zip(fitted, ends, strict=True)
        if end > mark.line
    )


def _span(mark: Mark, step: Step | None, confidence: Confidence, last: int) -> StepSpan:
    if step is None:
        title = "Post job cleanup" if mark.title == POST else mark.title
        return StepSpan(0, title, mark.line, last, "failure" if mark.failed else None, confidence)
    return StepSpan(step.number, step.name, mark.line, last, step.conclusion, confidence)


def _fit(marks: Sequence[Mark], steps: Sequence[Step]) -> list[tuple[Mark, Step | None, Confidence]]:
    """In the order of the steps; every step moves on in the text, so one wrong guess cannot swallow a later step."""
    fitted: list[tuple[Mark, Step | None, Confidence]] = []
    at = 0
    for index, step in enumerate(steps):
        found = _find(marks, at, step, steps[index + 1 :])
        if found is not None:
            position, confidence = found
            fitted.append((marks[position], step, confidence))
            at = position + 1
    return fitted


def _find(marks: Sequence[Mark], at: int, step: Step, later: Sequence[Step]) -> tuple[int, Confidence] | None:
    named = next((i for i in range(at, len(marks)) if same_name(marks[i].title, step.name)), None)
    timed = next((i for i in range(at, len(marks)) if _same_time(marks[i], step)), None)
    if named is not None and (timed is None or _same_time(marks[named], step)):
        return named, Confidence.HIGH
    if timed is not None:
        # Several marks in this second: the next step may own all but the first.
        alone = sum(_same_time(mark, step) for mark in marks[at:]) == 1
        claimed = any(same_name(marks[timed].title, other.name) for other in later)
        return None if claimed else (timed, Confidence.HIGH if alone else Confidence.MEDIUM)
    return (named, Confidence.LOW) if named is not None else None


def same_name(title: str, name: str) -> bool:
    """Whether a mark's title is a step's displayed name, which the API may have cut."""
    if title == POST:
        return name.startswith(POST)
    return title == name or (len(name) > 40 and title.startswith(name.rstrip(".…")))


def _same_time(mark: Mark, step: Step) -> bool:
    if mark.time is None or step.started_at is None or mark.title in (SETUP, COMPLETE):
        return False
    if (mark.title == POST) != step.name.startswith(POST):
        return False
    return abs(mark.time - step.started_at.astimezone(mark.time.tzinfo)) <= _SLACK
