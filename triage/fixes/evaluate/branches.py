"""Where paths part: `&&`, `||`, `if`, `case`. Undecided tests are followed both ways, and where the ways meet again
equal ones become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.evaluate.conditions import Decision, either, equal
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.state import Flow, State, Status, merge
from triage.fixes.evaluate.values import Condition, Value
from triage.fixes.shell.syntax import AndOr, Branch, Case, Function, Group, If, Not, Statement, Word

TEST_CAP = 100


def and_or(machine: Machine, frame: Frame, statement: AndOr, state: State) -> list[State]:
    """A program is taken to succeed before `&&`; before `||` both ways are followed. Undecided tests fork."""
    before, ends = state.conditions, []
    wanted = Status.TRUE if statement.operator == "&&" else Status.FALSE
    for left in machine.execute(replace(frame, guarded=True), (statement.left,), [state]):
        if left.flow is not Flow.ON or left.status not in (wanted, Status.PROGRAM, Status.UNKNOWN):
            ends.append(left)
            continue
        if left.status is wanted or (left.status is Status.PROGRAM and statement.operator == "&&"):
            ends += machine.execute(frame, (statement.right,), [left])
            continue
        if left.status is Status.PROGRAM and machine.assumptions.succeed:
            ends += left.end(Status.TRUE)
            continue
        other = left.copy()
        other.end(Status.FALSE if statement.operator == "&&" else Status.TRUE)
        span = _span(statement.left)
        holds = statement.operator == "&&"
        left.conditions = (*left.conditions, condition_of(frame, *span, holds=holds, decided=False))
        ends += [*machine.execute(frame, (statement.right,), [left]), other]
    return met(ends, before)


def _span(statement: Statement) -> tuple[int, int]:
    match statement:
        case AndOr(left, _, right):
            return _span(left)[0], _span(right)[1]
        case Not(body):
            return _span(body)
        case Group(body) if body:
            return _span(body[0])[0], _span(body[-1])[1]
        case If(branches):
            return branches[0].start, branches[-1].end
        case Group() | Function():
            return 0, 0
        case _:
            return statement.start, statement.end


def met(ends: list[State], before: tuple[Condition, ...]) -> list[State]:
    """Paths after a branch: equal ones merge, and where only one goes on, the branch no longer limits it."""
    merged = merge(ends, before)
    live = [state for state in merged if state.flow is Flow.ON]
    if len(live) == 1:
        live[0].conditions = before
        return merged
    for state in live:
        state.conditions = tuple(one for one in state.conditions if one in before or not one.decided)
    return merged


def if_statement(machine: Machine, frame: Frame, statement: If, state: State) -> list[State]:
    before, pending, ends = state.conditions, [state], []
    for branch in statement.branches:
        untaken: list[State] = []
        for tested in machine.execute(replace(frame, guarded=True), branch.condition, pending):
            if tested.flow is not Flow.ON:
                ends.append(tested)
                continue
            yes, no = _fork(frame, branch, tested)
            ends += machine.execute(frame, branch.body, yes)
            untaken += no
        pending = untaken
    for state in pending:
        state.status = Status.TRUE
    ends += machine.execute(frame, statement.otherwise, pending)
    return met(ends, before)


def _fork(frame: Frame, branch: Branch, state: State) -> tuple[list[State], list[State]]:
    """The states on which the branch is taken and not taken, each with its condition."""
    decided = state.status in (Status.TRUE, Status.FALSE)
    yes = condition_of(frame, branch.start, branch.end, holds=True, decided=decided, reason=state.reason)
    no = replace(yes, holds=False)
    if decided:
        taken = state.status is Status.TRUE
        state.conditions = (*state.conditions, yes if taken else no)
        return ([state], []) if taken else ([], [state])
    other = state.copy()
    state.conditions, other.conditions = (*state.conditions, yes), (*state.conditions, no)
    return [state], [other]


def condition_of(frame: Frame, start: int, end: int, *, holds: bool, decided: bool, reason: str = "") -> Condition:
    script = frame.script
    return Condition(script.text(start, end)[:TEST_CAP], holds, script.path, script.line(start), decided, reason)


def case_statement(machine: Machine, frame: Frame, statement: Case, state: State) -> list[State]:
    before, pending, ends = state.conditions, [state], []
    subject = Expander(machine, frame, state).text(statement.subject)
    falling: list[State] = []
    for patterns, body, ending in statement.items:
        taken, pending = _case_item(machine, frame, statement, subject, patterns, pending)
        after = machine.execute(frame, body, [*falling, *taken])
        falling = [one for one in after if ending == ";&" and one.flow is Flow.ON]
        if ending == ";;&":
            pending += after
        elif ending != ";&":
            ends += after
    return met([*ends, *falling, *pending], before)


def _case_item(
    machine: Machine, frame: Frame, case: Case, subject: Value, patterns: Sequence[Word], pending: list[State]
) -> tuple[list[State], list[State]]:
    """The states that take an item, and those that go on to the next."""
    taken, rest = [], []
    for state in pending:
        decision = _any_pattern(Expander(machine, frame, state), subject, patterns)
        decided = decision.holds is not None
        test = condition_of(
            frame, case.subject.start, case.subject.end, holds=True, decided=decided, reason=decision.reason
        )
        test = replace(test, test=f"{test.test} in {_shown(frame, patterns)}"[:TEST_CAP])
        if decision.holds is not True:
            other = state.copy()
            other.conditions = (*other.conditions, replace(test, holds=False))
            rest.append(other)
        if decision.holds is not False:
            state.conditions = (*state.conditions, test)
            taken.append(state)
    return taken, rest


def _shown(frame: Frame, patterns: Sequence[Word]) -> str:
    return " | ".join(frame.script.text(word.start, word.end) for word in patterns)


def _any_pattern(expander: Expander, subject: Value, patterns: Sequence[Word]) -> Decision:
    decision = Decision(False)
    for word in patterns:
        decision = either(decision, equal(expander, subject, expander.text(word), expander.pattern(word)))
    return decision
