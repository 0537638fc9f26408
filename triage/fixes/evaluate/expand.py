"""Words to values: quoting, expansion, splitting into fields, pathname expansion, in the order of the shell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from triage.fixes.evaluate import arithmetic, parameters
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.pathnames import pathnames
from triage.fixes.evaluate.patterns import glob_of, is_pattern
from triage.fixes.evaluate.places import lookup
from triage.fixes.evaluate.state import Array, State, Variable
from triage.fixes.evaluate.values import (
    ONE_WORD,
    Piece,
    Purpose,
    Site,
    SiteKind,
    Value,
    cut,
    join,
    known,
    unknown,
    without_line_end,
)
from triage.fixes.shell.script import literal_pieces
from triage.fixes.shell.syntax import Arithmetic, Literal, Opaque, Parameter, Part, Substitution, Word

_BLANKS = " \t\n"
COMMAND = Purpose()


class Break(NamedTuple):
    """Between two fields that `"$@"` or an array made of one word."""


Items = list[Piece | Break]


class Expander:
    """Expands words of one frame on one state. `${X:=y}` and `$((x++))` change the state."""

    def __init__(self, machine: Machine, frame: Frame, state: State) -> None:
        self.machine, self.frame, self.state = machine, frame, state

    def fields(self, word: Word, purpose: Purpose = COMMAND) -> list[Value]:
        """The arguments that a word becomes: none, one or several."""
        found = []
        items = self._items(word, purpose)
        if "IFS" in self.state.variables and any(isinstance(item, Piece) and item.bare and item.via for item in items):
            return [unknown(self.frame.script.text(word.start, word.end), many=True)]
        for pieces in _split(items):
            if is_pattern(pieces):
                found += pathnames(self.machine, self.state, tuple(pieces), glob_of(pieces))
            else:
                found.append(Value(tuple(_settled(piece) if piece.bare else piece for piece in pieces)))
        return found

    def text(self, word: Word, purpose: Purpose = COMMAND) -> Value:
        """One value, neither split nor matched against files: assignments, `case`, `[[ ]]`."""
        pieces = []
        for item in self._items(word, purpose):
            if isinstance(item, Break):
                pieces.append(Piece(" "))
            else:
                pieces.append(replace(item, bare=False, many=False) if item.bare or item.many else item)
        return Value(tuple(pieces))

    def pattern(self, word: Word) -> str | None:
        """A pattern, what was quoted in it escaped; None when a part is unknown."""
        return glob_of([Piece(" ") if isinstance(item, Break) else item for item in self._items(word, COMMAND)])

    def _items(self, word: Word, purpose: Purpose) -> Items:
        items: Items = []
        for part in word.parts:
            items += self._part(part, purpose)
        return items

    def _part(self, part: Part, purpose: Purpose) -> Items:
        script, conditions = self.frame.script, self.state.conditions
        match part:
            case Literal(text, start, end, quote):
                site = script.site(start, end, purpose.kind, purpose.name, conditions, quote)
                return list(literal_pieces(script, text, start, end, site, bare=quote == ""))
            case Parameter():
                return self._parameter(part)
            case Arithmetic():
                return [self._arithmetic(part)]
            case Substitution():
                return self._substitution(part)
            case Opaque(start, end, quoted):
                return [Piece(None, name=script.text(start, end), many=not quoted, bare=not quoted)]

    def _parameter(self, part: Parameter) -> Items:
        site = self.frame.script.site(part.start, part.end, SiteKind.LITERAL, part.name, self.state.conditions)
        found = parameters.expand(self, part)
        if isinstance(found, Word):
            return self._items(found, Purpose(SiteKind.DEFAULT, part.name))
        if isinstance(found, Value):
            return list(self._read(found, part, site))
        items: Items = []
        for value in found.elements:
            items += [*([Break()] if items else []), *self._read(value, part, site)]
        return items

    def _read(self, value: Value, part: Parameter, site: Site) -> Iterator[Piece]:
        """A value as it is read here: unquoted it may be split, and what is unknown may be any number of words."""
        bare = not part.quoted
        for piece in value.pieces or (Piece(""),):
            many = piece.many or (bare and piece.text is None and piece.name not in ONE_WORD)
            yield Piece(piece.text, piece.site, (site, *piece.via), piece.name, many, bare)

    def _arithmetic(self, part: Arithmetic) -> Piece:
        script, conditions = self.frame.script, self.state.conditions
        site = script.site(part.start, part.end, SiteKind.COMPUTED, "", conditions)
        number, sources = self.number(part.expression)
        if number is None:
            return Piece(None, site, sources, name=script.text(part.start, part.end))
        return Piece(str(number), site, sources)

    def number(self, expression: Word) -> tuple[int | None, tuple[Site, ...]]:
        """The value of an arithmetic expression, and the sites that it was computed from."""
        value = self.text(expression)
        sources = [site for piece in value.pieces if piece.via and piece.site is not None for site in (piece.site,)]
        if value.text is None:
            return None, tuple(sources)

        def read(name: str) -> int | None:
            found = lookup(self.machine, self.frame, self.state, name)
            found = (found.elements or (known(""),))[0] if isinstance(found, Array) else found
            if found is None:
                return None if "nounset" in self.state.options else 0
            sources.extend(found.sites)
            if found.text is None:
                return None
            return arithmetic.compute(found.text, lambda inner: None if inner == name else read(inner), write)

        def write(name: str, number: int | None) -> None:
            before = self.state.variables.get(name)
            value = unknown(name) if number is None else known(str(number))
            self.state.variables[name] = Variable(value, before.exported if before else False)

        return arithmetic.compute(value.text, read, write), tuple(dict.fromkeys(sources))

    def _substitution(self, part: Substitution) -> Items:
        """Runs in a subshell whose output is kept; paths that print different things make it unknown."""
        inner = self.state.copy()
        inner.output, inner.trap = (), None
        frame = replace(self.frame, substitution=True, depth=self.frame.depth + 1)
        ends = self.machine.execute(frame, part.body, [inner])
        outputs = {_printed(state) for state in ends}
        name = f"$({self.frame.script.text(part.start, part.end)[2:-1].strip()})"
        value = outputs.pop() if len(outputs) == 1 else unknown(name)
        bare = not part.quoted
        return [
            replace(piece, bare=bare, many=bare and piece.name not in ONE_WORD, name=piece.name or name)
            if piece.text is None
            else replace(piece, bare=bare)
            for piece in value.pieces or (Piece(""),)
        ]


def _settled(piece: Piece) -> Piece:
    """No longer subject to splitting. (`dataclasses.replace` would take a third of the evaluator's time.)"""
    return Piece(piece.text, piece.site, piece.via, piece.name, piece.many)


def _printed(state: State) -> Value:
    """The output without the line ends at its end."""
    return without_line_end(join(state.output or ()))


def _split(items: Items) -> list[list[Piece]]:
    """Fields: bare text is cut at blanks, a field of nothing but bare emptiness is none."""
    fields: list[list[Piece]] = []
    current: list[Piece] = []
    for item in items:
        if isinstance(item, Break):
            fields.append(current)
            current = []
        elif not item.bare or item.text is None or not any(blank in item.text for blank in _BLANKS):
            current.append(item)
        else:
            current = _cut_at_blanks(item, item.text, current, fields)
    fields.append(current)
    return [field for field in fields if any(not piece.bare or piece.text != "" for piece in field)]


def _cut_at_blanks(item: Piece, text: str, current: list[Piece], fields: list[list[Piece]]) -> list[Piece]:
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] not in _BLANKS:
            end += 1
        if end > at:
            current.append(cut(item, at, end))
        if end < len(text):
            fields.append(current)
            current = []
        at = end + 1
    return current
