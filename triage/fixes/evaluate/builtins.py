"""The shell's own commands, and small text programs whose output scripts build values from."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from triage.fixes.evaluate.conditions import Decision, bracket
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.places import locate, workspace
from triage.fixes.evaluate.programs import option_changes
from triage.fixes.evaluate.state import Array, Flow, State, Status, Variable
from triage.fixes.evaluate.values import Piece, Site, SiteKind, Value, unknown
from triage.fixes.numbers import whole

Builtin = Callable[[Machine, Frame, State, Sequence[Value]], list[State]]


def _true(_machine: Machine, _frame: Frame, state: State, _words: Sequence[Value]) -> list[State]:
    return state.end(Status.TRUE)


def _false(_machine: Machine, _frame: Frame, state: State, _words: Sequence[Value]) -> list[State]:
    return state.end(Status.FALSE)


def _undecided(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    state.say(unknown(f"$({' '.join(map(str, words[:2]))})"))
    return state.end(Status.UNKNOWN)


def _test(machine: Machine, frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    """A `[` that `&&`, `||` or the line ends before its `]` is an error of its own, and so false."""
    inner = words[1:]
    if words[0].text == "[":
        if words[-1].text != "]":
            place = next((f"{site.path}:{site.line}: " for site in words[0].sites), "")
            machine.note(f"{place}`[` ends before its `]`, which is never true: what stands behind it is not tested")
            return state.end(Status.FALSE)
        inner = inner[:-1]
    decision: Decision = bracket(Expander(machine, frame, state), inner)
    state.end({True: Status.TRUE, False: Status.FALSE, None: Status.UNKNOWN}[decision.holds])
    state.reason = decision.reason
    return [state]


def _echo(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    if state.output is None:
        return state.end(Status.TRUE)
    rest, newline, escapes = list(words[1:]), "\n", False
    while (
        rest
        and rest[0].text is not None
        and rest[0].text[:1] == "-"
        and rest[0].text[1:]
        and not set(rest[0].text[1:]) - set("neE")
    ):
        newline = "" if "n" in rest[0].text else newline
        escapes = escapes or "e" in rest[0].text
        rest.pop(0)
    pieces: list[Piece] = []
    for word in rest:
        pieces += [*([Piece(" ")] if pieces else []), *word.pieces]
    value = Value((*pieces, *([Piece(newline)] if newline else [])))
    state.say(unknown("$(echo -e)") if escapes and "\\" in str(value) else value)
    return state.end(Status.TRUE)


def _printf(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    """Formats without conversions, and `%s` once for each argument; others are unknown."""
    if len(words) > 2 and words[1].text == "-v" and (words[2].text or "").isidentifier():
        state.variables[words[2].text or ""] = Variable(unknown(words[2].text or ""))
        return state.end(Status.TRUE)
    text = words[1].text if len(words) > 1 else None
    text = None if text is None else text.replace("\\n", "\n")
    if text is None or "\\" in text or text.count("%") != text.count("%s") or text.count("%s") != len(words) - 2:
        state.say(unknown(f"$({' '.join(map(str, words[:2]))})"))
        return state.end(Status.TRUE)
    pieces: list[Piece] = []
    for at, part in enumerate(text.split("%s")):
        pieces += words[at + 1].pieces if at else ()
        pieces += [Piece(part)] if part else []
    state.say(Value(tuple(pieces)))
    return state.end(Status.TRUE)


def _cd(machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    targets = [word for word in words[1:] if not (word.text or "").startswith("-") or word.text == "-"]
    if words[0].text == "pushd":
        state.folders = (*state.folders, state.directory)
    if not targets or targets[0].text == "-" or targets[0].many:
        state.directory = None
    else:
        state.directory = locate(machine, state, targets[0])
    return state.end(Status.TRUE)


def _popd(_machine: Machine, _frame: Frame, state: State, _words: Sequence[Value]) -> list[State]:
    state.directory = state.folders[-1] if state.folders else None
    state.folders = state.folders[:-1]
    return state.end(Status.TRUE)


def _pwd(machine: Machine, _frame: Frame, state: State, _words: Sequence[Value]) -> list[State]:
    state.say(unknown("PWD") if state.directory is None else workspace(machine, state.directory, state.other_files))
    return state.end(Status.TRUE)


def _exit(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    flow = Flow.EXIT if words[0].text == "exit" else Flow.RETURN
    text = words[1].text if len(words) > 1 else None
    status = state.status if len(words) == 1 else Status.UNKNOWN
    if text is not None:
        status = Status.TRUE if text == "0" else Status.FALSE
    return state.end(status, flow)


def _break(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    text = words[1].text if len(words) > 1 else "1"
    state.levels = max(whole(text) or 1, 1)
    return state.end(Status.TRUE, Flow.BREAK if words[0].text == "break" else Flow.CONTINUE)


def _shift(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    text = words[1].text if len(words) > 1 else "1"
    count = whole(text)
    if count is None or count < 0 or any(value.many for value in state.arguments[:count]):
        state.arguments = (unknown("@", many=True),)
        return state.end(Status.UNKNOWN)
    if count > len(state.arguments):
        return state.end(Status.FALSE)
    state.arguments = state.arguments[count:]
    return state.end(Status.TRUE)


def _set(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    on, off, at = option_changes(words)
    state.options = (state.options | on) - off
    if at is not None:
        state.arguments = tuple(words[at:])
    return state.end(Status.TRUE)


def _unset(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    functions = any(word.text == "-f" for word in words)
    for word in words[1:]:
        name = word.text or ""
        if functions:
            state.functions.pop(name, None)
        elif name.isidentifier():
            state.variables.pop(name, None)
            state.missing |= {name}
    return state.end(Status.TRUE)


def _read(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    """Assigns what is not known here: input, the next option, the result of `let`."""
    array = words[0].text in ("mapfile", "readarray") or any(
        (word.text or "").startswith("-") and "a" in (word.text or "") for word in words
    )
    for word in words[1:]:
        name = word.head.partition("=")[0].rstrip("+-*/")
        if name.isidentifier():
            value: Value | Array = Array((unknown(name, many=True),)) if array else unknown(name)
            state.variables[name] = Variable(value)
    return state.end(Status.UNKNOWN)


def _derived(value: Value, text: str | None) -> Value:
    """A text computed from another: it is written nowhere, but its sources are known."""
    if text is None:
        return Value((Piece(None, None, value.sites, name=f"$({value})"),))
    first = next(iter(value.sites), None)
    site: Site | None = replace(first, kind=SiteKind.COMPUTED) if first is not None else None
    return Value((Piece(text, site, value.sites),))


def _basename(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    words = [word for word in words if word.text != "--"]
    value = words[1] if len(words) > 1 else Value()
    tail = (
        "".join(piece.text if piece.text is not None else "\0" for piece in value.pieces).rstrip("/").rpartition("/")[2]
    )
    suffix = words[2].text if len(words) > 2 else ""
    text = None if "\0" in tail or suffix is None or value.many or value.head.startswith("-") else tail
    if text is not None and suffix and text != suffix:
        text = text.removesuffix(suffix)
    state.say(_derived(value, text))
    return state.end(Status.TRUE)


def _dirname(_machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    """Also of a path whose head is unknown, as long as its last part is not."""
    words = [word for word in words if word.text != "--"]
    value = words[1] if len(words) > 1 else Value()
    if value.text is not None:
        state.say(
            _derived(value, posixpath.dirname(value.text.rstrip("/")) or ("/" if value.text.startswith("/") else "."))
        )
    else:
        last = value.pieces[-1].text or ""
        kept = last.rstrip("/").rpartition("/")
        usable = bool(kept[1]) and all(piece.text is not None for piece in value.pieces[1:])
        state.say(
            Value((*value.pieces[:-1], replace(value.pieces[-1], text=kept[0]))) if usable else _derived(value, None)
        )
    return state.end(Status.TRUE)


def _realpath(machine: Machine, _frame: Frame, state: State, words: Sequence[Value]) -> list[State]:
    named = [word for word in words[1:] if not word.head.startswith("-")]
    path = locate(machine, state, named[0]) if len(named) == 1 else None
    state.say(unknown("$(realpath)") if path is None else workspace(machine, path, state.other_files))
    return state.end(Status.TRUE)


BUILTINS: Mapping[str, Builtin] = {
    **dict.fromkeys((":", "true", "wait", "ulimit", "umask", "shopt", "alias", "hash", "disown"), _true),
    **dict.fromkeys(("type", "jobs", "kill", "compgen", "caller", "times"), _undecided),
    **dict.fromkeys(("[", "test"), _test),
    **dict.fromkeys(("cd", "pushd"), _cd),
    **dict.fromkeys(("exit", "return"), _exit),
    **dict.fromkeys(("break", "continue"), _break),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts", "let"), _read),
    **dict.fromkeys(("realpath", "readlink"), _realpath),
    "false": _false,
    "echo": _echo,
    "printf": _printf,
    "popd": _popd,
    "pwd": _pwd,
    "shift": _shift,
    "set": _set,
    "unset": _unset,
    "basename": _basename,
    "dirname": _dirname,
}
