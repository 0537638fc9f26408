"""Ranks: the one a stream names, and the ones that torchrun's summary says failed."""

from __future__ import annotations

import re
from datetime import datetime

from triage.logs.lines import Seen
from triage.model.log import FailedRank

_IN_STREAM = re.compile(r"\b(?:rank=?|default|[TD]P)(\d{1,6})\b|_[TD]P(\d{1,6})\b")
_FIELD = re.compile(r"\s{0,8}(time|host|rank|exitcode|traceback)\s{0,8}: (.{0,300})")
_NUMBERS = re.compile(r"-?\d{1,10}")
_END = re.compile(r"={20,}\s*$")
_MOST = 4096
_MOST_LINES = 8 * _MOST


def rank_of(stream: str) -> int | None:
    """The rank that a stream's name holds; None where it holds none."""
    found = _IN_STREAM.search(stream)
    return int(found[1] or found[2]) if found else None


class RankSummary:
    """Reads the block that `ChildFailedError` prints: `Failures:`, entries, `Root Cause (first observed failure):`."""

    def __init__(self) -> None:
        self.found: list[FailedRank] = []
        self._since = 0
        self._in_root = False
        self._entry: dict[str, str] = {}

    @property
    def attentive(self) -> bool:
        return self._since > 0

    def see(self, seen: Seen) -> None:
        text = seen.text
        if "ChildFailedError" in text and not self._since:
            self._since = seen.number
        elif "Root Cause (first observed failure)" in text:
            self._since, self._in_root = self._since or seen.number, True
        elif self._since and (field := _FIELD.match(text)):
            self._entry[field[1]] = field[2]
            if field[1] == "exitcode":
                self._finish(seen.number)
        elif self._since and ((self._in_root and _END.match(text)) or seen.number - self._since > _MOST_LINES):
            self._since, self._in_root = 0, False

    def _finish(self, number: int) -> None:
        entry, self._entry = self._entry, {}
        ranks, codes = _NUMBERS.findall(entry.get("rank", "")), _NUMBERS.findall(entry["exitcode"])
        if ranks and codes and len(self.found) < _MOST:
            host, pid = entry.get("host", "").strip(), int(codes[1]) if len(codes) > 1 else 0
            self.found.append(
                FailedRank(int(ranks[0]), int(codes[0]), self._in_root, host, pid, _time(entry.get("time", "")), number)
            )


def _time(text: str) -> datetime | None:
    """The process's own clock, without a zone."""
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d_%H:%M:%S")
    except ValueError:
        return None
