"""Command lines that hand a command to another system: `docker run` and `exec`, podman, `srun`, `sbatch`, `ssh`.

An option that is not known here may or may not take the next word: such a line is not read any further.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from triage.fixes.evaluate.engines import (
    COMPOSE,
    COMPOSE_EXEC,
    COMPOSE_RUN,
    ENGINES,
    EXEC,
    GLOBAL,
    PROGRAMS,
    RUN,
    SBATCH,
    SRUN,
    SSH,
    Options,
)
from triage.fixes.evaluate.programs import SHELLS, shell_call
from triage.fixes.evaluate.values import Piece, Value, cut

_CLUSTER = {"srun": SRUN, "sbatch": SBATCH}


@dataclass(frozen=True, slots=True)
class Entry:
    """`command` are the words that run inside, none where that is not known; `at` is where they start in the line,
    -1 where an option brings the first. `text`: they are joined to one text, which a shell reads (ssh).

    `container` names it ("" not known). `makes`: the line makes the container. `inherits`: nothing is kept from it
    (srun hands on its environment). `given` are the options with their values, "*" for words that may be any.
    """

    program: str
    container: str
    command: tuple[Value, ...] = ()
    at: int = -1
    given: tuple[tuple[str, Value], ...] = ()
    makes: bool = False
    detached: bool = False
    text: bool = False
    inherits: bool = False

    def values(self, *names: str) -> list[Value]:
        return [value for name, value in self.given if name in names]

    def last(self, *names: str) -> Value | None:
        """The value of an option whose last one counts; None where words behind it may give another."""
        at = max((at for at, (name, _) in enumerate(self.given) if name in names), default=-1)
        open_at = max((at for at, (name, _) in enumerate(self.given) if name == "*"), default=-1)
        return self.given[at][1] if at > open_at else None


class _Scan(NamedTuple):
    at: int
    given: list[tuple[str, Value]]

    @property
    def open(self) -> bool:
        return any(name == "*" for name, _ in self.given)


def entry(words: Sequence[Value], containers: Collection[str]) -> Entry | None:
    """None when this hands no command on, or not one that is understood. `containers` are names known so far."""
    name = posixpath.basename(words[0].text or "") if words else ""
    if name == "ssh":
        return _ssh(words)
    if name in _CLUSTER:
        return _submitted(words, name)
    return _engine(words, name, containers) if name in ENGINES else None


def _engine(words: Sequence[Value], name: str, containers: Collection[str]) -> Entry | None:
    compose = name.endswith("-compose")
    scan = _scan(words, 1, COMPOSE if compose else GLOBAL)
    if scan is None or scan.open:
        return None
    at = scan.at
    if not compose and words[at].text == "container":
        at += 1
    elif not compose and words[at].text == "compose":
        compose, inner = True, _scan(words, at + 1, COMPOSE)
        if inner is None or inner.open:
            return None
        at = inner.at
    verb = words[at].text if at < len(words) else None
    if verb == "exec":
        return _executed(words, at + 1, COMPOSE_EXEC if compose else EXEC, containers, compose=compose)
    if verb in ("run", "create"):
        return _started(words, at + 1, COMPOSE_RUN if compose else RUN, compose=compose, create=verb == "create")
    return None


def _executed(
    words: Sequence[Value], at: int, options: Options, containers: Collection[str], *, compose: bool
) -> Entry | None:
    scan = _scan(words, at, options, containers)
    if scan is None or scan.at + 1 >= len(words):
        return None
    named = words[scan.at]
    key = f"service {named}" if compose else str(named)
    if (scan.open and key not in containers) or (named.many and key not in containers):
        return None
    rest = tuple(words[scan.at + 1 :])
    return Entry("compose" if compose else "docker", key, rest, scan.at + 1, tuple(scan.given))


def _started(words: Sequence[Value], at: int, options: Options, *, compose: bool, create: bool) -> Entry | None:
    scan = _scan(words, at, options)
    if scan is None:
        return None
    program = "compose" if compose else "docker"
    given = tuple(scan.given)
    made = Entry(program, "", (), -1, given, makes=True)
    named = made.values("--name")
    flags = {option for option, _ in given}
    detached = create or bool(flags & {"-d", "--detach"})
    container = str(named[-1]) if not compose and named and named[-1].text else ""
    command, first = _command(words, scan, made)
    return Entry(program, container, command, first, given, makes=True, detached=detached)


def _command(words: Sequence[Value], scan: _Scan, made: Entry) -> tuple[tuple[Value, ...], int]:
    """What runs inside, and where it starts. Where an unknown number of words comes first, one of them may be the
    image: then only a shell that is given a text is surely the command."""
    at = scan.at
    if scan.open:
        if words[at].head.startswith(("./", "/")) and not made.values("--entrypoint"):  # no image is called so
            return tuple(words[at:]), at
        for first in (at, at + 1):
            if _is_shell_text(words[first:]) and not made.values("--entrypoint"):
                return tuple(words[first:]), first
        return (), -1
    rest = tuple(words[at + 1 :])
    entrypoints = made.values("--entrypoint")
    if entrypoints and (entrypoints[-1].text is None or entrypoints[-1].many):
        return (), -1
    if entrypoints and entrypoints[-1].text:
        return (entrypoints[-1], *rest), -1
    if not rest or rest[0].many or rest[0].head.startswith("-"):
        return (), -1
    head = rest[0].text or ""
    sure = bool(entrypoints) or posixpath.basename(head) in PROGRAMS or head.startswith(("/", "./"))
    return (rest, at + 1) if sure else ((), -1)


def _is_shell_text(words: Sequence[Value]) -> bool:
    if len(words) < 3 or posixpath.basename(words[0].text or "") not in SHELLS or not words[1].startswith("-"):
        return False
    call = shell_call(words)
    return call is not None and call.text


def _ssh(words: Sequence[Value]) -> Entry | None:
    scan = _scan(words, 1, SSH)
    if scan is None or scan.open or scan.at + 1 >= len(words) or words[scan.at].many:
        return None
    again = _scan(words, scan.at + 1, SSH)  # options may follow the host
    if again is None or again.open or any(word.many for word in words[again.at :]):
        return None
    given = (*scan.given, *again.given)
    return Entry("ssh", f"ssh {words[scan.at]}", tuple(words[again.at :]), again.at, given, text=True)


def _submitted(words: Sequence[Value], name: str) -> Entry | None:
    """A job script runs elsewhere and later, with the environment of whoever submits it."""
    scan = _scan(words, 1, _CLUSTER[name])
    if scan is None or scan.open:
        return None
    given = tuple(scan.given)
    contained = any(name.startswith("--container") for name, _ in given)
    inherits = not contained and all(name not in ("--export", "-D", "--chdir") for name, _ in given)
    return Entry(name, name, tuple(words[scan.at :]), scan.at, given, inherits=inherits)


def _scan(words: Sequence[Value], at: int, options: Options, names: Collection[str] = ()) -> _Scan | None:
    """Up to the first word that is no option; None where an option is not known or none of the words is another."""
    given: list[tuple[str, Value]] = []
    while at < len(words):
        word = words[at]
        if word.many:
            if str(word) in names:
                return _Scan(at, given)
            given.append(("*", word))
            at += 1
            continue
        if not word.head and word.text is None:
            return _Scan(at, given)
        if word.text == "--":
            return _Scan(at + 1, given) if at + 1 < len(words) else None
        if not word.startswith("-") or word.text == "-":
            return _Scan(at, given)
        found = _option(words, at, options)
        if found is None:
            return None
        given += found[0]
        at = found[1]
    return None


def _option(words: Sequence[Value], at: int, options: Options) -> tuple[list[tuple[str, Value]], int] | None:
    """One word of options with its value, and the next word."""
    word = words[at]
    if word.startswith("--"):
        name, equals, _ = word.head.partition("=")
        takes = options.takes(name)
        if equals and takes is not None:
            return [(name, word.after(f"{name}="))], at + 1
        if takes is None or word.text is None:
            return None
        if not takes:
            return [(name, word)], at + 1
        return _valued([], name, words, at + 1)
    return _letters(words, at, options)


def _letters(words: Sequence[Value], at: int, options: Options) -> tuple[list[tuple[str, Value]], int] | None:
    word, found = words[at], list[tuple[str, Value]]()
    for place in range(1, len(word.head)):
        option = f"-{word.head[place]}"
        takes = options.takes(option)
        if takes is None:
            return None
        if not takes:
            found.append((option, word))
            continue
        rest = word.after(word.head[: place + 1])
        if rest.pieces:
            return [*found, (option, rest.after("=") if rest.startswith("=") else rest)], at + 1
        return _valued(found, option, words, at + 1)
    return (found, at + 1) if word.text is not None else None


def _valued(
    found: list[tuple[str, Value]], option: str, words: Sequence[Value], at: int
) -> tuple[list[tuple[str, Value]], int] | None:
    """An option's value in a word of its own. One that may be several words begins with the value: `NAME=$(x)`."""
    if at >= len(words) or (words[at].many and not words[at].head):
        return None
    rest = [("*", words[at])] if words[at].many else []
    return [*found, (option, words[at]), *rest], at + 1


def split(value: Value, sign: str) -> list[Value]:
    """The parts between signs; an unknown part holds none that counts."""
    found: list[Value] = []
    pieces: list[Piece] = []
    for piece in value.pieces:
        text = piece.text
        if text is None:
            pieces.append(piece)
            continue
        start = 0
        while (stop := text.find(sign, start)) >= 0:
            if stop > start:
                pieces.append(cut(piece, start, stop))
            found.append(Value(tuple(pieces)))
            pieces, start = [], stop + 1
        if start < len(text):
            pieces.append(cut(piece, start, len(text)))
    return [*found, Value(tuple(pieces))]
