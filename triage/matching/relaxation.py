"""Makes a pattern that finds, in a block of visible lines, every line whose text the original pattern matches.

A line's text is a part of its visible line. So `^` and `\\A` become all that can stand before a text, and what stands
after it is unknown: `$`, `\\z` and `\\B` are taken out. RE2 has no negative assertion, so taking one out only lets more
through; the exact pattern decides afterwards. Counted repeats lose their bounds: side by side in one automaton they
would multiply its states. Newlines never match: the options say so (`never_nl`).
"""

from __future__ import annotations

import re

_NOTHING = "(?:)"
# What can stand before a text: a line's start, or the end of a stamp, a prefix, a column, a bar.
_START = r"(?:(?m:^)|[ \t\]:)])"
_IN_BLOCK = {"^": _START, "\\A": _START, "$": _NOTHING, "\\z": _NOTHING, "\\B": _NOTHING}
_REPEAT = re.compile(r"\{(\d{1,4})(?:,\d{0,4})?\}")


def relax(pattern: str) -> str:
    relaxed, at, in_class = [], 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            pair = pattern[at : at + 2]
            if pair == "\\Q":
                end = pattern.find("\\E", at)
                end = len(pattern) if end < 0 else end + 2
                relaxed.append(pattern[at:end])
                at = end
                continue
            relaxed.append(_IN_BLOCK.get(pair, pair) if not in_class else pair)
            at += 2
            continue
        if in_class:
            at, taken = _class_end(pattern, at)
            relaxed.append(taken)
            in_class = False
            continue
        if char == "{" and (repeat := _REPEAT.match(pattern, at)):
            relaxed.append("+" if int(repeat[1]) else "*")
            at = repeat.end()
            continue
        in_class = char == "["
        relaxed.append(_IN_BLOCK.get(char, char))
        at += 1
    return "".join(relaxed)


def _class_end(pattern: str, start: int) -> tuple[int, str]:
    """The rest of a character class whose `[` stands before `start`: `]` is literal at its start, `[:alpha:]` nests."""
    at = start + 1 if pattern[start] == "^" else start
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        if pattern.startswith("[:", at) and (end := pattern.find(":]", at)) >= 0:
            at = end + 2
        else:
            at += 2 if pattern[at] == "\\" else 1
    return at + 1, pattern[start : at + 1]
