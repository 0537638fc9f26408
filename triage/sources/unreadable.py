"""An input that cannot be read is a value that says why; the other inputs go on."""

from __future__ import annotations

from dataclasses import dataclass

from triage.errors import ExitCode
from triage.logs.encoding import sniff_utf16

SNIFFED = 8192
ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
GZIPPED = b"\x1f\x8b"
_UNTEXTUAL = bytes({*range(32)} - {8, 9, 10, 12, 13, 27})
_MOST_UNTEXTUAL = 0.3
# Below this share of control characters, bytes that are no UTF-8 are some other encoding of text.
_FEW_CONTROLS = 0.02


@dataclass(frozen=True, slots=True)
class UnreadableLog:
    """One line for the person: what is wrong with the input called `name`, and what to do."""

    name: str
    message: str
    remedy: str = ""
    code: ExitCode = ExitCode.USAGE


def no_log(name: str, start: bytes) -> UnreadableLog | None:
    """Why an input that starts so is no log: empty, compressed (once more), not text. None when it may be one."""
    if not start:
        return UnreadableLog(name, f"{name}: is empty.", code=ExitCode.NOTHING_TO_TRIAGE)
    if start.startswith((*ZIPPED, GZIPPED)):
        return UnreadableLog(name, f"{name}: is compressed.", "Unpack it, and give the zip or .gz file itself.")
    if _is_binary(start) and not sniff_utf16(start):
        return UnreadableLog(name, f"{name}: is not text.", "Give the raw log of a job.")
    return None


def _is_binary(start: bytes) -> bool:
    controls = len(start) - len(start.translate(None, _UNTEXTUAL))
    wrong = start.decode("utf-8", "replace").count("\ufffd") if controls > _FEW_CONTROLS * len(start) else 0
    return controls + wrong > _MOST_UNTEXTUAL * len(start)
