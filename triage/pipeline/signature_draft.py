"""Writes the draft of a signature from a log: one line as its condition, and a scrubbed, trimmed sample.

The draft is experimental and honest about what a person still has to say; the sample is proved: what is diagnosed of
the trimmed log is what was diagnosed of the whole one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from triage.catalogue.decoding import examine
from triage.catalogue.lint import DRAFT_TITLE, DRAFT_WHAT
from triage.diagnosis import PROBES, diagnose
from triage.errors import UsageError
from triage.interfaces import LogSource
from triage.logs import window
from triage.matching import Patterns, compile_patterns, scan
from triage.model.diagnosis import JobDiagnosis
from triage.model.log import Line
from triage.model.run import Job
from triage.model.signature import Catalogue
from triage.output.plain import count
from triage.pipeline.samples import MARK, Sample
from triage.pipeline.scrub import scrub
from triage.sources.catalogue import load
from triage.sources.logs import collect

# Lines kept before and after the evidence, tried in this order until the verdict is that of the whole log.
_WINDOWS = ((12, 6), (60, 30), (400, 100))
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z ")
# What loggers and launchers write before a message: the rank, Ray's actor, glog's letter with day and time, a date.
_BEFORE_THE_MESSAGE = re.compile(
    r"(?:\[?rank ?\d+\]?:?\s*|\[?[EWIF]\d{4} [\d:.]+ [\w.]+:\d+\] |\(\w+ pid=\d+[^)]*\)\s+|[EWIF]\d{4} [\d:.]+ +\d+ "
    r"|\[?\d{4}-\d\d-\d\d[ T][\d:,.]+Z?\]?\s+)+"
)
_ANY_JOB = Job(id=0, run_id=0, attempt=1, name="", status="completed", conclusion="failure")


@dataclass(frozen=True, slots=True)
class Written:
    paths: tuple[Path, ...]
    notices: tuple[str, ...]


def draft(signature_id: str, log: Path, line: int, folder: Path) -> Written:
    """Write `<id>.yaml` and `<id>.match.log` into `folder`; `line` 0 takes the line that diagnosis would point at.

    Raises UsageError for an id that is not kebab-case or is taken, a log without the line, or files that are there.
    """
    if not _ID.match(signature_id):
        raise UsageError(f"{signature_id!r} is not kebab-case.", "Use words such as port-in-use.")
    catalogue = load()
    _refuse_taken(signature_id, catalogue)
    targets = (folder / f"{signature_id}.yaml", folder / f"{signature_id}.match.log")
    if existing := [path for path in targets if path.exists()]:
        raise UsageError(f"{existing[0]} is there already.", "Choose another id, or remove the file.")
    source, text = _read(log)
    patterns = compile_patterns(catalogue.signatures.values(), PROBES)
    evidence, verdict, known = _evidence(source, text, line, catalogue, patterns)
    sample, notices = _trimmed(text, evidence, verdict, catalogue, patterns)
    folder.mkdir(parents=True, exist_ok=True)
    shown = scrub(_STAMP.sub("", evidence.text))
    targets[0].write_text(_yaml(signature_id, shown, datetime.now(UTC).date().isoformat()), encoding="utf-8")
    targets[1].write_text(sample, encoding="utf-8")
    faults = [str(finding) for finding in examine(targets[0].read_text(encoding="utf-8"), targets[0].name).findings]
    faults.append(f"{signature_id}.clean.log is missing: a near miss, which must not match though it looks alike")
    return Written(targets, (*known, *notices, *(f"left to do: {fault}" for fault in faults)))


def _refuse_taken(signature_id: str, catalogue: Catalogue) -> None:
    """A signature of one's own wins over the built-in one of the same id: a draft must not do so by accident."""
    if signature_id in catalogue.signatures:
        raise UsageError(
            f"{signature_id} is built in: a signature of the same id would take its place.",
            f"Choose another id; to replace it, begin with `triage signatures show {signature_id}`.",
        )


def _read(log: Path) -> tuple[LogSource, list[str]]:
    found = collect([str(log)], io.BytesIO())[0]
    if not hasattr(found, "open"):
        raise UsageError(f"{log}: {found.message}", found.remedy)
    with found.open() as stream:
        text = stream.read().decode("utf-8", "replace")
    # The line feed at the end of a file begins no further line.
    return found, text.removesuffix("\n").split("\n")


