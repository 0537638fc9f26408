"""Words of a script: quotes and expansions inside the spans that the grammar found.

The text is one character per byte (latin-1), so positions are byte offsets; `Literal.text` is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from triage.fixes.shell.syntax import Arithmetic, Literal, Opaque, Parameter, Part, Substitution, Word

BLANKS = " \t"
META = " \t\r\n;&|<>()"
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]", re.A)
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]", re.A)
_OPERATORS = (
    *(":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,"),
    *("-", "=", "+", "?", "#", "%", "/", "^", ",", ":"),
)
_REPLACEMENTS = ("/", "//", "/#", "/%", ":")
_ANSI = dict(zip("ntrabefv\\'\"", "\n\t\r\a\b\x1b\f\v\\'\"", strict=False)) | {"e": "\x1b", "f": "\f", "v": "\v"}
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")
# Behind a tilde: what no account is called, so that the shell leaves the word as it is (`~key.of.hydra`, `~a=b`).
_NO_ACCOUNT = re.compile(r"[A-Za-z_][\w-]*[.=]")

# Expansions inside expansions.
DEPTH_CAP = 40

Parts = tuple[list[Part], int]


def decode(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


class Lexer:
    """`find` gives the substitution that starts at an offset as the grammar sees it; None when it sees none."""

    def __init__(self, text: str, find: Callable[[int], Substitution | Opaque | None]) -> None:
        self.text, self.find, self.depth = text, find, 0

    def word(self, at: int, end: int, stops: str = META) -> tuple[Word, int]:
        """One word from `at`; it ends before an unquoted character of `stops`."""
        start = at
        parts, at = self._tilde(at, end)
        while at < end and self.text[at] not in stops:
            more, at = self._part(at, end, stops, inside=False)
            parts += more
        return Word(tuple(_braced(parts, start, at)), start, at), at

    def quoted(self, at: int, end: int) -> Word:
        """A region read as if between double quotes: arithmetic."""
        parts, _ = self._double(at, end, closing="")
        return Word(tuple(parts), at, end)

    def skip(self, at: int, end: int, *, newlines: bool = False) -> int:
        """The next character that is neither blank nor a continued line's end."""
        while at < end:
            if self.text[at] in BLANKS or (newlines and self.text[at] in "\r\n"):
                at += 1
            elif self.text.startswith("\\\n", at):
                at += 2
            else:
                break
        return min(at, end)

    def _operand(self, at: int, end: int, stops: str, *, inside: bool) -> tuple[Word, int]:
        """A word in `${ }`: blanks belong to it, and `inside` double quotes a single quote is plain text."""
        start = at
        parts, at = ([], at) if inside else self._tilde(at, end)
        while at < end and self.text[at] not in stops:
            if inside and self.text[at] not in '"$`\\':
                more, at = self._run(at, end, stops + '"$`\\', '"')
            else:
                more, at = self._part(at, end, stops, inside=inside)
            parts += more
        return Word(tuple(parts), start, at), at

    def _tilde(self, at: int, end: int) -> Parts:
        if at >= end or self.text[at] != "~" or _NO_ACCOUNT.match(self.text, at + 1, end):
            return [], at
        after = self.text[at + 1 : at + 2] if at + 1 < end else ""
        part = Parameter("~", at, at + 1, quoted=True) if after in ("", "/", "}", *META) else Opaque(at, at + 1)
        return [part], at + 1

    def _part(self, at: int, end: int, stops: str, *, inside: bool) -> Parts:
        """`inside` double quotes: what expands there is not split, and a backslash escapes only what is special."""
        match self.text[at]:
            case "\\":
                return self._backslash(at, end, inside=inside)
            case "'":
                close = self.text.find("'", at + 1, end)
                close = end if close < 0 else close
                return [Literal(decode(self.text[at + 1 : close]), at + 1, close, "'")], min(close + 1, end)
            case '"':
                parts, after = self._double(at + 1, end, closing='"')
                return parts or [Literal("", at + 1, at + 1, '"')], after
            case "$" | "`":
                return self._dollar(at, end, quoted=inside)
            case _:
                return self._run(at, end, stops + "\\'\"$`", "")

    def _backslash(self, at: int, end: int, *, inside: bool) -> Parts:
        if self.text.startswith("\\\n", at):
            return [], at + 2
        if at + 1 >= end or (inside and self.text[at + 1] not in '"$`\\}'):
            return [Literal("\\", at, at + 1, '"')], at + 1
        return [Literal(decode(self.text[at + 1]), at, at + 2, "\\")], at + 2

    def _run(self, at: int, end: int, stops: str, quote: str) -> Parts:
        start = at
        at += 1
        while at < end and self.text[at] not in stops:
            at += 1
        return [Literal(decode(self.text[start:at]), start, at, quote)], at

    def _double(self, at: int, end: int, closing: str) -> Parts:
        """Parts up to the closing quote; positions after it."""
        parts: list[Part] = []
        while at < end:
            char = self.text[at]
            if char == closing:
                return parts, at + 1
            if char == "\\" and closing:
                more, at = self._backslash(at, end, inside=True)
            elif char in "$`":
                more, at = self._dollar(at, end, quoted=True)
            else:
                more, at = self._run(at, end, closing + "\\$`", '"')
            parts += more
        return parts, end

    def _dollar(self, at: int, end: int, *, quoted: bool) -> Parts:
        """An expansion; nested deeper than people write, it is opaque up to the end."""
        if self.depth >= DEPTH_CAP:
            return [Opaque(at, end, quoted)], end
        self.depth += 1
        parts = self._expansion(at, end, quoted=quoted)
        self.depth -= 1
        return parts

    def _expansion(self, at: int, end: int, *, quoted: bool) -> Parts:
        after = self.text[at + 1 : at + 3]
        if self.text[at] == "`" or (after[:1] == "(" and after != "(("):
            return self._substitution(at, end, quoted=quoted)
        if after == "((":
            return self._arithmetic(at, end, quoted=quoted)
        if after[:1] == "{":
            return self._braces(at, end, quoted=quoted)
        if after[:1] == "'" and not quoted:
            return self._ansi(at, end)
        if after[:1] == '"' and not quoted:
            return self._part(at + 1, end, "", inside=False)
        name = _PLAIN_NAME.match(self.text, at + 1, end)
        if name is None:
            return [Literal("$", at, at + 1, '"')], at + 1
        return [Parameter(name.group(), at, name.end(), quoted)], name.end()

    def _substitution(self, at: int, end: int, *, quoted: bool) -> Parts:
        found = self.find(at)
        match found:
            case Substitution(body, start, stop):
                return [Substitution(body, start, stop, quoted)], stop
            case Opaque(start, stop):
                return [Opaque(start, stop, quoted)], stop
            case None:
                return [Opaque(at, end, quoted)], end

    def _arithmetic(self, at: int, end: int, *, quoted: bool) -> Parts:
        depth, stop = 0, at + 1
        while stop < end:
            depth += {"(": 1, ")": -1}.get(self.text[stop], 0)
            stop += 1
            if depth == 0:
                break
        if depth or self.text[stop - 2 : stop] != "))":
            return self._substitution(at, end, quoted=quoted)
        return [Arithmetic(self.quoted(at + 3, stop - 2), at, stop, quoted)], stop

    def _braces(self, at: int, end: int, *, quoted: bool) -> Parts:
        """`${...}`. What is not understood becomes opaque up to its closing brace."""
        start, at = at, at + 2
        length = self.text[at : at + 1] == "#" and self.text[at + 1 : at + 2] not in ("}", ":", "")
        indirect = self.text[at : at + 1] == "!" and self.text[at + 1 : at + 2] not in ("}", "")
        at += length or indirect
        name = _NAME.match(self.text, at, end)
        if name is None:
            return self._opaque(start, end, quoted=quoted)
        at = name.end()
        index: str | Word | None = None
        if self.text.startswith("[", at):
            word, close = self._operand(at + 1, end, "]", inside=False)
            index, at = word.literal if word.literal in ("@", "*") else word, close + 1
        operator = next((one for one in _OPERATORS if self.text.startswith(one, at)), "")
        at += len(operator)
        first = second = None
        if operator:
            stops = "}" + (operator[0] if operator in _REPLACEMENTS else "")
            first, at = self._operand(at, end, stops, inside=quoted)
            if operator in _REPLACEMENTS and self.text.startswith(operator[0], at):
                second, at = self._operand(at + 1, end, "}", inside=quoted)
        if not self.text.startswith("}", at) or at >= end:
            return self._opaque(start, end, quoted=quoted)
        part = Parameter(name.group(), start, at + 1, quoted, index, operator, first, second, length, indirect)
        return [part], at + 1

    def _opaque(self, start: int, end: int, *, quoted: bool) -> Parts:
        depth, at = 0, start
        while at < end:
            depth += {"{": 1, "}": -1}.get(self.text[at], 0)
            at += 1
            if depth == 0 and at > start + 1:
                break
        return [Opaque(start, at, quoted and "@" not in self.text[start:at])], at

    def _ansi(self, at: int, end: int) -> Parts:
        """`$'...'` with the common escapes; others are opaque."""
        start, at, text = at, at + 2, ""
        while at < end and self.text[at] != "'":
            if self.text[at] == "\\":
                code = self.text[at + 1 : at + 2]
                if code not in _ANSI:
                    close = self.text.find("'", at + 2, end)
                    return [Opaque(start, close + 1 or end, quoted=True)], close + 1 or end
                text += _ANSI[code]
                at += 2
            else:
                text += self.text[at]
                at += 1
        return [Literal(decode(text), start, at + 1, "\\")], min(at + 1, end)


def _braced(parts: list[Part], start: int, end: int) -> list[Part]:
    """Brace expansion makes several words of one: such a word is opaque."""
    bare = "".join(part.text if isinstance(part, Literal) and part.quote == "" else "_" for part in parts)
    return [Opaque(start, end)] if "{" in bare and _BRACES.search(bare) else parts
