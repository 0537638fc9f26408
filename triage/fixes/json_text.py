"""JSON as people type it, and the few edits that make it JSON: quotes, a comma too many or too few, Python's words.

Texts may hold `$NAME`, which a shell fills in: bare, it stands for a value that nothing is known of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from triage.fixes.refusal import Refusal

_TOKEN = re.compile(
    r"\s+|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<single>'[^'\n]*')|(?P<sign>[{}\[\],:])"
    r"|(?P<word>(?:\$\{\w+\}|[^\s{}\[\],:\"']|:(?=//))+)",
    re.S,
)
_FILLED_IN = re.compile(r"\$(?:\w+|\{\w+\})\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_MOST = 65536
# Readers recurse.
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Change:
    """Characters `start`..`end` become `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def mended(text: str) -> tuple[Change, ...] | Refusal:
    """What makes `text` JSON, in order; nothing for text that is. Refused where that takes more than mechanics."""
    tokens = _tokens(text)
    if isinstance(tokens, Refusal):
        return tokens
    if _too_deep(text):
        return Refusal(f"it is nested more than {_DEEPEST} levels deep")
    reader = _Reader(text, tokens)
    try:
        reader.value()
    except _Stuck as stuck:
        return Refusal(f"it is no JSON, and not for its punctuation alone ({stuck})")
    if reader.at < len(tokens):
        return Refusal("something follows the JSON")
    changes = tuple(sorted(reader.changes, key=lambda change: (change.start, change.end)))
    try:
        json.loads(changed(text, (*changes, *reader.unknown)))
    except (ValueError, RecursionError) as error:
        return Refusal(f"it would still be no JSON ({error})")
    return changes


def changed(text: str, changes: Sequence[Change]) -> str:
    for change in sorted(changes, key=lambda one: (one.start, one.end), reverse=True):
        text = text[: change.start] + change.new + text[change.end :]
    return text


def where_it_stops(text: str) -> tuple[int, int] | None:
    """Line and column, from 1, at which a reader of JSON gives up; None for JSON, and for what is too deep to read."""
    if _too_deep(text):
        return None
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.colno
    except RecursionError:
        return None
    return None


def _too_deep(text: str) -> bool:
    """Whether brackets stand in each other too deep, those inside of texts counted too."""
    depth = 0
    for sign in text if text.count("[") + text.count("{") > _DEEPEST else "":
        depth += (sign in "[{") - (sign in "]}")
        if depth > _DEEPEST:
            return True
    return False


def _tokens(text: str) -> list[_Token] | Refusal:
    if len(text) > _MOST:
        return Refusal("the text is too long")
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return Refusal("a quote is not closed")
        if match.lastgroup:
            found.append(_Token(match.lastgroup, match[0], match.start(), match.end()))
        at = match.end()
    return found


class _Stuck(Exception):  # noqa: N818 - no error: it becomes a refusal
    """Raised and caught in this module alone."""


class _Reader:
    def __init__(self, text: str, tokens: Sequence[_Token]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0
        self.changes: list[Change] = []
        self.unknown: list[Change] = []

    def _next(self) -> _Token:
        if self.at >= len(self.tokens):
            raise _Stuck("it ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def _is(self, sign: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at].text == sign

    def value(self) -> None:
        token = self._next()
        if token.text == "{":
            self._members("}", self._member)
        elif token.text == "[":
            self._members("]", self.value)
        elif token.kind == "sign":
            raise _Stuck(f"`{token.text}` stands where a value should")
        else:
            self._scalar(token, key=False)

    def _scalar(self, token: _Token, *, key: bool) -> None:
        if token.kind == "string":
            return
        if token.kind == "single":
            if '"' in token.text or "\\" in token.text:
                raise _Stuck("a text in single quotes holds other quotes")
            self.changes += [
                Change(token.start, token.start + 1, '"'),
                Change(token.end - 1, token.end, '"'),
            ]
        elif not key and token.text in _PYTHON:
            self.changes.append(Change(token.start, token.end, _PYTHON[token.text]))
        elif not key and _FILLED_IN.match(token.text):
            self.unknown.append(Change(token.start, token.end, "0"))
        elif key or not (_NUMBER.match(token.text) or token.text in _PYTHON.values()):
            self.changes += [Change(token.start, token.start, '"'), Change(token.end, token.end, '"')]

    def _member(self) -> None:
        token = self._next()
        if token.kind == "sign":
            raise _Stuck(f"`{token.text}` stands where a name should")
        self._scalar(token, key=True)
        if self._next().text != ":":
            raise _Stuck("a name without `:`")
        self.value()

    def _members(self, closing: str, member: object) -> None:
        first = True
        while not self._is(closing):
            if not first:
                self._comma(closing)
                if self._is(closing):
                    break
            first = False
            member()  # type: ignore[operator] # a bound method
        self._next()

    def _comma(self, closing: str) -> None:
        """Between two members: none may follow the last one, and a line's end may have lost its own."""
        before = self.tokens[self.at - 1]
        if self._is(","):
            comma = self._next()
            if self._is(closing):
                self.changes.append(Change(comma.start, comma.end, ""))
            return
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if following is None or "\n" not in self.text[before.end : following.start]:
            raise _Stuck("two values stand side by side")
        self.changes.append(Change(before.end, before.end, ","))
