"""Pathname expansion against the names of the repository; what lies elsewhere is unknown."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.evaluate.machine import Machine
from triage.fixes.evaluate.patterns import SPECIAL, matches
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.state import State
from triage.fixes.evaluate.values import Piece, Value, known

# What pip takes: a folder or a distribution with its extras. As a pattern it would name files such as `.t`.
_EXTRAS = re.compile(r"[\w./-]*\[[\w-]{2,}(?:,[\w-]+)*\](?:[=<>!~]=?[\w.]+|@[\w+-]+:\S*)?")


def pathnames(machine: Machine, state: State, pieces: tuple[Piece, ...], pattern: str | None) -> list[Value]:
    """The files that a word matches, or the word itself when it is surely no file name.

    Matches are given as one unknown number of words: a run may have made more files than the repository holds.
    """
    plain = Value(tuple(Piece(one.text, one.site, one.via, one.name, one.many) for one in pieces))
    several = Value(tuple(Piece(None, one.site, one.via, one.name or str(plain), many=True) for one in pieces[:1]))
    if pattern is None or state.directory is None:
        return [plain] if _is_setting(plain) else [several]
    folder = locate(machine, state, known(posixpath.dirname(_fixed(pattern)) or "."))
    if folder is not None and _matched(machine, folder, pattern):
        return [several]
    return [plain] if _is_setting(plain) or "noglob" in state.options else [several]


def _is_setting(value: Value) -> bool:
    """`key=[a,b]`, `--flag=...`, `.[extra]`: a pattern only by accident, no file is called so. In a script that quotes
    within quotes, `"pip install ".[extra]""`, each of its words that is a pattern has to be such."""
    patterns = [word for word in str(value).split(" ") if any(char in word for char in SPECIAL)]
    if patterns and all(_EXTRAS.fullmatch(word) for word in patterns):
        return True
    first = min((at for at in (value.head.find(char) for char in SPECIAL) if at >= 0), default=len(value.head))
    return "=" in value.head[:first] or value.head[:1] in ("-", "+", "[")


def _fixed(pattern: str) -> str:
    """The part before the first special character."""
    first = min((at for at in (pattern.find(char) for char in SPECIAL) if at >= 0), default=len(pattern))
    return pattern[:first]


def _matched(machine: Machine, folder: str, pattern: str) -> bool:
    names = machine.listing(folder)
    last = pattern[len(posixpath.dirname(_fixed(pattern))) :].lstrip("/").split("/")[0]
    hidden = last.startswith(".")
    return any(matches(last, name) for name in names if hidden or not name.startswith("."))
