"""Loops: unrolled while every test is decided; else the body is followed once with what it assigns unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache

from triage.fixes.evaluate.branches import condition_of, met
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.state import Flow, State, Status, Variable
from triage.fixes.evaluate.values import Purpose, SiteKind, unknown
from triage.fixes.shell.syntax import Assignment, Declaration, For, Loop, Simple, Statement, Unsupported, Word

ROUNDS_CAP = 200


def while_loop(machine: Machine, frame: Frame, loop: Loop, state: State) -> list[State]:
    before, running, ends = state.conditions, [state], []
    guarded = replace(frame, guarded=True)
    goes_on = Status.FALSE if loop.until else Status.TRUE
    for _ in range(ROUNDS_CAP):
        ready: list[State] = []
        for tested in machine.execute(guarded, loop.condition, running):
            if tested.flow is not Flow.ON:
                ends.append(tested)
            elif tested.status is goes_on:
                ready.append(tested)
            elif tested.status in (Status.TRUE, Status.FALSE):
                ends += tested.end(Status.TRUE)
            else:
                ends += _blurred(machine, frame, loop.body, tested, (loop.start, loop.end))
        if not ready or machine.exhausted:
            running = ready
            break
        running, left = _after_round(machine.execute(frame, loop.body, ready))
        ends += left
    for one in running:
        ends += _blurred(machine, frame, loop.body, one, (loop.start, loop.end))
    return met(ends, before)


def for_loop(machine: Machine, frame: Frame, loop: For, state: State) -> list[State]:
    before, values = state.conditions, list(state.arguments)
    if loop.words is not None:
        expander = Expander(machine, frame, state)
        purpose = Purpose(SiteKind.ASSIGN, loop.name)
        values = [value for word in loop.words for value in expander.fields(word, purpose)]
    if any(value.many for value in values) or len(values) > ROUNDS_CAP:
        state.variables[loop.name] = Variable(unknown(loop.name))
        return met(_blurred(machine, frame, loop.body, state, (loop.start, loop.end)), before)
    running, ends = [state], []
    for value in values:
        if machine.exhausted:
            break
        for one in running:
            exported = loop.name in one.variables and one.variables[loop.name].exported
            one.variables[loop.name] = Variable(value, exported)
        running, left = _after_round(machine.execute(frame, loop.body, running))
        ends += left
    return met([*ends, *running], before)


def _after_round(states: Sequence[State]) -> tuple[list[State], list[State]]:
    """The states that go on to the next round, and those that leave the loop."""
    running: list[State] = []
    left: list[State] = []
    for state in states:
        if state.flow not in (Flow.BREAK, Flow.CONTINUE):
            (running if state.flow is Flow.ON else left).append(state)
        elif state.levels > 1:
            state.levels -= 1
            left.append(state)
        else:
            (left if state.flow is Flow.BREAK else running).append(state)
            state.flow, state.levels = Flow.ON, 0
    return running, left


def _blurred(
    machine: Machine, frame: Frame, body: Sequence[Statement], state: State, span: tuple[int, int]
) -> list[State]:
    """An unknown number of rounds: the body is seen once, and what it may change is unknown before and after."""
    _blur(state, tuple(body))
    inside = state.copy()
    inside.conditions = (*inside.conditions, condition_of(frame, *span, holds=True, decided=False))
    running, left = _after_round(machine.execute(frame, body, [inside]))
    for one in (*running, *left):
        _blur(one, tuple(body))
    gone = [one for one in left if one.flow is not Flow.ON]
    return [*gone, *state.end(Status.UNKNOWN)]


def _blur(state: State, body: tuple[Statement, ...]) -> None:
    names, wild = assigned(body)
    for name in state.variables if wild else names:
        exported = name in state.variables and state.variables[name].exported
        state.variables[name] = Variable(unknown(name), exported)
    if wild:
        state.open = True
    if wild or "@" in names:
        state.arguments = (unknown("@", many=True),)
    if wild or "PWD" in names:
        state.directory = None


@lru_cache(maxsize=256)
def assigned(body: tuple[Statement, ...]) -> tuple[frozenset[str], bool]:
    """Names that statements may assign ("@" the arguments, "PWD" the directory); whether they may assign any name."""
    names: set[str] = set()
    wild = False
    for node in _walk(body):
        match node:
            case Assignment(name) | For(name):
                names.add(name)
            case Unsupported(more):
                names.update(more)
            case Declaration(_, items):
                names.update(item.literal or "" for item in items if isinstance(item, Word))
            case Simple(_, words) if words:
                first = words[0].literal
                wild = wild or first in (".", "source", "eval")
                names.update(_assigned_by(first or "", words))
    return frozenset(names), wild


def _assigned_by(name: str, words: Sequence[Word]) -> Iterator[str]:
    if name in ("read", "mapfile", "readarray", "unset", "printf", "getopts", "let"):
        yield from (word.literal.partition("=")[0] for word in words[1:] if word.literal)
    elif name in ("shift", "set"):
        yield "@"
    elif name in ("cd", "pushd", "popd"):
        yield "PWD"


def _walk(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for item in node:
            yield from _walk(item)
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from _walk(getattr(node, field.name))
