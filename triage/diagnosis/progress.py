"""How far the work had come when its time was over, and whether it still went on, by the lines before the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from triage.diagnosis.settings import Context
from triage.model.diagnosis import Progress
from triage.model.log import Line

_LINES = 80
# "Step 180/500", "iteration 40 of 200", "epoch 3 step: 12/400"; "Training Progress:  14%|#4  | 10/7000 [31:50<...".
_STEP = re.compile(r"(?i)\b(?:step|iter|iteration|global[_ ]step)s?:? {0,8}([0-9]{1,8}) ?(?:/|of) ?([0-9]{1,8})\b")
_BAR = re.compile(r"(?i)\b(?:train|step)[^|\n]{0,40}\|[^|\n]{0,80}\| ?([0-9]{1,8})/([0-9]{1,8}) \[")
# What is printed in the last minute is the end itself: the runner's words, a last flush of buffers.
_END = timedelta(minutes=1)
# Quiet for this part of the job, and at least this many minutes, work does not go on.
_QUIET_PART, _QUIET_LEAST = 0.5, 10.0
_WAITS = re.compile(r"(?i)\b(?:still |is )?waiting (?:for|on|until)\b|\bheartbeat\b|\bkeep-?alive\b")
# Where more than this part of the time that it took is still missing, half as much again does not lead to the end.
_MUCH = 0.5
# What a limit says that ended the work, and how long GitHub lets a job run where the workflow sets none.
_LIMIT = re.compile(
    r"(?i)\btimed out after \d+ (?:minutes|seconds)|maximum execution time of \w+|\bTimeout \(?>|code:? 124\b"
)
# The end of a test that failed for another reason than its time, in the words of pytest.
_FAILED = re.compile(
    r"^(?:FAILED|ERROR)$|^(?:FAILED|ERROR) \S+::\S|::\S.{0,200} (?:FAILED|ERROR)\b|^E  +\w*(?:Error|Exception)\b"
)
_OF_A_TEST = re.compile(r"(?i)\bTimeout \(?>|\+{5,} timeout")
_COMPILING = re.compile(
    r"Building (?:wheel|editable) for (?P<package>[\w.-]{1,80}) \([\w.]+\): (?:started|still running)"
)
# What the runner says around the end itself.
_ENDING = re.compile(r"The operation was canceled|has exceeded the maximum execution time|\btimed out after\b")
_OF_GITHUB = re.compile(r"(?i)\b(?:360 minutes|6h0m0s|6 hours)\b")


def before_the_end(evidence: Line, context: Context) -> tuple[Line, ...]:
    return tuple(line for line in context(evidence, _LINES, 0) if line.number < evidence.number)


def progress_of(lines: Sequence[Line]) -> Progress | None:
    """Of the last line that shows it; None when none does. The speed is that of the lines before it."""
    shown = [(line, found) for line in lines if (found := _BAR.search(line.text) or _STEP.search(line.text))]
    counts = [(line, int(found[1]), int(found[2])) for line, found in shown]
    counts = [each for each in counts if 0 < each[1] <= each[2]]
    if not counts:
        return None
    last, done, total = counts[-1]
    before = [each for each in counts if each[2] == total and each[1] < done and each[0].time is not None]
    if last.time is None or not before or before[0][0].time is None:
        return Progress(done, total)
    each = (last.time - before[0][0].time).total_seconds() / 60 / (done - before[0][1])
    return Progress(done, total, each * (total - done))


def time_signs(evidence: Line, lines: Sequence[Line], progress: Progress | None, minutes: float) -> dict[str, str]:
    """ "silent", "little-done", "failed-before" and "compiling", each with the sentence that says why; "own-limit"."""
    signs = {}
    if _LIMIT.search(evidence.text) and not _OF_GITHUB.search(evidence.text):
        signs["own-limit"] = ""
    if progress is not None and _much_is_missing(progress, minutes):
        signs["little-done"] = f"{progress.done} of {progress.total} steps were done"
    quiet = _quiet(evidence, lines)
    if quiet >= max(_QUIET_LEAST, _QUIET_PART * minutes):
        signs["silent"] = f"nothing was printed for {quiet:.0f} minutes before the end"
    failed = next((line for line in lines if _FAILED.search(line.text.strip())), None)
    if failed is not None and not _OF_A_TEST.search(evidence.text):
        signs["failed-before"] = f"line {failed.number} shows a test that failed before the time was over"
    if package := _compiled(lines):
        signs["compiling"] = f"the time was over while {package} was compiled from its sources"
    return signs


def _compiled(lines: Sequence[Line]) -> str:
    """What pip was compiling in the last line before the end; "" for nothing."""
    said = [line.text for line in lines if line.text.strip() and not _ENDING.search(line.text)]
    found = _COMPILING.search(said[-1]) if said else None
    return found["package"] if found is not None else ""


def _much_is_missing(progress: Progress, minutes: float) -> bool:
    """Where one line alone shows the steps, the training may have begun late: only a log without stamps is taken to be
    of nothing but the training."""
    if minutes:
        return progress.left > _MUCH * minutes
    return progress.total - progress.done > _MUCH * progress.done


def _quiet(evidence: Line, lines: Sequence[Line]) -> float:
    """Minutes from the last line of the work to the end, but for lines that only say that something is waited for; 0
    where the log has no stamps."""
    if evidence.time is None:
        return 0.0
    ended = evidence.time - _END
    working = [
        line.time for line in lines if line.time is not None and line.time < ended and not _WAITS.search(line.text)
    ]
    return (evidence.time - max(working)).total_seconds() / 60 if working else 0.0
