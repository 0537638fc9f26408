"""What a command's first word names: a function, a builtin, a script of the repository, a wrapper, or a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from triage.fixes.evaluate.builtins import BUILTINS
from triage.fixes.evaluate.entered import entered, inside_of
from triage.fixes.evaluate.entering import entry
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.machine import CALLS_CAP, Frame, Machine
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.printing import prints
from triage.fixes.evaluate.programs import SHELLS, ShellCall, ends_a_test, shell_call, unwrap, with_input
from triage.fixes.evaluate.script_files import fed_script, given_script, own_script, script_of
from triage.fixes.evaluate.state import Flow, State, Status, Variable
from triage.fixes.evaluate.submitting import runtime_variables
from triage.fixes.evaluate.traps import finished, set_trap
from triage.fixes.evaluate.values import Value, known, unknown
from triage.fixes.shell.parse import parse
from triage.fixes.shell.script import Script, value_script

Environment = Mapping[str, Value]


def dispatch(
    machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...], environment: Environment
) -> list[State]:
    """Runs one command. `words` are its expanded words, `call` where it stands."""
    name = words[0].text
    if machine.exhausted:
        much = f"more than {machine.enough} commands, or fewer with very many variables"
        machine.note(f"{call.path}:{call.line}: {much}: the rest was not followed")
        return state.end(Status.UNKNOWN, Flow.EXIT)
    if name in state.functions:
        if frame.depth >= CALLS_CAP:
            machine.note(f"{call.path}:{call.line}: calls nested deeper than {CALLS_CAP} were not followed")
            return state.end(Status.UNKNOWN)
        return _function(machine, frame, state, call, words, environment)
    match name:
        case "time" if len(words) > 1:
            rest = words[2:] if words[1].text == "-p" and len(words) > 2 else words[1:]
            return dispatch(machine, frame, state, call, rest, environment)
        case "trap":
            return set_trap(machine, state, call, words)
        case "exec" | "command" | "builtin":
            return _replaced(machine, frame, state, call, words, environment)
        case "source" | ".":
            return _source(machine, frame, state, call, words)
        case "eval":
            return _eval(machine, frame, state, call, words)
        case str() if name in BUILTINS:
            return BUILTINS[name](machine, frame, state, words)
        case _ if ends_a_test(words):
            return state.end(Status.FALSE)
        case _:
            return _program(machine, frame, state, call, words, environment)


def _replaced(
    machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...], environment: Environment
) -> list[State]:
    """`exec` ends the script; `command` and `builtin` look past functions; with `-v` it only asks."""
    rest = words[1:]
    options = [word.head for word in words[1:] if word.head.startswith("-")]
    if words[0].text == "command" and any("v" in option.lower() for option in options[:1]):
        state.say(unknown(f"command {' '.join(map(str, rest))}"))
        return state.end(Status.UNKNOWN)
    while rest and rest[0].head.startswith("-"):
        rest = rest[2:] if rest[0].head == "-a" else rest[1:]
    if not rest:
        return state.end(Status.TRUE)
    name = rest[0].text
    if name is not None and name in BUILTINS and words[0].text != "exec":
        return BUILTINS[name](machine, frame, state, rest)
    ends = _program(machine, frame, state, call, rest, environment)
    if words[0].text == "exec":
        for end in ends:
            end.flow = Flow.EXIT
    return ends


def _function(
    machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...], environment: Environment
) -> list[State]:
    defined = state.functions[words[0].text or ""]
    outer, hidden = state.arguments, {name: state.variables.get(name) for name in environment}
    state.arguments, state.saved = words[1:], (*state.saved, hidden)
    state.variables |= {name: Variable(value, exported=True) for name, value in environment.items()}
    entered = replace(call, function=words[0].text or "")
    inner = replace(frame, script=defined.script, calls=(*frame.calls, entered), depth=frame.depth + 1)
    ends = machine.execute(inner, (defined.body,), [state])
    for end in ends:
        for name, variable in end.saved[-1].items():
            if variable is None:
                end.variables.pop(name, None)
            else:
                end.variables[name] = variable
        end.arguments, end.saved = outer, end.saved[:-1]
        end.flow = Flow.ON if end.flow is Flow.RETURN else end.flow
    return ends


def _source(machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...]) -> list[State]:
    """Runs a file in this shell. One that cannot be read may set any name."""
    path = locate(machine, state, words[1]) if len(words) > 1 and not words[1].many else None
    if (
        path is None
        or not machine.is_file(path)
        or frame.depth >= CALLS_CAP
        or frame.recurs(script_of(machine, path).path)
    ):
        machine.note(f"{call.path}:{call.line}: what `{' '.join(map(str, words[:2]))}` sets is unknown")
        state.open = True
        return state.end(Status.PROGRAM)
    script = script_of(machine, path)
    outer = state.arguments
    state.arguments = words[2:] or outer
    entered = replace(call, enters=script.path)
    inner = replace(frame, script=script, calls=(*frame.calls, entered), source=words[1], depth=frame.depth + 1)
    ends = machine.execute(inner, parse(script.data), [state])
    for end in ends:
        end.flow = Flow.ON if end.flow is Flow.RETURN else end.flow
        end.arguments = outer if len(words) > 2 else end.arguments
    return ends


def _eval(machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...]) -> list[State]:
    pieces = [piece for word in words[1:] for piece in (*word.pieces, *known(" ").pieces)]
    value = Value(tuple(pieces[:-1]))
    if any(word.many for word in words) or value.text is None or frame.depth >= CALLS_CAP:
        machine.note(f"{call.path}:{call.line}: what `eval` runs is unknown")
        machine.record(_invocation(machine, frame, state, call, words, 0, {}))
        state.open = True
        return state.end(Status.PROGRAM)
    script = value_script(frame.script.path, frame.script.source, value, call.start, call.end)
    inner = replace(frame, script=script, calls=(*frame.calls, call), depth=frame.depth + 1)
    return machine.execute(inner, parse(script.data), [state])


def _program(
    machine: Machine, frame: Frame, state: State, call: Call, words: tuple[Value, ...], environment: Environment
) -> list[State]:
    """A program, behind any number of wrappers. A shell's script is followed, everything else is recorded."""
    at, seen = 0, dict(environment)
    while found := unwrap(words[at:]):
        seen |= dict(runtime_variables(words[at : at + found.at]))
        at += found.at
        for word in found.assignments:
            name = word.head.partition("=")[0]
            seen[name] = word.after(f"{name}=")
    name = (words[at].text or "").rpartition("/")[2]
    if (other := entry(words[at:], machine.containers)) is not None:
        machine.record(_invocation(machine, frame, state, call, words, at, seen))
        return entered(machine, frame, state, call, words[at:], other, seen, _program)
    if name in SHELLS and (shell := shell_call(words[at:])) is not None:
        followed = _shell(machine, frame, state, call, words[at:], shell, seen)
        if followed is not None:
            return followed
    elif name in SHELLS and frame.depth < CALLS_CAP and (given := fed_script(state, words[at:])) is not None:
        return _fed(machine, frame, state, call, given, words[at:], seen)
    elif (path := own_script(machine, state, words[at])) is not None and _goes_in(machine, frame, call, path):
        return _script(machine, frame, state, call, path, words[at:], frozenset(), seen)
    machine.record(_invocation(machine, frame, state, call, words, at, seen))
    prints(machine, state, name, words[at:], f"{call.path}:{call.line}")
    return state.end(Status.TRUE if machine.assumptions.succeed else Status.PROGRAM)


