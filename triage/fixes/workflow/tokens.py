"""Tokens of GitHub's expression language."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    kind: str  # "text" (a literal), "name" (a dotted path) or "op"
    text: str


_NAME = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w*-]+|\['[^']*'\])*")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_OPERATORS = ("||", "&&", "==", "!=", "<=", ">=", "!", "(", ")", ",", "<", ">", "[", "]")


def tokens(text: str) -> list[Token] | None:
    """None when a character starts no token."""
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        step = _token(text, at)
        if step is None:
            return None
        token, at = step
        found.append(token)
    return found


def _token(text: str, at: int) -> tuple[Token, int] | None:
    if text[at] == "'":
        return _string(text, at)
    if match := _NUMBER.match(text, at):
        return Token("text", match.group()), match.end()
    if match := _NAME.match(text, at):
        path = re.sub(r"\['([^']*)'\]", r".\1", match.group())
        return Token("name", path), match.end()
    operator = next((one for one in _OPERATORS if text.startswith(one, at)), None)
    return (Token("op", operator), at + len(operator)) if operator else None


def _string(text: str, at: int) -> tuple[Token, int] | None:
    """Single quotes only; a doubled one stands for itself."""
    end, parts = at + 1, []
    while True:
        close = text.find("'", end)
        if close < 0:
            return None
        parts.append(text[end:close])
        if text[close + 1 : close + 2] != "'":
            return Token("text", "'".join(parts)), close + 1
        end = close + 2
