"""Shell patterns: `*`, `?`, `[...]` against texts and against the names of the tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from triage.fixes.evaluate.values import Piece

SPECIAL = "*?["
# Patterns come from repositories: longer texts are not matched at all.
TEXT_CAP = 4096
REPLACE_CAP = 256

# Whether a character fits; None stands for `*`.
Token = Callable[[str], bool] | None


def is_pattern(pieces: Sequence[Piece]) -> bool:
    """Whether pathname expansion applies: an unquoted `*`, `?`, or `[` with a later `]`."""
    text = "".join(piece.text or "" for piece in pieces if piece.bare)
    return "*" in text or "?" in text or ("[" in text and "]" in text[text.index("[") :])


def glob_of(pieces: Sequence[Piece]) -> str | None:
    """The pattern, quoted characters escaped; None when a part is unknown."""
    parts = []
    for piece in pieces:
        if piece.text is None:
            return None
        parts.append(piece.text if piece.bare else re.sub(r"([*?\[\]\\])", r"\\\1", piece.text))
    return "".join(parts)


@lru_cache(maxsize=2048)
def translate(pattern: str) -> tuple[Token, ...] | None:
    """One token per character, None among them for `*`. None for extended globs and character classes."""
    classes = any(f"[{mark}" in pattern and f"{mark}]" in pattern for mark in ":=") or "[[." in pattern
    if classes or re.search(r"[?*+@!]\(", pattern):
        return None
    tokens: list[Token] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            tokens.append(pattern[at + 1].__eq__)
            at += 2
        elif char == "[" and (end := _bracket_end(pattern, at)) > 0:
            tokens.append(_bracket(pattern[at + 1 : end]))
            at = end + 1
        else:
            tokens.append(None if char == "*" else _anything if char == "?" else char.__eq__)
            at += 1
    return tuple(tokens)


def _anything(_: str) -> bool:
    return True


def _bracket_end(pattern: str, at: int) -> int:
    start = at + 2 if pattern[at + 1 : at + 2] in ("!", "^") else at + 1
    return pattern.find("]", start + 1)


def _bracket(inner: str) -> Callable[[str], bool]:
    negated = inner[:1] in ("!", "^")
    body = inner[1:] if negated else inner
    singles, ranges, at = set(), [], 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            ranges.append((body[at], body[at + 2]))
            at += 3
        else:
            singles.add(body[at])
            at += 1
    return lambda char: (char in singles or any(low <= char <= high for low, high in ranges)) != negated


def _whole(tokens: tuple[Token, ...], text: str) -> bool:
    """Greedy with one point to come back to, the last star: time is pattern times text, never more."""
    at = token = 0
    star, mark = -1, 0
    while at < len(text):
        current = tokens[token] if token < len(tokens) else _nothing
        if current is None:
            star, mark = token, at
            token += 1
        elif current(text[at]):
            at += 1
            token += 1
        elif star >= 0:
            mark += 1
            at, token = mark, star + 1
        else:
            return False
    return all(one is None for one in tokens[token:])


def _nothing(_: str) -> bool:
    return False


def matches(pattern: str, text: str) -> bool | None:
    """None when it cannot be told."""
    tokens = translate(pattern)
    return None if tokens is None or len(text) > TEXT_CAP else _whole(tokens, text)


def trim(pattern: str, text: str, *, suffix: bool, longest: bool) -> str | None:
    """`text` without the shortest or longest prefix (or suffix) that matches; None when it cannot be told."""
    tokens = translate(pattern)
    if tokens is None or len(text) > TEXT_CAP:
        return None
    cuts = range(len(text) + 1) if suffix == longest else range(len(text), -1, -1)
    for at in cuts:
        if _whole(tokens, text[at:] if suffix else text[:at]):
            return text[:at] if suffix else text[at:]
    return text


def replaced(pattern: str, text: str, new: str, mode: str) -> str | None:
    """`${text/pattern/new}` in its forms `/`, `//`, `/#`, `/%`; None when it cannot be told."""
    tokens = translate(pattern)
    if tokens is None or len(text) > (REPLACE_CAP if None in tokens else TEXT_CAP):
        return None
    parts, at, end = [], 0, len(text)
    while tokens and at < end:
        stop = _match_end(tokens, text, at, anchored=mode == "/%")
        if stop is None:
            parts.append(text[at])
            at += 1
        else:
            parts.append(new)
            at = stop
            if mode != "//":
                break
        if mode == "/#":
            break
    return "".join(parts) + text[at:]


def _match_end(tokens: tuple[Token, ...], text: str, at: int, *, anchored: bool) -> int | None:
    """Where the longest match from `at` ends (at the very end, when `anchored`); None without a match."""
    if None not in tokens:
        ends = [at + len(tokens)] if at + len(tokens) <= len(text) else []
    else:
        ends = list(range(len(text), at, -1))
    if anchored:
        ends = [len(text)] if None in tokens or ends == [len(text)] else []
    return next((end for end in ends if _whole(tokens, text[at:end])), None)