def _evidence(
    source: LogSource, text: Sequence[str], line: int, catalogue: Catalogue, patterns: Patterns
) -> tuple[Line, str, tuple[str, ...]]:
    """The line to write about, what is diagnosed of the whole log now, and a word on a signature that knows it."""
    if line > len(text) or line < 0:
        raise UsageError(f"the log has {count(len(text), 'line')}, not {line}.", "Count raw lines from 1.")
    reading = scan(source, patterns)[0]
    found = diagnose(reading, catalogue, _ANY_JOB)
    verdict = _verdict(found)
    named = next((cause for cause in found.causes if line in (0, cause.line.number)), None)
    known = (f"the catalogue already names this line: {named.signature}",) if named else ()
    if line:
        return _cleaned(source, text, line), verdict, known
    if named:
        return named.line, verdict, known
    if found.unexplained:
        return found.unexplained.line, verdict, ()
    raise UsageError("the log shows no failure.", "Say with --line which line is meant.")


def _cleaned(source: LogSource, text: Sequence[str], number: int) -> Line:
    offset = sum(len(line.encode()) + 1 for line in text[: number - 1])
    line = Line(number, text[number - 1], offset)
    return next((near for near in window(source, line, 0, 0) if near.number == number), line)


def _verdict(found: JobDiagnosis) -> str:
    """What diagnosis says, without line numbers, so that it can be compared after trimming."""
    causes = ", ".join(f"{cause.signature}: {cause.line.text.strip()}" for cause in found.causes)
    return causes or (found.unexplained.line.text.strip() if found.unexplained else "nothing")


def _trimmed(
    text: Sequence[str], evidence: Line, verdict: str, catalogue: Catalogue, patterns: Patterns
) -> tuple[str, tuple[str, ...]]:
    """The smallest window with the verdict of the whole log, scrubbed and marked, and what to say about it."""
    at = evidence.number - 1
    for before, after in (*_WINDOWS, (len(text), len(text))):
        first, last = max(0, at - before), min(len(text), at + after + 1)
        kept = list(text[first:last])
        if _verdict_of(kept, catalogue, patterns) == verdict:
            break
    scrubbed = [scrub(line) for line in kept]
    marked = [f"{MARK}{line}" if first + number == at else line for number, line in enumerate(scrubbed)]
    same = _verdict_of(scrubbed, catalogue, patterns) == scrub(verdict)
    notices = [f"kept lines {first + 1} to {last} of {len(text)}: the verdict is that of the whole log"]
    if not same:
        notices.append("scrubbing changed what is diagnosed of the sample: read it before you commit it")
    return "\n".join(marked).rstrip("\n") + "\n", tuple(notices)


def _verdict_of(lines: Sequence[str], catalogue: Catalogue, patterns: Patterns) -> str:
    reading = scan(Sample("sample", "\n".join(lines).encode()), patterns)[0]
    return _verdict(diagnose(reading, catalogue, _ANY_JOB))


def _yaml(signature_id: str, line: str, today: str) -> str:
    pattern = _pattern(line)
    return f"""\
title: {_quoted(f"{DRAFT_TITLE} ({signature_id})")}
owner: ""
family: ""
category: deterministic
severity: medium
rank: root
status: experimental
added: {today}
match:
  regex: {_quoted(pattern)}
explain:
  what: {_quoted(DRAFT_WHAT)}
  why: ""
  confirm: ""
  not_this: ""
# Where it was seen, such as:
#   - {{issue: "OWNER/NAME#123", role: seen_in}}
references: []
examples:
  match:
    - {_quoted(line)}
  no_match: []
"""


def _pattern(line: str) -> str:
    """The line as RE2 syntax: what differs from run to run (logger's head, numbers, addresses) is not asked for."""
    message = line.strip()
    if before := _BEFORE_THE_MESSAGE.match(message):
        message = message[before.end() :]
    escaped = re.sub(r"[\\.^$*+?()\[\]{}|]", lambda found: f"\\{found.group()}", message[:240])
    escaped = re.sub(r"0x[0-9a-fA-F]+", "0x[0-9a-fA-F]+", escaped)
    return re.sub(r"(?<![\w\\])\d+(?![\w-])", r"\\d+", escaped)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
