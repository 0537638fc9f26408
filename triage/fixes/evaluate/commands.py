"""Simple commands: words are expanded, assignments made, and what the first word names is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from triage.fixes.evaluate.calls import dispatch
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.invocation import Call
from triage.fixes.evaluate.machine import CARRIED_PER_STEP, Frame, Machine
from triage.fixes.evaluate.state import Array, State, Status, Variable
from triage.fixes.evaluate.values import Purpose, Site, SiteKind, Value, known, unknown, without_line_end
from triage.fixes.evaluate.written import written
from triage.fixes.shell.syntax import Assignment, Declaration, Redirect, Simple, Word

PIECES_CAP = 5_000
TEXT_CAP = 1_000_000


def simple(machine: Machine, frame: Frame, command: Simple, state: State) -> list[State]:
    if command.words:
        machine.count(state, CARRIED_PER_STEP)
    else:
        machine.steps += 1  # an assignment looks at its own name only
    if any(redirect.takes_output for redirect in command.redirects):
        plain = replace(command, redirects=tuple(one for one in command.redirects if one.gives_input))
        return redirected(machine, frame, command.redirects, state, lambda one: simple(machine, frame, plain, one))
    if fed := [redirect.body for redirect in command.redirects if redirect.gives_input]:
        return _given(machine, frame, replace(command, redirects=()), state, fed[-1])
    expander = Expander(machine, frame, state)
    words = [value for word in command.words for value in expander.fields(word)]
    if not words:
        state.end(Status.TRUE)
        for assignment in command.assignments:
            assign(machine, frame, state, assignment)
        return [state]
    environment = {}
    for assignment in command.assignments:
        if isinstance(assignment.value, Word):
            value = expander.text(assignment.value, Purpose(SiteKind.CALL_ENV, assignment.name))
            environment[assignment.name] = value if value.pieces else known("")
    if state.unbound:
        return [state]  # it does not run
    call = call_of(frame, command.start, command.end, command.argument_end, tuple(words))
    if machine.sentinel is not None and machine.sentinel.call == call.key:
        words.append(machine.sentinel.value)
    return dispatch(machine, frame, state, call, tuple(words), environment)


def _given(machine: Machine, frame: Frame, command: Simple, state: State, body: Word | None) -> list[State]:
    """Runs a command that reads the text of a heredoc, or of what is not known (None)."""
    outer, state.input = state.input, None
    if body is not None:
        text = Expander(machine, frame, state).text(body)
        state.input = text if text.pieces else known("")
    ends = simple(machine, frame, command, state)
    for end in ends:
        end.input = outer
    return ends


def call_of(frame: Frame, start: int, end: int, argument_end: int, words: tuple[Value, ...]) -> Call:
    script = frame.script
    return Call(
        script.path,
        script.line(start),
        script.start_of(start),
        script.end_of(end),
        script.end_of(argument_end),
        words,
        insertable=not script.dynamic,
        nested=script.nested,
        span=script.span if script.nested else (0, 0),
    )


def assign(machine: Machine, frame: Frame, state: State, assignment: Assignment, *, exported: bool = False) -> None:
    """`NAME=value`, `NAME+=value`, `NAME[i]=value`, `NAME=(...)`. What a trace shows pins an unknown value."""
    name, expander = assignment.name, Expander(machine, frame, state)
    before = state.variables.get(name)
    purpose = Purpose(SiteKind.ASSIGN, name)
    if isinstance(assignment.value, Word):
        value: Value | Array = _pinned(machine, frame, state, assignment, expander.text(assignment.value, purpose))
    else:
        value = Array(tuple(one for word in assignment.value for one in expander.fields(word, purpose)))
    _remember(machine, name, value)
    if assignment.index is not None:
        value = _element(value)
    elif assignment.append and before is not None:
        value = _appended(before.value, value)
    state.variables[name] = Variable(_bounded(name, value), exported or (before is not None and before.exported))
    state.missing -= {name}


def _remember(machine: Machine, name: str, value: Value | Array) -> None:
    if isinstance(value, Value) and value.text is not None:
        machine.assigned.setdefault(name, set()).add(value.text)
        if any(site.kind is SiteKind.DEFAULT for site in value.sites):
            machine.defaulted.add(name)


def _bounded(name: str, value: Value | Array) -> Value | Array:
    """A value that a loop has let grow beyond all use is unknown."""
    elements = value.elements if isinstance(value, Array) else (value,)
    pieces = sum(len(one.pieces) for one in elements)
    if (
        len(elements) + pieces > PIECES_CAP
        or sum(len(piece.text or "") for one in elements for piece in one.pieces) > TEXT_CAP
    ):
        return unknown(name) if isinstance(value, Value) else Array((unknown(name, many=True),))
    return value


def _pinned(machine: Machine, frame: Frame, state: State, assignment: Assignment, value: Value) -> Value:
    text = machine.pins.variables.get(assignment.name)
    certain = value.known and assignment.name not in machine.pins.overrides
    if certain or text is None or assignment.append or assignment.index is not None:
        return value
    if value.known and not any(site.kind is SiteKind.DEFAULT for site in value.sites):
        return value
    fact: Site = frame.script.site(assignment.start, assignment.end, SiteKind.FACT, assignment.name, state.conditions)
    return known(text, fact)


def _element(value: Value | Array) -> Array:
    """One element by index: which one is not followed, so the array is unknown."""
    name = str(value) if isinstance(value, Value) else ""
    return Array((unknown(name or "element", many=True),))


def _appended(before: Value | Array, value: Value | Array) -> Value | Array:
    match before, value:
        case Array(elements), Array(more):
            return Array((*elements, *more))
        case Array(elements), Value():
            first = Value((*(elements[0].pieces if elements else ()), *value.pieces))
            return Array((first, *elements[1:]))
        case Value(), Array(more):
            return Array((before, *more))
        case Value(pieces), Value(more_pieces):
            return Value((*pieces, *more_pieces))
        case _:
            return value


def declaration(machine: Machine, frame: Frame, statement: Declaration, state: State) -> list[State]:
    """`export` and its kin. Inside a function `local`, `declare` and `typeset` hide the outer variable."""
    expander = Expander(machine, frame, state)
    flags = "".join(item.literal or "" for item in statement.items if isinstance(item, Word) and _is_flag(item))
    exported = statement.keyword == "export" or "x" in flags
    hides = statement.keyword in ("local", "declare", "typeset") and bool(state.saved) and "g" not in flags
    if "n" in flags and statement.keyword != "export":
        _forget(state)
    if "f" in flags:
        names = {value.text for item in statement.items if isinstance(item, Word) for value in expander.fields(item)}
        state.shared |= {name for name in names if name in state.functions}
        return state.end(Status.TRUE)
    for item in statement.items:
        if isinstance(item, Assignment):
            if hides:
                _hide(state, item.name)
            assign(machine, frame, state, item, exported=exported)
            if "A" in flags or "n" in flags:
                state.variables[item.name] = Variable(Array((unknown(item.name, many=True),)), exported)
        elif not _is_flag(item):
            for value in expander.fields(item):
                _declare(state, value, exported=exported and "n" not in flags, hides=hides, empty="A" not in flags)
    return state.end(Status.TRUE)


def _forget(state: State) -> None:
    """A name for another variable: from here on any assignment may change any variable."""
    for name, one in state.variables.items():
        state.variables[name] = Variable(unknown(name), one.exported)
    state.open = True


def _is_flag(word: Word) -> bool:
    return (word.literal or "").startswith(("-", "+"))


def _hide(state: State, name: str) -> None:
    saved = dict(state.saved[-1])
    saved.setdefault(name, state.variables.get(name))
    state.saved = (*state.saved[:-1], saved)


def _declare(state: State, value: Value, *, exported: bool, hides: bool, empty: bool) -> None:
    """A name without a value: exported as it is, or hidden and unset. `NAME=value` may come out of an expansion."""
    name, equals, _ = value.head.partition("=")
    if equals and name.isidentifier():
        state.variables[name] = Variable(value.after(f"{name}="), exported)
        return
    if not name.isidentifier():
        return
    if hides:
        _hide(state, name)
        state.variables.pop(name, None)
    if not empty:
        state.variables[name] = Variable(Array((unknown(name, many=True),)), exported)
    elif name in state.variables:
        state.variables[name] = Variable(state.variables[name].value, exported or state.variables[name].exported)


def redirected(
    machine: Machine,
    frame: Frame,
    redirects: Sequence[Redirect],
    state: State,
    body: Callable[[State], list[State]],
) -> list[State]:
    """Runs `body` with its output going to a file, where it goes there: `2>` leaves it as it is. What goes to
    $GITHUB_ENV is the environment of later steps."""
    targets = []
    for redirect in redirects:
        if redirect.takes_output and redirect.target is not None:
            targets.append(Expander(machine, frame, state).text(redirect.target))
            where = f"{frame.script.path}:{frame.script.line(redirect.target.start)}"
            written(machine, state, where, targets[-1], adds=redirect.operator.endswith(">>"))
    if not targets:
        return body(state)
    outer, state.output = state.output, ()
    ends = body(state)
    for end in ends:
        if any(is_environment_file(target) for target in targets):
            keep_environment(end, end.output or ())
        end.output = outer
    return ends


def is_environment_file(value: Value) -> bool:
    return len(value.pieces) == 1 and value.pieces[0].name == "GITHUB_ENV"


def keep_environment(state: State, output: Sequence[Value]) -> None:
    """Lines `NAME=value`; what is no such line may set any name (key "")."""
    for value in output:
        name, equals, rest = value.head.partition("=")
        if not equals or not name.isidentifier() or "\n" in rest.rstrip("\n"):
            state.exports[""] = unknown("GITHUB_ENV")
        else:
            state.exports[name] = without_line_end(value.after(f"{name}="))
