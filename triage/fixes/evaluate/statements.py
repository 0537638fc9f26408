"""Control flow: every path that the unknowns allow is followed, and equal paths are one again where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.evaluate.branches import and_or, case_statement, if_statement
from triage.fixes.evaluate.commands import declaration, redirected, simple
from triage.fixes.evaluate.conditions import Decision, double_bracket
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.loops import for_loop, while_loop
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.state import Defined, Flow, State, Status, Variable, merge
from triage.fixes.evaluate.values import Value, unknown
from triage.fixes.shell.syntax import (
    AndOr,
    Case,
    Declaration,
    For,
    Function,
    Group,
    If,
    Let,
    Loop,
    Not,
    Pipeline,
    Simple,
    Statement,
    Test,
    Unsupported,
)


def run(machine: Machine, frame: Frame, body: Sequence[Statement], states: list[State]) -> list[State]:
    """The states that the statements lead to. States whose flow has left stay as they are."""
    for statement in body:
        live = [state for state in states if state.flow is Flow.ON]
        if not live:
            break
        left = [state for state in states if state.flow is not Flow.ON]
        states = merge([*left, *(after for state in live for after in _step(machine, frame, statement, state))])
    return states


def _step(machine: Machine, frame: Frame, statement: Statement, state: State) -> list[State]:
    ends = [_bound(machine, frame, end) for end in _statement(machine, frame, statement, state)]
    if not frame.guarded and isinstance(statement, Simple | Pipeline | Test | Let):
        for end in ends:
            if end.status is Status.FALSE and end.flow is Flow.ON and "errexit" in end.options:
                end.flow = Flow.EXIT
    return ends


def _bound(machine: Machine, frame: Frame, state: State) -> State:
    """A name that is surely unset ends the shell under `set -u`, inside a condition too."""
    if state.unbound:
        machine.note(f"{frame.script.path}: `{state.unbound}` is not set, which ends the script under `set -u`")
        state.end(Status.FALSE, Flow.EXIT)
        state.unbound = ""
    return state


def _statement(machine: Machine, frame: Frame, statement: Statement, state: State) -> list[State]:  # noqa: C901 - one arm each
    match statement:
        case Simple():
            return simple(machine, frame, statement, state)
        case Declaration():
            return declaration(machine, frame, statement, state)
        case Pipeline(stages):
            return _pipeline(machine, frame, stages, state)
        case AndOr():
            return and_or(machine, frame, statement, state)
        case Not(body):
            return _negated(run(machine, replace(frame, guarded=True), (body,), [state]))
        case Group():
            return _group(machine, frame, statement, state)
        case If():
            return if_statement(machine, frame, statement, state)
        case Loop():
            return while_loop(machine, frame, statement, state)
        case For():
            return for_loop(machine, frame, statement, state)
        case Case():
            return case_statement(machine, frame, statement, state)
        case Function(name, body):
            state.functions[name] = Defined(body, frame.script)
            return state.end(Status.TRUE)
        case Let(expression):
            number, _ = Expander(machine, frame, state).number(expression)
            return _decided(state, Decision(None if number is None else number != 0))
        case Test(tokens):
            return _decided(state, double_bracket(Expander(machine, frame, state), tokens))
        case Unsupported():
            return _unsupported(machine, frame, statement, state)


def _decided(state: State, decision: Decision) -> list[State]:
    status = {True: Status.TRUE, False: Status.FALSE, None: Status.UNKNOWN}[decision.holds]
    state.end(status)
    state.reason = decision.reason
    return [state]


def _unsupported(machine: Machine, frame: Frame, statement: Unsupported, state: State) -> list[State]:
    """Whatever it may assign is unknown afterwards."""
    line = frame.script.line(statement.start)
    machine.note(f"{frame.script.path}:{line}: this shell syntax is not evaluated")
    for name in statement.names:
        state.variables[name] = Variable(unknown(name))
    return state.end(Status.UNKNOWN)


def _negated(states: list[State]) -> list[State]:
    flipped = {Status.TRUE: Status.FALSE, Status.FALSE: Status.TRUE}
    for state in states:
        state.status = flipped.get(state.status, Status.UNKNOWN)
    return states


def _pipeline(machine: Machine, frame: Frame, stages: Sequence[Statement], state: State) -> list[State]:
    """Every stage runs in a subshell; the last one's output is the pipeline's."""
    given = state.input
    for at, stage in enumerate(stages):
        inner = state.copy()
        inner.input, inner.trap = given, None
        last = at == len(stages) - 1
        if not last:
            inner.output = ()
        ends = run(machine, replace(frame, guarded=frame.guarded or not last), (stage,), [inner])
        outputs = {end.output for end in ends}
        printed = outputs.pop() if len(outputs) == 1 else (unknown("output"),)
        given = Value(tuple(piece for value in printed or () for piece in value.pieces))
        _keep(state, ends)
        if last and state.output is not None:
            state.output = printed
    return [state]


def _keep(state: State, ends: Sequence[State]) -> None:
    """What outlives a subshell: its status and what it wrote to files."""
    statuses = {end.status for end in ends}
    state.status = statuses.pop() if len(statuses) == 1 else Status.UNKNOWN
    for end in ends:
        state.exports |= end.exports


def _group(machine: Machine, frame: Frame, group: Group, state: State) -> list[State]:
    if group.redirects:
        inner = Group(group.body, group.subshell)
        outer = state.input
        state.input = None if any(redirect.gives_input for redirect in group.redirects) else outer
        ends = redirected(machine, frame, group.redirects, state, lambda one: _group(machine, frame, inner, one))
        for end in ends:
            end.input = outer
        return ends
    if not group.subshell:
        return run(machine, frame, group.body, [state])
    inside = state.copy()
    inside.trap = None
    ends = run(machine, frame, group.body, [inside])
    _keep(state, ends)
    outputs = {end.output for end in ends}
    if state.output is not None:
        state.output = outputs.pop() if len(outputs) == 1 else (*state.output, unknown("output", many=True))
    return [state]
