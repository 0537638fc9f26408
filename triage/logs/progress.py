"""Progress bars: thousands of refreshes of one line, sometimes with a real error glued to the end."""

from __future__ import annotations

import re

# Only ever applied to the first bytes of a line, by `match`.
_TQDM_COUNT = re.compile(rb"\| *[\d.]{1,15}[kMGT]?/[\d.?]{1,15}[kMGT]?i?B? \[[^\]\n]{1,200}\]")
_PLAIN_BAR = re.compile(
    rb"\s{0,20}(?:[\w ,.:()/+-]{0,80}:\s{1,4})?\d{1,3}%"
    rb"(?:\s{0,4}\(\d{1,12}/\d{1,12}\).{0,60}|\s{0,4}\|?[\s#=>.-]{0,200}\|?)$"
)
_LONGEST_BAR = 600


def after_bar(line: bytes) -> bytes | None:
    """What is glued behind a tqdm bar at the start of the line: b"" for a bare bar, None when there is no bar."""
    percent = line.find(b"%|", 0, _LONGEST_BAR)
    if percent < 1 or not line[percent - 1 : percent].isdigit():
        return None
    close = line.find(b"| ", percent + 2, percent + _LONGEST_BAR)
    counted = _TQDM_COUNT.match(line, close) if close >= 0 else None
    return line[counted.end() :].strip() if counted else None


def is_bar(line: bytes) -> bool:
    """Whether the line holds nothing but a refresh of a bar."""
    if b"%" not in line[:_LONGEST_BAR]:
        return False
    return after_bar(line) == b"" or (len(line) <= _LONGEST_BAR and _PLAIN_BAR.match(line) is not None)
