"""Makes a pattern that finds, in a block of visible lines, every line whose text the original pattern matches.

A line's text is a part of its visible line. So `^` and `\\A` become all that can stand before a text, and what stands
after it is unknown: `$`, `\\z` and `\\B` are taken out. RE2 has no negative assertion, so taking one out only lets more
through; the exact pattern decides afterwards. Counted repeats lose their bounds: side by side in one automaton they
would multiply its states. Newlines never match: the options say so (`never_nl`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NOTHING = "(?:)"
# What can stand before a text: a line's start, or the end of a stamp, a prefix, a column, a bar.
_START = r"(?:(?m:^)|[ \t\]:)])"
_IN_BLOCK = {"^": _START, "\\A": _START, "$": _NOTHING, "\\z": _NOTHING, "\\B": _NOTHING}
_REPEAT = re.compile(r"\{(\d{1,4})(?:,(\d{0,4}))?\}")


# Unrolling a repeat of few costs little, and keeps the literal texts in it.
_FEW = 15
# Of a literal text of more letters, so many are kept: enough to be rare.
_LONG, _KEPT = 20, 16
_OPENING = re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z-]*[:)])")
# RE2 accepts whatever unrolls to less; above it, it is asked.
_SURELY_FITS = 2000


def relax(pattern: str) -> str:
    return _rewritten(pattern, _IN_BLOCK, 0)


def unbounded(pattern: str) -> str:
    """Matches all that the pattern matches, and compiles six times as fast: repeats of many lose their bounds.

    The pattern itself where RE2 might not accept it: repeats of groups multiply those inside.
    """
    bounds = [int(bound) for repeat in _REPEAT.finditer(pattern) for bound in repeat[0].strip("{}").split(",") if bound]
    if "){" in pattern or sum(bounds) > _SURELY_FITS or max(bounds, default=0) <= _FEW:
        return pattern
    return _rewritten(pattern, {}, _FEW)


def shortened(pattern: str) -> str:
    """Matches all that the pattern matches, and asks for the end of each long literal text only.

    What the automaton of required texts can hold is counted in their letters.
    """
    parts: list[str] = []
    run: list[str] = []
    at = 0
    while at < len(pattern):
        taken, literal = _token(pattern, at)
        at += len(taken)
        if literal:
            run.append(taken)
            continue
        # A quantifier takes the last letter with it.
        kept = run[-1:] if taken[0] in "*+?{" else []
        parts += [*_ending(run[: len(run) - len(kept)]), *kept, taken]
        run = []
    return "".join([*parts, *_ending(run)])


def _ending(run: list[str]) -> list[str]:
    return [".*", *run[-_KEPT:]] if len(run) > _LONG else run


def _token(pattern: str, at: int) -> tuple[str, bool]:
    """The next token, and whether it is one letter that stands for itself."""
    char = pattern[at]
    if char == "\\":
        pair = pattern[at : at + 2]
        if pair == "\\Q" or pattern.startswith("\\x{", at):
            closing = "\\E" if pair == "\\Q" else "}"
            end = pattern.find(closing, at)
            return pattern[at : len(pattern) if end < 0 else end + len(closing)], False
        return pair, len(pair) == 2 and not pair[1].isalnum()
    if char == "[":
        end, _ = _class_end(pattern, at + 1)
        return pattern[at:end], False
    if char == "(" and (opening := _OPENING.match(pattern, at)):
        return opening[0], False
    if char == "{" and (repeat := _REPEAT.match(pattern, at)):
        return repeat[0], False
    return char, char not in "(){}|*+?^$."


def _rewritten(pattern: str, replaced: Mapping[str, str], few: int) -> str:
    """With syntax replaced by character, and repeats without their bounds where one is above `few`."""
    relaxed, at, in_class = [], 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            pair = pattern[at : at + 2]
            if pair == "\\Q" or pattern.startswith("\\x{", at):
                closing = "\\E" if pair == "\\Q" else "}"
                end = pattern.find(closing, at)
                end = len(pattern) if end < 0 else end + len(closing)
                relaxed.append(pattern[at:end])
                at = end
                continue
            relaxed.append(replaced.get(pair, pair) if not in_class else pair)
            at += 2
            continue
        if in_class:
            at, taken = _class_end(pattern, at)
            relaxed.append(taken)
            in_class = False
            continue
        if char == "{" and (repeat := _REPEAT.match(pattern, at)):
            if int(repeat[2] or repeat[1]) > few or not few:
                relaxed.append("+" if int(repeat[1]) else "*")
            else:
                relaxed.append(repeat[0])
            at = repeat.end()
            continue
        in_class = char == "["
        relaxed.append(replaced.get(char, char))
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
