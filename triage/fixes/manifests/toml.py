"""Where the strings of a TOML document stand. `tomllib` reads; a scan finds the bytes and is compared with it.

A document in which the two disagree is refused: no edit is made at a place that is only believed to be right.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.refusal import Refusal

Place = tuple[str | int, ...]

_BLANK = re.compile(rb"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(rb"[ \t]*")
_BARE = re.compile(rb"[A-Za-z0-9_-]+")
_OTHER = re.compile(rb"[^,\]}\n#]+")
_STRINGS = (
    re.compile(rb'"""(?P<text>(?:[^\\]|\\.)*?)"""(?!")', re.S),
    re.compile(rb"'''(?P<text>.*?)'''(?!')", re.S),
    re.compile(rb'"(?P<text>(?:[^"\\\n]|\\.)*)"'),
    re.compile(rb"'(?P<text>[^'\n]*)'"),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A string that stands at bytes `start`..`end` exactly as it reads, between its quotes."""

    place: Place
    value: str
    start: int
    end: int


def load(data: bytes) -> dict[str, object] | Refusal:
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return Refusal(f"is no TOML: {error}")


def strings(data: bytes) -> tuple[Placed, ...] | Refusal:
    """Every string that holds no escapes, in the document's order."""
    read = load(data)
    if isinstance(read, Refusal):
        return read
    expected = dict(_flat(read, ()))
    try:
        spans = dict(_Scan(data).document())
    except _UnreadableError as error:
        return Refusal(f"is laid out in a way that is not understood ({error})")
    if {place for place, value in expected.items() if isinstance(value, str)} != set(spans):
        return Refusal("is laid out in a way that is not understood")
    placed = []
    for place, (start, end) in spans.items():
        text = data[start:end].decode()
        if text == expected[place]:
            placed.append(Placed(place, text, start, end))
        elif not ({"\\", "\n"} & set(text)):
            return Refusal(f"{shown(place)} was read as `{expected[place]}` and found as `{text}`")
    return tuple(placed)


def scalars(data: bytes) -> dict[str, str] | Refusal:
    """Every value by its shown place; tables and arrays have one of their own, so that empty ones count."""
    read = load(data)
    return read if isinstance(read, Refusal) else {shown(place): repr(value) for place, value in _flat(read, ())}


def shown(place: Place) -> str:
    """`project.optional-dependencies.test[0]`; a key with other signs is quoted."""
    parts = []
    for key in place:
        plain = isinstance(key, str) and _BARE.fullmatch(key.encode())
        parts.append(f"[{key}]" if isinstance(key, int) else f".{key}" if plain else f'."{key}"')
    return "".join(parts).removeprefix(".")


def _flat(value: object, place: Place) -> Iterator[tuple[Place, object]]:
    match value:
        case dict():
            yield place, {}
            for key, inner in value.items():
                yield from _flat(inner, (*place, key))
        case list():
            yield place, []
            for index, inner in enumerate(value):
                yield from _flat(inner, (*place, index))
        case _:
            yield place, value


class _UnreadableError(Exception):
    """The scan met what it does not know."""


class _Scan:
    """Walks over the bytes of a document that `tomllib` has accepted."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.arrays: dict[Place, int] = {}

    def document(self) -> Iterator[tuple[Place, tuple[int, int]]]:
        table: Place = ()
        while self._skip(_BLANK) < len(self.data):
            if self._taken(b"[["):
                table = self._next_of(self._keys())
                self._expect(b"]]")
            elif self._taken(b"["):
                table = self._resolved(self._keys())
                self._expect(b"]")
            else:
                yield from self._pair(table)

    def _pair(self, table: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
        place = (*table, *self._keys())
        self._expect(b"=")
        self._skip(_SPACE)
        yield from self._value(place)

    def _value(self, place: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
        for pattern in _STRINGS:
            found = pattern.match(self.data, self.at)
            if found:
                self.at = found.end()
                yield place, found.span("text")
                return
        if self._taken(b"["):
            yield from self._items(place)
        elif self._taken(b"{"):
            yield from self._entries(place)
        else:
            before = self.at
            if self._skip(_OTHER) == before:
                raise _UnreadableError(f"byte {self.at}")

    def _items(self, place: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
        index = 0
        while not self._closed(b"]"):
            yield from self._value((*place, index))
            index += 1
            self._skip(_BLANK)
            if not self._taken(b",") and not self._stands(b"]"):
                raise _UnreadableError(f"byte {self.at}")

    def _entries(self, place: Place) -> Iterator[tuple[Place, tuple[int, int]]]:
        while not self._closed(b"}"):
            yield from self._pair(place)
            self._skip(_BLANK)
            if not self._taken(b",") and not self._stands(b"}"):
                raise _UnreadableError(f"byte {self.at}")

    def _keys(self) -> Place:
        keys = [self._key()]
        while self._taken(b"."):
            keys.append(self._key())
        return tuple(keys)

    def _key(self) -> str:
        self._skip(_SPACE)
        for pattern in (_BARE, *_STRINGS[2:]):
            found = pattern.match(self.data, self.at)
            if found:
                self.at = found.end()
                self._skip(_SPACE)
                return (found["text"] if pattern is not _BARE else found[0]).decode()
        raise _UnreadableError(f"byte {self.at}")

    def _resolved(self, keys: Place) -> Place:
        """Below an array of tables, its last one is meant."""
        place: Place = ()
        for key in keys:
            place = (*place, key)
            if place in self.arrays:
                place = (*place, self.arrays[place])
        return place

    def _next_of(self, keys: Place) -> Place:
        array = (*self._resolved(keys[:-1]), keys[-1])
        self.arrays[array] = self.arrays.get(array, -1) + 1
        return (*array, self.arrays[array])

    def _skip(self, pattern: re.Pattern[bytes]) -> int:
        found = pattern.match(self.data, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _closed(self, sign: bytes) -> bool:
        self._skip(_BLANK)
        if self.at >= len(self.data):
            raise _UnreadableError("it ends inside a value")
        return self._taken(sign)

    def _stands(self, sign: bytes) -> bool:
        return self.data.startswith(sign, self.at)

    def _taken(self, sign: bytes) -> bool:
        there = self._stands(sign)
        self.at += len(sign) if there else 0
        return there

    def _expect(self, sign: bytes) -> None:
        self._skip(_SPACE)
        if not self._taken(sign):
            raise _UnreadableError(f"byte {self.at}")
