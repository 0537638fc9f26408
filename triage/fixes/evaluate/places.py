"""Where names and paths of a script lead: variables, the runner's own values, files of the repository."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from triage.fixes.evaluate.machine import AMBIENT, AMBIENT_PREFIXES, Frame, Machine
from triage.fixes.evaluate.state import Array, State, Status
from triage.fixes.evaluate.system import System, absolute, path_value
from triage.fixes.evaluate.values import Piece, Value, known, unknown
from triage.fixes.numbers import whole

_STATUS = {Status.TRUE: "0", Status.FALSE: "1"}


def lookup(machine: Machine, frame: Frame, state: State, name: str) -> Value | Array | None:
    """What a name stands for; None when it is unset. An unknown is a value with a hole, never None."""
    position = whole(name)
    if position is not None:
        return _argument(frame, state, position)
    special = _special(machine, frame, state, name)
    if special is not None:
        return special
    if name in state.variables:
        return state.variables[name].value
    if state.other_files is not None:  # an image or a host may set any name
        return None if name in state.missing else unknown(f"{state.other_files.key}: {name}")
    if name in machine.assumptions.environment and name not in state.missing:
        return known(machine.assumptions.environment[name])
    if machine.assumptions.closed or name in state.missing:
        return None
    if name in AMBIENT or name.startswith(AMBIENT_PREFIXES) or state.open:
        return unknown(name)
    return None


def _special(machine: Machine, frame: Frame, state: State, name: str) -> Value | Array | None:
    match name:
        case "~":
            found = lookup(machine, frame, state, "HOME")
            return found if found is not None else unknown("HOME")
        case "#":
            exact = not any(value.many for value in state.arguments)
            return known(str(len(state.arguments))) if exact else unknown("#")
        case "@" | "*":
            return Array(state.arguments)
        case "?":
            return known(_STATUS[state.status]) if state.status in _STATUS else unknown("?")
        case "$" | "!" | "-":
            return unknown(name)
        case "GITHUB_ENV" if state.other_files is None:
            return unknown(name)
        case "BASH_SOURCE":
            return Array((frame.source,)) if frame.source.pieces else Array(())
        case "PWD" if state.directory is not None:
            return workspace(machine, state.directory, state.other_files)
        case _:
            return None


def _argument(frame: Frame, state: State, number: int) -> Value | None:
    if number == 0:
        return frame.name
    if any(value.many for value in state.arguments[:number]):
        return unknown(str(number))
    return state.arguments[number - 1] if number <= len(state.arguments) else None


def workspace(machine: Machine, relative: str, system: System | None = None) -> Value:
    """The absolute path of something in the workspace, as the system sees it."""
    if system is not None:
        path = system.path_of(relative)
        return unknown("PWD") if path is None else path_value(path)
    below = "" if relative == "." else "/" + relative
    if machine.assumptions.workspace:
        return known(machine.assumptions.workspace + below)
    return Value((Piece(None, name="GITHUB_WORKSPACE"), *((Piece(below),) if below else ())))


def toplevel(machine: Machine, state: State, words: Sequence[Value]) -> Value | None:
    """What `git rev-parse --show-toplevel` prints inside the repository; None for any other command, and elsewhere."""
    asks = [word.text for word in words] == ["git", "rev-parse", "--show-toplevel"]
    inside = state.directory is not None and machine.is_folder(state.directory)
    return workspace(machine, machine.mount or ".", state.other_files) if asks and inside else None


def locate(machine: Machine, state: State, value: Value) -> str | None:
    """The path relative to the workspace; None when it is unknown or lies elsewhere."""
    text = value.text
    if state.other_files is not None:
        return _located(state.other_files, state.directory, value)
    root = machine.assumptions.workspace
    if text is None:
        head, rest = value.pieces[0], Value(value.pieces[1:]).text
        inside = head.text is None and head.name == "GITHUB_WORKSPACE" and rest is not None
        return (
            posixpath.normpath("./" + (rest or "")) if inside and (rest == "" or (rest or "").startswith("/")) else None
        )
    if text.startswith("/"):
        if root and (text == root or text.startswith(root + "/")):
            return posixpath.normpath("./" + text[len(root) :])
        return None
    return None if state.directory is None or not text else posixpath.normpath(posixpath.join(state.directory, text))


def _located(system: System, directory: str | None, value: Value) -> str | None:
    text = value.text
    if text is None or text.startswith("/"):
        return system.inside(absolute(value))
    base = system.path_of(directory) if directory is not None and text else None
    return None if base is None else system.inside(posixpath.normpath(posixpath.join(base, text)))


def filled(value: Value) -> bool | None:
    """Whether a value is not empty; None when that is unknown. Paths that every machine has are not empty."""
    if any(piece.text or piece.name in ("HOME", "PWD", "GITHUB_WORKSPACE", "PATH", "USER") for piece in value.pieces):
        return True
    return False if value.known else None
