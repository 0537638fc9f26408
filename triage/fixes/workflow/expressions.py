"""`${{ }}`: values of matrix, env and inputs are known, what only GitHub knows is not, and nothing is guessed.

Supported: names, literals, `||`, `&&`, `==`, `!=`, `!`, parentheses, `format`, `fromJSON` of a number. Everything else
is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from triage.fixes.evaluate.values import Piece, Site, SiteKind, Value, join, known, unknown
from triage.fixes.numbers import whole
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.tokens import Token, tokens
from triage.fixes.yaml.nodes import YamlDocument
from triage.fixes.yaml.scalars import map_scalar

# "matrix.size", "inputs.model", "env.NAME" (lower case) -> value.
Context = Mapping[str, Value]

_UNKNOWN = unknown("")
NESTING_CAP = 50


def substitute(document: YamlDocument, node: yaml.ScalarNode, context: Context, kind: SiteKind, name: str) -> Value:
    """The scalar's text with its expressions evaluated; literal parts are `kind` sites named `name`."""
    mapped = map_scalar(document, node)
    line = document.line(node)
    pieces: list[Piece] = []
    for start, end, inner in expressions(node.value):
        if isinstance(mapped, Refusal):
            site = Site(document.path, document.start(node), document.byte(node.end_mark.index), line, kind, name)
        elif start == end:
            site = Site(document.path, mapped.start, mapped.start, line, kind, name)
        else:
            first, last = mapped.starts[start], mapped.ends[end - 1]
            at = line + document.data.count(b"\n", mapped.start, first)
            site = Site(document.path, first, last, at, kind, name, quote="yaml")
        if inner is None:
            pieces.append(Piece(node.value[start:end], site))
        else:
            value = evaluate(inner, context)
            pieces += [replace(piece, via=(*piece.via, site)) for piece in value.pieces]
    return Value(tuple(pieces))


def expressions(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Parts of a text: start, end, and the expression inside `${{ }}` or None for what stands for itself."""
    at = 0
    while at < len(text):
        start = text.find("${{", at)
        end = _closing(text, start + 3) if start >= 0 else -1
        if end < 0:
            yield at, len(text), None
            return
        if start > at:
            yield at, start, None
        yield start, end, text[start + 3 : end - 2]
        at = end


def _closing(text: str, at: int) -> int:
    """The offset after the `}}` that ends an expression: not one inside a quoted string. -1 without one."""
    quoted = False
    while at < len(text):
        if text[at] == "'":
            quoted = not quoted
        elif not quoted and text.startswith("}}", at):
            return at + 2
        at += 1
    return -1


def evaluate(expression: str, context: Context) -> Value:
    """The value of one expression; an unknown named after the expression when it cannot be told."""
    stream = tokens(expression)
    if stream is None or sum(token.text in ("(", "!") for token in stream) > NESTING_CAP:
        return unknown(expression.strip())
    parser = _Parser(stream, context)
    value = parser.alternatives()
    if parser.failed or parser.at != len(stream):
        return unknown(expression.strip())
    if not value.known and len(value.pieces) == 1 and not value.pieces[0].name:
        return unknown(expression.strip())
    return value


def truth(value: Value) -> bool | None:
    """GitHub's truth of a value: "", false, 0 and null are false; None when unknown."""
    text = value.text
    return None if text is None else text not in ("", "false", "0", "null")


class _Parser:
    """Recursive descent over a handful of tokens; `failed` when the grammar is not this one."""

    def __init__(self, stream: list[Token], context: Context) -> None:
        self.stream, self.context, self.at, self.failed = stream, context, 0, False

    def _next(self, *texts: str) -> str:
        if self.at < len(self.stream) and self.stream[self.at].text in texts and self.stream[self.at].kind == "op":
            self.at += 1
            return self.stream[self.at - 1].text
        return ""

    def _expect(self, text: str) -> None:
        if not self._next(text):
            self.failed = True

    def alternatives(self) -> Value:
        left = self._conjunction()
        while self._next("||"):
            right = self._conjunction()
            left = {True: left, False: right, None: _UNKNOWN}[truth(left)]
        return left

    def _conjunction(self) -> Value:
        left = self._comparison()
        while self._next("&&"):
            right = self._comparison()
            left = {True: right, False: left, None: _UNKNOWN}[truth(left)]
        return left

    def _comparison(self) -> Value:
        left = self._unary()
        while operator := self._next("==", "!="):
            left = _compare(left, self._unary(), equal=operator == "==")
        return left

    def _unary(self) -> Value:
        if self._next("!"):
            holds = truth(self._unary())
            return _UNKNOWN if holds is None else known("false" if holds else "true")
        if self._next("("):
            inner = self.alternatives()
            self._expect(")")
            return inner
        return self._primary()

    def _primary(self) -> Value:
        if self.at >= len(self.stream):
            self.failed = True
            return _UNKNOWN
        token = self.stream[self.at]
        self.at += 1
        match token.kind:
            case "text":
                return known(token.text)
            case "name" if self._next("("):
                return self._call(token.text)
            case "name":
                return self._lookup(token.text)
            case _:
                self.failed = True
                return _UNKNOWN

    def _call(self, name: str) -> Value:
        arguments = []
        while not self._next(")") and not self.failed:
            arguments.append(self.alternatives())
            if not self._next(","):
                self._expect(")")
                break
        if name.lower() == "format" and arguments and arguments[0].text is not None:
            return _format(arguments[0].text, arguments[1:])
        # Of a number it is the number.
        if name.lower() == "fromjson" and len(arguments) == 1 and whole(arguments[0].text) is not None:
            return arguments[0]
        return _UNKNOWN

    def _lookup(self, name: str) -> Value:
        if name in ("true", "false", "null"):
            return known("" if name == "null" else name)
        if name.lower() == "github.workspace":
            return unknown("GITHUB_WORKSPACE")
        return self.context.get(name.lower(), unknown(name))


def _compare(left: Value, right: Value, *, equal: bool) -> Value:
    if left.text is None or right.text is None:
        return _UNKNOWN
    same = left.text.lower() == right.text.lower()
    return known("true" if same == equal else "false")


def _format(template: str, arguments: list[Value]) -> Value:
    parts, at = [], 0
    while at < len(template):
        closing = template.find("}", at)
        digits = template[at + 1 : closing] if template[at] == "{" and closing > at else ""
        number = whole(digits)
        if number is not None and 0 <= number < len(arguments):
            parts.append(arguments[number])
            at = closing + 1
        elif template[at : at + 2] in ("{{", "}}"):
            parts.append(known(template[at]))
            at += 2
        else:
            parts.append(known(template[at]))
            at += 1
    return join(parts)