def _invocation(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    words: tuple[Value, ...],
    inner: int,
    environment: Environment,
) -> Invocation:
    exported = {
        name: one.value for name, one in state.variables.items() if one.exported and isinstance(one.value, Value)
    }
    return Invocation(
        with_input(words, inner),
        (*frame.calls, call),
        inner,
        machine.step,
        machine.step_name,
        state.conditions,
        exported | dict(environment),
        frame.substitution,
        machine.combination,
        state.directory,
        inside_of(machine, state),
        state.system.key if state.system is not None else "",
    )


def _shell(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    words: tuple[Value, ...],
    shell: ShellCall,
    environment: Environment,
) -> list[State] | None:
    """None when it is not known which script runs; the call is then recorded as a program."""
    if words[shell.at].many or frame.depth >= CALLS_CAP:
        return None
    if shell.text:
        value = words[shell.at]
        script = given_script(machine, frame, call, value)
        arguments = words[shell.at + 2 :]
        own_name = words[shell.at + 1 : shell.at + 2]
        return _nested(machine, frame, state, call, script, own_name, arguments, shell.options, environment)
    path = locate(machine, state, words[shell.at])
    if path is None or not machine.is_file(path):
        machine.note(f"{call.path}:{call.line}: the script `{words[shell.at]}` {machine.lack(path)}")
        return None
    if not _goes_in(machine, frame, call, path):
        return None
    return _script(machine, frame, state, call, path, words[shell.at :], shell.options, environment)


def _goes_in(machine: Machine, frame: Frame, call: Call, path: str) -> bool:
    """Whether a script is followed: it does not run already, and not too many do."""
    if frame.recurs(script_of(machine, path).path):
        machine.note(f"{call.path}:{call.line}: `{path}` runs itself, which was not followed further")
        return False
    return frame.depth < CALLS_CAP


def _fed(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    given: Value,
    words: tuple[Value, ...],
    environment: Environment,
) -> list[State]:
    """A script that the shell reads from its input: what its commands read there is the rest of it."""
    script = given_script(machine, frame, call, given)
    outer, state.input = state.input, None
    ends = _nested(machine, frame, state, call, script, words[:1], words[2:], frozenset(), environment)
    for end in ends:
        end.input = outer
    return ends


def _script(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    path: str,
    words: tuple[Value, ...],
    options: frozenset[str],
    environment: Environment,
) -> list[State]:
    script = script_of(machine, path)
    entered = replace(call, enters=script.path)
    return _nested(machine, frame, state, entered, script, words[:1], words[1:], options, environment)


def _nested(
    machine: Machine,
    frame: Frame,
    state: State,
    call: Call,
    script: Script,
    name: tuple[Value, ...],
    arguments: tuple[Value, ...],
    options: frozenset[str],
    environment: Environment,
) -> list[State]:
    """A script in a shell of its own, which sees what is exported; what it leaves undone is its caller's no concern."""
    inherited = {key: one for key, one in state.variables.items() if one.exported}
    inherited |= {key: Variable(value, exported=True) for key, value in environment.items()}
    inner = state.copy()
    functions = {name: body for name, body in state.functions.items() if name in state.shared}
    inner.variables, inner.functions, inner.arguments = inherited, functions, arguments
    inner.options, inner.saved, inner.folders, inner.trap = options, (), (), None
    source = name[0] if name and call.enters else Value()
    place = Frame(
        script,
        (*frame.calls, call),
        name[0] if name else known("bash"),
        source,
        frame.depth + 1,
        substitution=frame.substitution,
    )
    ends = finished(machine, place, machine.execute(place, parse(script.data), [inner]))
    machine.spare()
    outputs = {end.output for end in ends}
    if state.output is not None:
        state.output = outputs.pop() if len(outputs) == 1 else (*state.output, unknown("output", many=True))
    for end in ends:
        state.exports |= end.exports
    return state.end(Status.TRUE if machine.assumptions.succeed else Status.PROGRAM)
