"""An exception that ended the program, that no signature knows, and whose words point to the code or its settings."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.diagnosis.ending import Ending, Outcome, mild
from triage.diagnosis.ranking import cause_id
from triage.diagnosis.refusals import About, about, kind_of
from triage.diagnosis.shapes import is_hollow
from triage.model.diagnosis import Cause, Unexplained
from triage.model.log import Confidence, LogReading, Traceback
from triage.model.signature import Catalogue

# The signature that stands for each kind of thing that such an exception is about.
_STANDS_FOR = {
    About.CODE: "python-code-error",
    About.SETTINGS: "settings-refused",
    About.HARDWARE: "feature-not-on-this-gpu",
}
_FAILED_TEST = "pytest-test-failed"
# What reports a file that is not there, and no file that a program is made of.
_OF_FILES = frozenset({"FileNotFoundError", "NotADirectoryError"})
_FILE_MISSING = "data-file-missing"
_PATH = re.compile(r"(?:^|[\s:'\"])(?P<path>(?:[\w.~-]{0,80}/)(?:[\w.~-]{1,80}/){0,20}[\w.-]{0,80})['\"]?\.?$")
_OF_PROGRAMS = re.compile(r"\.(?:py|sh|so|ya?ml|toml|cfg|ini|lock|in|cu|cpp|h|js|ts)(?:\.\d+)*$|/bin/")
# A client of HTTP that waited in vain says no more than that.
_CLIENT = re.compile(r"-packages/(?:aiohttp|httpx|httpcore|urllib3|requests|aiobotocore)/")
_NO_ANSWER = "connection-failed"
_WHY = "an exception that no signature knows ended the program"


def uncaught(
    unexplained: Unexplained | None, reading: LogReading, outcome: Outcome, catalogue: Catalogue
) -> tuple[Cause, ...]:
    """The cause that it is, with low confidence; none where the best line is no such exception."""
    if unexplained is None or outcome.ending is not Ending.FAILED:
        return ()
    line = unexplained.line
    ended = next((t for t in reading.tracebacks if t.telling.number == line.number), None)
    if ended is None or ended.ignored or mild(ended.error) or is_hollow(ended.error):
        return ()
    tested = any(hit.probe == "pytest_section" for hit in reading.probed)
    named, said = _named(ended, tested)
    signature = catalogue.signatures.get(named)
    if signature is None:
        return ()
    captures = {name: text for name, text in said.items() if text}
    cause = Cause.of(signature, line, _WHY, Confidence.LOW, captures)
    return (replace(cause, id=cause_id(signature.id, tuple(captures.items()))),)


def _named(ended: Traceback, tested: bool) -> tuple[str, dict[str, str]]:
    """The signature that stands for its kind, and what the exception says; no signature for those that report what
    lies around the code."""
    if subject := _STANDS_FOR.get(about(ended)):
        said = {"error": kind_of(ended), "message": ended.message}
        return (_FAILED_TEST if _in_a_report(ended, tested) else subject), said
    if kind_of(ended) == "TimeoutError" and not ended.message and any(_CLIENT.search(f.path) for f in ended.frames):
        return _NO_ANSWER, {"detail": "TimeoutError"}
    if kind_of(ended) in _OF_FILES and not _in_a_report(ended, tested):
        found = _PATH.search(ended.message[-1000:])
        if found and not _OF_PROGRAMS.search(found["path"]):
            return _FILE_MISSING, {"path": found["path"]}
    return "", {}


def _in_a_report(traceback: Traceback, tested: bool) -> bool:
    """Whether pytest shows it: the error itself is the first line, and the place of the failure follows it.

    `tested`: the log holds a report of pytest, which may show the place far below.
    """
    return traceback.first == traceback.error.number and (tested or bool(traceback.frames))
