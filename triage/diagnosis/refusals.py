"""What an exception that no signature knows is about: the code, its settings, the machine, or something else."""

from __future__ import annotations

import re
from enum import StrEnum

from triage.diagnosis.wordings import is_internal, of_tensors, refuses, refuses_clearly
from triage.model.log import Traceback


class About(StrEnum):
    CODE = "code"
    SETTINGS = "settings"  # what the program was asked for
    HARDWARE = "hardware"  # what this GPU cannot do
    ELSEWHERE = "elsewhere"  # what lies around the code, or nothing tells


# Those that code raises for values that it did not expect. Others (OSError, TimeoutError, ImportError and their like)
# report what lies around it.
_KINDS = frozenset(
    {
        "ArithmeticError", "AssertionError", "BufferError", "Exception", "FloatingPointError", "JSONDecodeError",
        "LookupError", "NotImplementedError", "OverflowError", "RuntimeError", "StopIteration", "UnicodeDecodeError",
        "UnicodeEncodeError", "ValueError",
    }
)  # fmt: skip
# A project's own classes are named after what they report.
_OWN_KIND = re.compile(r"[A-Z]\w{2,80}(?:Error|Exception|Failed|Failure|Invalid)")
_OF_OTHERS = re.compile(
    r"(?i)time_?d?_?out|connect|network|http|socket|ssl|client|server|response|request|auth|permission|denied|memory|oom"
    r"|import|module|not_?found|missing|^os|^io|operational|database|sql|rpc|zmq|actor|worker|dead|task|cancel|process"
    r"|build|compil|install|version|depend|cuda|hip|triton|device|interrupt|exit|signal|abort|retry|rate|quota|disk|file"
    r"|resource|docker|git|api|boto|storage|download|accelerator|xla|nccl|dist|inductor|dynamo|backend|engine|runtime"
    r"|group|transfer|payload|encoding|protocol|stream|chunk|key|type|attribute|name|index|warning|hub|repo|access|stop"
)
# What pydantic holds against an answer or a record is no setting.
_OF_ANSWERS = re.compile(r"\bvalidation errors? for (?!\w*(?i:config|arg|setting|option|param|spec))")
_OF_SETTINGS = re.compile(r"(?i)config|setting|argument|option|usage|parameter|^validation")
# What the message is about where it is about something else: memory, other processes, the network, files, rights.
_AROUND = re.compile(
    r"(?i)\bout of (?:\w+ )?memory|\bnot enough memory|\bmemory (?:allocation|access|fault|error)|\boom\b|\ballocate"
    r"|\bfetch|\btime(?:d )?-?out|\btimed out|\bconnecti|\bsocket|\bnetwork|\bhttps?\b(?!://)|\bdied\b|\bkilled\b"
    r"|\bdead\b|\bdisk\b|\bspace left|\bquota|\bpermission|\bdenied|\bforbidden|\bnot installed|\bpip install"
    r"|\bunauthori[sz]ed|\bcredential|\bapi[ _-]?key|\.so\b|\bno such\b|\bdownload|\bnan\b"
    r"|\btolerance|\bclose\b|\bthroughput|\blatency|\btokens?/s|\bfailed to (?:start|launch|initiali[sz]e)"
    r"|\b(?:cuda|hip|nccl|rccl|hccl|cublas|cudnn|driver|internal|runtime|triton|gloo|mpi) (?:driver )?error"
    r"|\bfailed with\b|\berror code|\bworker failed\b|\b(?:install|upgrade)\b"
)
# Words of the same things, which a message that clearly refuses a setting or finds a fault of the code may hold too.
_PERHAPS_AROUND = re.compile(
    r"(?i)\bmemory|\bexit|\bsubprocess|\bchild|\binstall|\bupgrade|\bpackage|\blibrar|\bnot found\b|\bhttps?\b"
    r"|\bdoes(?: not|n't) exist|\bcould not find|\bcannot find|\bhub\b|\binf\b"
)
# Hardware, other processes and packages: an error of the code may speak of them, and so may their own errors.
_NEAR = re.compile(
    r"(?i)\b(?:cuda|cudnn|cublas|cutlass|hip|rocm|npu|xpu|tpu|gpus?|devices?|drivers?|kernels?|triton|nvcc|nccl|rccl|hccl"
    r"|gloo|mpi)|\bport\b|\bserver\b|\bengine\b|\bworkers?\b|\bactors?\b|\bversion|\bimport|\bcheckpoint"
    r"|\bbuild|\bcompil|\bbackend|\bconfig|\bsettings?\b|\bargument|\boptions?\b|\bflag\b|--\w|\bsupport"
    r"|\bparallel|\bworld[ _]size|\bconnect"
)
_CHIP = (
    r"(?:\bsm[ _-]?\d{2,3}\w{0,2}\b|\bSM ?\d{1,3}(?:\.\d|x\b)|\b(?:compute|device|cuda) capabilit|\bhopper\b"
    r"|\bblackwell\b|\bampere\b|\bturing\b|\bgfx\d{2,4}|\bMI\d{3}\w?\b|\bcdna ?\d\b|\brdna ?\d\b"
    r"|\b[ABH][12]00\b|\b(?:gpu|cuda) arch)"
)
_DEMAND = r"(?:\brequires?\b|\bneeds?\b|\bonly\b|\bsupport|\bunsupported\b|\bminimum\b|\bat least\b|\bnot available\b)"
_HARDWARE = re.compile(rf"(?i){_DEMAND}[^\n]{{0,100}}{_CHIP}|{_CHIP}[^\n]{{0,100}}{_DEMAND}")
# Files and functions in which programs look their settings over.
_CHECKER = re.compile(
    r"(?:^|[/_])(?:config\w{0,30}|\w{0,30}_config|arg_utils|args|\w{1,30}_args|arguments|argparse_\w{1,30}|server_args|settings)"
    r"\.py$|/configs?/"
)
_CHECKS = re.compile(
    r"__post_init__|_{0,2}(?:verify|validate|check)_\w{0,60}|_{0,2}\w{0,40}_(?:config|args|arguments|settings|options)"
)
# What a run came to is no setting, though a function looks it over.
_RESULTS = re.compile(
    r"(?i)result|output|accura|loss|equal|close|logprob|correct|grad|answer|response|score|metric|text|sum|match|reward"
    r"|converge|numeric|content|state|health|status|alive"
)
_READ = 2000
# Folders and files of source, and pages to read, are named by words that say nothing of what went wrong.
_PLACE = re.compile(r"https?://\S{1,300}|[^\s'\"(]{0,200}/[\w./-]{1,200}\.(?:py|pyx|c|cc|cpp|cxx|cu|cuh|h|hpp|rs|go)\b")


