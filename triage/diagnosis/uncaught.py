"""An exception that ended the program, that no signature knows, and whose words point nowhere but to the code."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.diagnosis.ending import Ending, Outcome, mild
from triage.diagnosis.ranking import cause_id
from triage.diagnosis.shapes import is_hollow
from triage.model.diagnosis import Cause, Unexplained
from triage.model.log import Confidence, LogReading, Traceback
from triage.model.signature import Catalogue

_CODE_ERROR = "python-code-error"
_FAILED_TEST = "pytest-test-failed"
# Those that code raises for values that it did not expect. Others (OSError, TimeoutError, ImportError and their like)
# report what lies around it.
_KINDS = frozenset(
    {
        "ArithmeticError", "AssertionError", "BufferError", "Exception", "FloatingPointError", "JSONDecodeError",
        "LookupError", "OverflowError", "RuntimeError", "StopIteration", "UnicodeDecodeError", "UnicodeEncodeError",
        "ValueError",
    }
)  # fmt: skip
# What reports a file that is not there, and no file that a program is made of.
_OF_FILES = frozenset({"FileNotFoundError", "NotADirectoryError"})
_FILE_MISSING = "data-file-missing"
_PATH = re.compile(r"(?:^|[\s:'\"])(?P<path>(?:[\w.~-]{0,80}/)(?:[\w.~-]{1,80}/){0,20}[\w.-]{0,80})['\"]?\.?$")
_OF_PROGRAMS = re.compile(r"\.(?:py|sh|so|ya?ml|toml|cfg|ini|lock|in|cu|cpp|h|js|ts)(?:\.\d+)*$|/bin/")
_WHY = "an exception that no signature knows ended the program"
# What the message is about where it is about something else: hardware, memory, other processes, the network, files,
# packages, rights, settings.
_ELSEWHERE = re.compile(
    r"(?i)\bmemory|\boom\b|\b(?:cuda|cudnn|cublas|cutlass|hip|rocm|npu|xpu|tpu|gpus?|devices?|drivers?|kernels?|triton"
    r"|nvcc|nccl|rccl|hccl|gloo|mpi)|\btime(?:d )?-?out|\btimed out|\bconnect|\bsocket|\bnetwork|\bhttps?\b|\bport\b"
    r"|\bserver\b|\bengine\b|\bworkers?\b|\bactors?\b|\bdied\b|\bkilled\b|\bdead\b|\bexit|\bsubprocess|\bchild"
    r"|\bdisk\b|\bspace left|\bquota|\bpermission|\bdenied|\bforbidden|\bunauthori[sz]ed|\bcredential|\bapi[ _-]?key"
    r"|\bversion|\binstall|\brequires?\b|\bupgrade|\bpackage|\bimport|\blibrar|\.so\b|\bno such\b|\bnot found\b"
    r"|\bdoes not exist|\bcould not find|\bcannot find|\bdownload|\bhub\b|\bcheckpoint|\bbuild|\bcompil|\bbackend"
    r"|\bconfig|\bsettings?\b|\bargument|\boptions?\b|\bflag\b|--\w|\bsupport|\bdivisible|\bparallel|\bworld[ _]size"
    r"|\bnan\b|\binf\b|\btolerance|\bclose\b|\bthroughput|\blatency|\btokens?/s"
    r"|\bfailed to (?:start|launch|initiali[sz]e)"
)


def uncaught(
    unexplained: Unexplained | None, reading: LogReading, outcome: Outcome, catalogue: Catalogue
) -> tuple[Cause, ...]:
    """The cause that it is, with low confidence; none where the best line is no such exception."""
    if unexplained is None or outcome.ending is not Ending.FAILED:
        return ()
    line = unexplained.line
    ended = next((t for t in reading.tracebacks if t.error.number == line.number), None)
    if ended is None or ended.ignored or mild(line) or is_hollow(line):
        return ()
    named, said = _named(ended)
    signature = catalogue.signatures.get(named)
    if signature is None:
        return ()
    captures = {name: text for name, text in said.items() if text}
    cause = Cause.of(signature, line, _WHY, Confidence.LOW, captures)
    return (replace(cause, id=cause_id(signature.id, tuple(captures.items()))),)


def _named(ended: Traceback) -> tuple[str, dict[str, str]]:
    """The signature that stands for its kind, and what the exception says; no signature for those that report what
    lies around the code."""
    if _is_of_the_code(ended):
        said = {"error": _kind(ended), "message": ended.message}
        return (_FAILED_TEST if _in_a_report(ended) else _CODE_ERROR), said
    if _kind(ended) in _OF_FILES and not _in_a_report(ended):
        found = _PATH.search(ended.message[-1000:])
        if found and not _OF_PROGRAMS.search(found["path"]):
            return _FILE_MISSING, {"path": found["path"]}
    return "", {}


def _is_of_the_code(traceback: Traceback) -> bool:
    return _kind(traceback) in _KINDS and not traceback.wraps and _ELSEWHERE.search(traceback.message[:2000]) is None


def _in_a_report(traceback: Traceback) -> bool:
    """Whether pytest shows it: the error itself is the first line, and the place of the failure follows it."""
    return traceback.first == traceback.error.number and bool(traceback.frames)


def _kind(traceback: Traceback) -> str:
    return traceback.error_type.rpartition(".")[2]
