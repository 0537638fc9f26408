"""`$name` and `${name...}`: which value is read, and what its operator makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from triage.fixes.evaluate.patterns import replaced, trim
from triage.fixes.evaluate.places import filled, lookup
from triage.fixes.evaluate.state import Array, Variable
from triage.fixes.evaluate.values import Piece, Purpose, Site, SiteKind, Value, known, unknown
from triage.fixes.numbers import whole
from triage.fixes.shell.syntax import Parameter, Word

if TYPE_CHECKING:
    from triage.fixes.evaluate.expand import Expander

_CASES: dict[str, Callable[[str], str]] = {
    ",,": str.lower,
    "^^": str.upper,
    ",": lambda text: text[:1].lower() + text[1:],
    "^": lambda text: text[:1].upper() + text[1:],
}


def expand(expander: Expander, part: Parameter) -> Value | Array | Word:
    """An array where the parameter stands for several fields (`$@`, `${A[@]}`); a word where its operand counts."""
    found = _selected(expander, part)
    if part.indirect:
        return _indirect(expander, part, found)
    if part.length:
        return _length(part, _plain(expander, part, found))
    match part.operator:
        case "":
            return _plain(expander, part, found)
        case ":-" | "-" | ":=" | "=" | ":+" | "+" | ":?" | "?":
            return _defaulted(expander, part, found)
        case ":":
            return _sliced(expander, part, found)
        case _ if found is None:
            return _plain(expander, part, found)
        case _ if isinstance(found, Array):
            return Array(tuple(_changed(expander, part, value) for value in found.elements))
        case _:
            return _changed(expander, part, found)


def _selected(expander: Expander, part: Parameter) -> Value | Array | None:
    """The element, the array or the value that name and index select; None when unset."""
    found = lookup(expander.machine, expander.frame, expander.state, part.name)
    index = part.index
    starred = part.quoted and ("*" in (part.name, index))
    if starred and "IFS" in expander.state.variables:
        return unknown(part.name)
    if part.name in ("@", "*"):
        return _joined(found) if part.name == "*" and part.quoted and isinstance(found, Array) else found
    if index in ("@", "*"):
        every = found if isinstance(found, Array) else Array(() if found is None else (found,))
        return _joined(every) if index == "*" and part.quoted else every
    elements = found.elements if isinstance(found, Array) else () if found is None else (found,)
    if index is None or isinstance(index, str):
        at: int | None = 0
    else:
        at, _ = expander.number(index)
    if at is None or any(value.many for value in elements[: at + 1]) or (at < 0 and any(v.many for v in elements)):
        return unknown(f"{part.name}[]")
    return elements[at] if -len(elements) <= at < len(elements) else None


def _joined(array: Array) -> Value:
    pieces: list[Piece] = []
    for value in array.elements:
        pieces += [*([Piece(" ")] if pieces else []), *value.pieces]
    return Value(tuple(pieces))


def _plain(expander: Expander, part: Parameter, found: Value | Array | None) -> Value | Array:
    if found is not None:
        return found
    if "nounset" not in expander.state.options:
        return Value()
    # A script that works has the name set by something that is not seen here; arguments are all seen.
    if whole(part.name) is not None or part.name in expander.state.missing or expander.machine.assumptions.closed:
        expander.state.unbound = part.name
    return unknown(part.name)


def _indirect(expander: Expander, part: Parameter, found: Value | Array | None) -> Value | Array:
    """`${!name}`: the variable that a variable names. Its other forms are unknown."""
    name = found.text if isinstance(found, Value) else None
    if part.operator or part.index is not None or name is None or not name.isidentifier():
        keys = part.index is not None or part.name in ("@", "*")
        return unknown(f"!{part.name}", many=keys or not part.quoted)
    target = lookup(expander.machine, expander.frame, expander.state, name)
    return _plain(expander, replace(part, name=name), target)


def _length(part: Parameter, found: Value | Array) -> Value:
    if isinstance(found, Array):
        exact = not any(value.many for value in found.elements)
        return known(str(len(found.elements))) if exact else unknown(f"#{part.name}")
    return unknown(f"#{part.name}") if found.text is None else known(str(len(found.text)))


def _defaulted(expander: Expander, part: Parameter, found: Value | Array | None) -> Value | Array | Word:
    """The forms with `-`, `=`, `+`, `?`; a colon before them takes an empty value for an unset one."""
    operand = part.operand or Word((), part.start, part.end)
    present = _present(found) if part.operator.startswith(":") else _set(found)
    if present is None:
        return unknown(part.name, many=isinstance(found, Array))
    match part.operator[-1]:
        case "+":
            return operand if present else Value()
        case _ if present and found is not None:
            return found
        case "-":
            return operand
        case "=":
            value = expander.text(operand, Purpose(SiteKind.DEFAULT, part.name))
            expander.state.variables[part.name] = Variable(value)
            return value
        case _:
            return unknown(part.name)


def _present(found: Value | Array | None) -> bool | None:
    if isinstance(found, Array):
        return _set(found) if len(found.elements) != 1 else filled(found.elements[0])
    return False if found is None else filled(found)


def _set(found: Value | Array | None) -> bool | None:
    if isinstance(found, Array):
        return None if found.elements and all(value.many for value in found.elements) else bool(found.elements)
    return found is not None


def _sliced(expander: Expander, part: Parameter, found: Value | Array | None) -> Value | Array:
    """`${A[@]:1}`, `${@:2:3}`, `${text:0:4}`."""
    if found is None:
        return _plain(expander, part, found)
    start = _number(expander, part.operand)
    size = None if part.second is None else _number(expander, part.second)
    if start is None or (part.second is not None and size is None):
        return unknown(part.name, many=isinstance(found, Array))
    if isinstance(found, Array):
        return _elements(expander, part, found, start, size)
    text = found.text
    if text is None or start < -len(text):
        return unknown(part.name)
    stop = _stop(len(text), start, size)
    return _computed(expander, part, found, text[start:stop] if stop is not None else text[start:])


def _elements(expander: Expander, part: Parameter, found: Array, start: int, size: int | None) -> Value | Array:
    """Arguments count from 1, elements of an array from 0. Beside an unknown number of elements nothing is sure."""
    elements = found.elements
    if part.name in ("@", "*"):
        elements = (expander.frame.name, *elements)
    if any(value.many for value in elements) or start < 0 or (size is not None and size < 0):
        return Array((unknown(part.name, many=True),))
    return Array(elements[start:] if size is None else elements[start : start + size])


def _number(expander: Expander, word: Word | None) -> int | None:
    return 0 if word is None else expander.number(word)[0]


def _stop(length: int, start: int, size: int | None) -> int | None:
    if size is None:
        return None
    first = start if start >= 0 else length + start
    return max(first, first + size if size >= 0 else length + size)


def _changed(expander: Expander, part: Parameter, value: Value) -> Value:
    """Case changes, removal of prefixes and suffixes, replacement."""
    text, operator = value.text, part.operator
    if operator in _CASES:
        plain = part.operand is None or not part.operand.parts
        return _computed(expander, part, value, _CASES[operator](text) if text is not None and plain else None)
    pattern = expander.pattern(part.operand) if part.operand is not None else ""
    if text is None or pattern is None:
        return _computed(expander, part, value, None)
    if operator[0] in "#%":
        result = trim(pattern, text, suffix=operator[0] == "%", longest=len(operator) == 2)
        return _computed(expander, part, value, result)
    new = expander.text(part.second).text if part.second is not None else ""
    return _computed(expander, part, value, None if new is None else replaced(pattern, text, new, operator))


def _computed(expander: Expander, part: Parameter, value: Value, result: str | None) -> Value:
    """A text that is written nowhere, with the places that it was computed from. Unchanged text keeps its places."""
    if result is not None and result == value.text:
        return value
    script, conditions = expander.frame.script, expander.state.conditions
    site: Site = script.site(part.start, part.end, SiteKind.COMPUTED, part.name, conditions)
    return Value((Piece(result, site, value.sites, name="" if result is not None else part.name),))