def about(traceback: Traceback) -> About:
    """By the exception's class, its words, and the function that raised it."""
    kind, message = kind_of(traceback), _PLACE.sub("", traceback.message[:_READ])
    settings = _OF_SETTINGS.search(kind) is not None and "Request" not in message and not _OF_ANSWERS.search(message)
    own = _OWN_KIND.fullmatch(kind) is not None and not _OF_OTHERS.search(kind)
    if traceback.wraps or not (kind in _KINDS or settings or own):
        return About.ELSEWHERE
    if is_internal(message):
        return About.CODE
    if _AROUND.search(message) or (_PERHAPS_AROUND.search(message) and not refuses_clearly(message)):
        return About.ELSEWHERE
    if _HARDWARE.search(message):
        return About.HARDWARE
    if settings or _is_checked(traceback, kind) or refuses(message):
        return About.SETTINGS
    internal = kind == "AssertionError" or not _NEAR.search(message) or of_tensors(message)
    return About.CODE if internal else About.ELSEWHERE


def kind_of(traceback: Traceback) -> str:
    return traceback.error_type.rpartition(".")[2]


def _is_checked(traceback: Traceback, kind: str) -> bool:
    """Whether the function that raised it is one that looks settings over."""
    if not traceback.frames or kind not in ("ValueError", "AssertionError", "NotImplementedError"):
        return False
    last = traceback.frames[-1]
    named = _CHECKS.fullmatch(last.function) and not _RESULTS.search(last.function)
    checks = _CHECKER.search(last.path) or named
    return bool(checks) and not of_tensors(traceback.message[:_READ])
