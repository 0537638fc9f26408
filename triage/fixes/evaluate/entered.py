"""A command that runs in another system: what it sees there of environment and files, and what is followed inside."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from triage.fixes.evaluate.entering import Entry, split
from triage.fixes.evaluate.invocation import Call, Inside
from triage.fixes.evaluate.machine import CALLS_CAP, CARRIED_PER_ENTRY, Frame, Machine
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.state import State, Status, Variable
from triage.fixes.evaluate.system import Container, Mount, System, absolute
from triage.fixes.evaluate.values import Value, join, known, unknown

Environment = Mapping[str, Value]
Program = Callable[[Machine, Frame, State, Call, tuple[Value, ...], Environment], list[State]]


def entered(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    words: tuple[Value, ...],
    entry: Entry,
    environment: Environment,
    program: Program,
) -> list[State]:
    """Runs the inner command. Nothing of its shell's state comes back, and what it prints is not known."""
    container = _container(machine, state, entry, environment)
    key = _key(state, call, entry)
    if entry.makes:
        for name in filter(None, (_named(state, entry.container), _named(state, _made_at(call)))):
            before = machine.containers.get(name)
            machine.containers[name] = container if before is None else container.shared(before)
    follows = bool(entry.command) and not entry.command[0].many and frame.depth < CALLS_CAP
    if follows and machine.enters(call):
        inner = _inner_state(state, System(key, container.mounts, same_files=entry.inherits), container, entry)
        machine.count(inner, CARRIED_PER_ENTRY)
        if entry.inherits:
            inner.variables |= {name: Variable(value, exported=True) for name, value in environment.items()}
        command = entry.command
        if entry.text:
            spaced = [part for word in command for part in (known(" "), word)]
            command = (known("bash"), known("-c"), join(spaced[1:]))
        own = _inner_call(call, entry, command)
        if machine.sentinel is not None and machine.sentinel.call == own.key != call.key:
            command = (*command, machine.sentinel.value)
        within = replace(frame, calls=(*frame.calls, call), depth=frame.depth + 1)
        program(machine, within, inner, own, command, {})
    elif not follows and (entry.makes or entry.command):
        machine.note(f"{call.path}:{call.line}: what `{' '.join(map(str, words[:2]))}` runs inside is not known")
    if any(value.startswith("GITHUB_ENV") for value in entry.values("-e", "--env")):
        state.exports[""] = unknown("GITHUB_ENV")
    state.say(_identity(call) if entry.detached else unknown(f"$({' '.join(map(str, words[:2]))})"))
    return state.end(Status.TRUE if machine.assumptions.succeed else Status.PROGRAM)


def inside_of(machine: Machine, state: State) -> Inside | None:
    """Where a command of this state finds the repository's files; None where they are the job's own."""
    system = state.other_files
    if system is None:
        return None
    folder = system.path_of(state.directory) if state.directory is not None else None
    return Inside(folder, tuple(sorted(_seen(machine, system.mounts), key=lambda pair: len(pair[0]))))


def _seen(machine: Machine, mounts: tuple[Mount, ...]) -> Iterator[tuple[str, str]]:
    for one in mounts:
        own = machine.inside(one.source) if one.source is not None else None
        if own is not None:
            yield one.target, own
        elif one.source is not None and machine.mount is not None:
            below = posixpath.relpath(machine.mount, one.source)
            if not below.startswith(".."):
                yield posixpath.join(one.target, below), "."


def _key(state: State, call: Call, entry: Entry) -> str:
    named = entry.container or (_made_at(call) if entry.makes else f"{entry.program} at {call.path}:{call.start}")
    return named if state.system is None else f"{state.system.key}/{named}"


def _named(state: State, name: str) -> str:
    return f"{state.system.key}/{name}" if name and state.system is not None else name


def _made_at(call: Call) -> str:
    """Stands for the identity that a container gets when it is made."""
    return str(_identity(call))


