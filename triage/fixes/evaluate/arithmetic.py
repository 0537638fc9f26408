"""Integer arithmetic of the shell. What cannot be computed, or has an effect that is not understood, is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable

from triage.fixes.numbers import whole

_TOKEN = re.compile(
    r"\s*([0-9]+#[0-9A-Za-z@_]+|0[xX][0-9a-fA-F]+|[0-9]+|[A-Za-z_]\w*|\*\*|<<=?|>>=?|\+\+|--|[-+*/%<>=!&|^]=|&&|\|\||[-+*/%<>=!~&|^?:(),])"
)
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=")
_LIMIT = 1 << 63
# The parser recurses once or more a token.
TOKENS_CAP = 60

Read = Callable[[str], int | None]
Write = Callable[[str, int | None], None]


def compute(text: str, read: Read, write: Write) -> int | None:
    """The value of an expression, None when unknown. `read` gives a variable's number (0 when unset)."""
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        tokens.append(match.group(1))
        at = match.end()
    if not tokens:
        return 0
    if len(tokens) > TOKENS_CAP:
        return None
    parser = _Parser(tokens, read, write)
    value = parser.sequence()
    return None if parser.failed or parser.at != len(tokens) else value


class _Parser:
    def __init__(self, tokens: list[str], read: Read, write: Write) -> None:
        self.tokens, self.read, self.write, self.at, self.failed = tokens, read, write, 0, False
        # Inside the side of && || ?: that is not taken, nothing is assigned.
        self.skipping = 0

    def _peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def _next(self, *texts: str) -> str:
        token = self._peek()
        if token in texts and token:
            self.at += 1
            return token
        return ""

    def sequence(self) -> int | None:
        value = self.assignment()
        while self._next(","):
            value = self.assignment()
        return value

    def assignment(self) -> int | None:
        name = self._peek()
        if name.isidentifier() and self._peek(1) in _ASSIGN:
            operator = self.tokens[self.at + 1]
            self.at += 2
            right = self.assignment()
            value = right if operator == "=" else _binary(operator[:-1], self.read(name), right)
            self._assign(name, value)
            return value
        return self.conditional()

    def _assign(self, name: str, value: int | None) -> None:
        if not self.skipping:
            self.write(name, value)

    def conditional(self) -> int | None:
        test = self.binary(0)
        if not self._next("?"):
            return test
        yes = self._side(self.assignment, taken=test is None or test != 0)
        self.failed = self.failed or not self._next(":")
        no = self._side(self.assignment, taken=test is None or test == 0)
        return None if test is None else yes if test else no

    def _side(self, parse: Callable[[], int | None], *, taken: bool) -> int | None:
        self.skipping += not taken
        value = parse()
        self.skipping -= not taken
        return value

    def binary(self, level: int) -> int | None:
        if level == len(_LEVELS):
            return self.power()
        left = self.binary(level + 1)
        while operator := self._next(*_LEVELS[level]):
            decided = (operator == "&&" and left == 0) or (operator == "||" and left not in (0, None))
            right = self._side(lambda: self.binary(level + 1), taken=not decided)
            left = _binary(operator, left, right)
        return left

    def power(self) -> int | None:
        base = self.unary()
        return _binary("**", base, self.power()) if self._next("**") else base

    def unary(self) -> int | None:
        operator = self._next("!", "~", "-", "+", "++", "--")
        if operator in ("++", "--"):
            name = self._peek()
            self.at += 1
            value = _binary(operator[0], self.read(name), 1)
            self._assign(name, value)
            return value
        if operator:
            value = self.unary()
            return None if value is None else {"!": int(not value), "~": ~value, "-": -value, "+": value}[operator]
        return self.primary()

    def primary(self) -> int | None:
        token = self._peek()
        self.at += 1
        if token == "(":
            value = self.sequence()
            self.failed = self.failed or not self._next(")")
            return value
        if token.isidentifier():
            value = self.read(token)
            if operator := self._next("++", "--"):
                self._assign(token, _binary(operator[0], value, 1))
            return value
        return self._number(token)

    def _number(self, token: str) -> int | None:
        try:
            if "#" in token:
                base, digits = token.split("#", 1)
                return int(digits, int(base))
            return int(token, 8) if len(token) > 1 and token[0] == "0" and whole(token) is not None else int(token, 0)
        except ValueError:
            self.failed = True
            return None


def _binary(operator: str, left: int | None, right: int | None) -> int | None:
    if operator == "&&" and 0 in (left, right):
        return 0
    if operator == "||" and (left or right):
        return 1
    if left is None or right is None:
        return None
    if operator in ("/", "%"):
        return _divided(operator, left, right)
    if operator in ("<<", ">>", "**") and not 0 <= right < 64:
        return None
    results: dict[str, Callable[[int, int], int]] = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "**": lambda a, b: a**b,
        "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b, "&&": lambda a, b: int(a != 0 and b != 0), "||": lambda a, b: int(a != 0 or b != 0),
        "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b),
    }  # fmt: skip
    value = results[operator](left, right)
    return value if -_LIMIT <= value < _LIMIT else None


def _divided(operator: str, left: int, right: int) -> int | None:
    """Truncates towards zero, as C does."""
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return quotient if operator == "/" else left - quotient * right
