"""Simple commands out of words: assignments before them, redirections among them, arrays."""

from __future__ import annotations

import re

from triage.fixes.shell.lexer import Lexer
from triage.fixes.shell.syntax import Assignment, Group, Opaque, Redirect, Simple, Statement, Word

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]\n]*\])?(\+?)=", re.A)
_REDIRECT = re.compile(r"[0-9]*(?:<<<|<<-?|<>|>>|>\||>&|<&|<(?!\()|>(?!\())|&>>|&>")

Item = Word | Assignment | Redirect


def simple_command(lexer: Lexer, start: int, end: int, redirects: tuple[Redirect, ...] = ()) -> Simple | Group:
    """The command of a span. The grammar joins `A=1 B=2` with a command on the next line: these are two."""
    commands: list[Statement] = []
    while True:
        found, stop = command_items(lexer, start, end)
        commands.append(_simple(found, start, stop, redirects if stop >= end else ()))
        start = lexer.skip(stop, end, newlines=True)
        if start >= end:
            break
    return commands[0] if len(commands) == 1 and isinstance(commands[0], Simple) else Group(tuple(commands))


def _simple(found: list[Item], start: int, end: int, redirects: tuple[Redirect, ...]) -> Simple:
    assignments = tuple(item for item in found if isinstance(item, Assignment))
    words = tuple(item for item in found if isinstance(item, Word))
    redirects = (*redirects, *(item for item in found if isinstance(item, Redirect)))
    spans = [(item.start, item.end) for item in assignments] + [(item.start, item.end) for item in words]
    last = max((stop for _, stop in spans), default=start)
    first = min((first for first, _ in spans), default=start)
    return Simple(assignments, words, first, end, last, redirects)


def command_items(lexer: Lexer, at: int, end: int, *, declares: bool = False) -> tuple[list[Item], int]:
    """Assignments, words and redirections in order, up to the end of the line, and where that is. Assignments stop at
    the first word, unless the command `declares` (export, local ...)."""
    found: list[Item] = []
    leading = True
    while (at := lexer.skip(at, end)) < end and lexer.text[at] != "\n":
        if redirect := _REDIRECT.match(lexer.text, at, end):
            target, at = lexer.word(lexer.skip(redirect.end(), end), end)
            found.append(Redirect(redirect.group(), target))
        elif (leading or declares) and (match := _ASSIGNMENT.match(lexer.text, at, end)):
            assignment, at = _assignment(lexer, match, end)
            found.append(assignment)
        else:
            word, at = _word(lexer, at, end)
            found.append(word)
            leading = False
    return found, at


def word_list(lexer: Lexer, at: int, end: int) -> tuple[Word, ...]:
    """Words over several lines, with comments: the elements of an array, the list of a `for`."""
    found = []
    while (at := lexer.skip(at, end, newlines=True)) < end:
        if lexer.text[at] == "#":
            newline = lexer.text.find("\n", at, end)
            at = end if newline < 0 else newline
        else:
            word, at = _word(lexer, at, end)
            found.append(word)
    return tuple(found)


def _word(lexer: Lexer, at: int, end: int) -> tuple[Word, int]:
    """Always moves on: a character that starts no word is one that is not understood."""
    word, after = lexer.word(at, end)
    return (word, after) if after > at else (Word((Opaque(at, at + 1),), at, at + 1), at + 1)


def _assignment(lexer: Lexer, match: re.Match[str], end: int) -> tuple[Assignment, int]:
    at, append = match.end(), match.group(3) == "+"
    index = lexer.word(match.start(2) + 1, match.end(2) - 1, stops="")[0] if match.group(2) else None
    if not lexer.text.startswith("(", at) or at >= end:
        word, after = lexer.word(at, end)
        return Assignment(match.group(1), word, match.start(), after, append, index), after
    close = _closing(lexer, at, end)
    elements = word_list(lexer, at + 1, close)
    return Assignment(match.group(1), elements, match.start(), close + 1, append, index), min(close + 1, end)


def _closing(lexer: Lexer, at: int, end: int) -> int:
    """The parenthesis that ends an array, found by lexing its words."""
    at += 1
    while (at := lexer.skip(at, end, newlines=True)) < end and lexer.text[at] != ")":
        if lexer.text[at] == "#":
            newline = lexer.text.find("\n", at, end)
            at = end if newline < 0 else newline
        else:
            _, at = _word(lexer, at, end)
    return at