def _identity(call: Call) -> Value:
    return unknown(f"container made at {call.path}:{call.start}")


def _inner_state(state: State, system: System, container: Container, entry: Entry) -> State:
    inner = state.copy()
    inner.arguments, inner.functions, inner.shared, inner.trap, inner.output = (), {}, frozenset(), None, None
    inner.options, inner.folders, inner.saved = frozenset(), (), ()
    if entry.program in ("docker", "compose") and not entry.values("-i", "--interactive"):
        inner.input = None
    inner.system = system
    if entry.inherits:
        inner.variables = {name: one for name, one in state.variables.items() if one.exported}
        return inner
    inner.variables = {name: Variable(value, exported=True) for name, value in container.environment.items()}
    inner.missing, inner.open, inner.exports = frozenset(), True, {}
    inner.directory = system.inside(container.folder) if container.folder else None
    return inner


def _container(machine: Machine, state: State, entry: Entry, environment: Environment) -> Container:
    """What the line says of the container; of `exec` also what the line said that made it."""
    known_before = Container() if entry.makes else machine.containers.get(_named(state, entry.container), Container())
    variables = dict(known_before.environment)
    for option, value in entry.given if entry.program in ("docker", "compose") else ():
        if option == "*":
            variables.clear()
        elif option in ("-e", "--env"):
            _set(state, variables, value, environment)
    given = entry.last("-w", "--workdir")
    unsure = given is None and (any(name == "*" for name, _ in entry.given) or bool(entry.values("-w", "--workdir")))
    folder = "" if unsure else known_before.folder if given is None else absolute(given)
    return Container(variables, (*known_before.mounts, *_mounts(machine, state, entry)), folder)


def _set(state: State, variables: dict[str, Value], value: Value, environment: Environment) -> None:
    """`-e NAME=value`, and `-e NAME`, which hands on what the line's own environment has."""
    name, equals, _ = value.head.partition("=")
    if not equals and (value.text is None or value.many):
        variables.clear()  # any name
    elif equals:
        variables[name] = value.after(f"{name}=")
    else:
        outer = state.variables.get(name)
        given = environment.get(name) or (outer.value if outer is not None and outer.exported else None)
        variables.pop(name, None)
        if isinstance(given, Value):
            variables[name] = given


def _mounts(machine: Machine, state: State, entry: Entry) -> Iterator[Mount]:
    for value in entry.values("-v", "--volume") if entry.program in ("docker", "compose") else ():
        parts = split(value, ":")
        if len(parts) > 1 and (target := absolute(parts[1])):
            yield Mount(target, _source(machine, state, parts[0]))
    for value in entry.values("--mount"):
        pairs = dict(_pair(part) for part in split(value, ","))
        target = absolute(next((pairs[name] for name in ("target", "dst", "destination") if name in pairs), Value()))
        source = next((pairs[name] for name in ("source", "src") if name in pairs), None)
        if target:
            yield Mount(target, _source(machine, state, source) if source is not None else None)


def _pair(part: Value) -> tuple[str, Value]:
    name, equals, _ = part.head.partition("=")
    return (name, part.after(f"{name}=")) if equals else ("", part)


def _source(machine: Machine, state: State, value: Value) -> str | None:
    """A path of the workspace; a name without a slash is a volume, no folder."""
    named = value.text is not None and not value.text.startswith((".", "/"))
    return None if named or value.many or not value.pieces else locate(machine, state, value)


def _inner_call(call: Call, entry: Entry, command: tuple[Value, ...]) -> Call:
    """Where the inner command stands in the line; all of the line, and closed to edits, where that is not plain."""
    pieces = command[0].pieces
    site = pieces[0].site if pieces and not entry.text and entry.at > 0 else None
    if site is None or site.path != call.path or site.quote or not call.start < site.start < call.end:
        return replace(call, words=command, insertable=False)
    return replace(call, line=site.line, start=site.start, words=command, lead=call.start)
