"""Scripts that a script holds as words of its commands, at any depth: `bash -c '...'`, behind whatever runs them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from typing import Any

from triage.fixes.shell.parse import parse
from triage.fixes.shell.syntax import Literal, Simple, Word

_SHELLS = ("bash", "sh", "dash", "zsh")
_WITH_TEXT = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*")
_DEPTH = 5


@lru_cache(maxsize=256)
def quoted_scripts(text: str) -> tuple[str, ...]:
    """What expands in one is `x` there: it is read for its syntax alone."""
    return tuple(_scripts(text, 0))


def _scripts(text: str, depth: int) -> Iterator[str]:
    if not any(shell in text for shell in _SHELLS):
        return
    for command in _commands(parse(text.encode("utf-8", "replace"))):
        for inner in _texts(command):
            yield inner
            if depth < _DEPTH:
                yield from _scripts(inner, depth + 1)


def _commands(node: object) -> Iterator[Simple]:
    if isinstance(node, Simple):
        yield node
    if isinstance(node, tuple):
        for one in node:
            yield from _commands(one)
    elif is_dataclass(node):
        kind: Any = type(node)
        for name in _parts(kind):
            yield from _commands(getattr(node, name))


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _texts(command: Simple) -> Iterator[str]:
    for at, word in enumerate(command.words):
        if posixpath.basename(word.literal or "") not in _SHELLS:
            continue
        for option, following in zip(command.words[at + 1 :], command.words[at + 2 :], strict=False):
            if not (option.literal or "").startswith("-"):
                break
            if _WITH_TEXT.fullmatch(option.literal or ""):
                yield _plain(following)
                break


def _plain(word: Word) -> str:
    return "".join(part.text if isinstance(part, Literal) else "x" for part in word.parts)
