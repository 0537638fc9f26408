"""Values with holes: text whose unknown parts stay unknown, and for every part the place that decides it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

# Unknowns that are one word without blanks: paths and names that systems do not let hold them, numbers.
ONE_WORD = frozenset(
    ("HOME", "PWD", "USER", "GITHUB_WORKSPACE", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "RUNNER_TEMP",
     "$(id -u)", "$(id -g)", "$(id -un)", "$(id -gn)", "$(nproc)", "$(whoami)", "$(hostname)", "$(uname -m)")
)  # fmt: skip


class SiteKind(StrEnum):
    """How a text came to stand where it stands."""

    LITERAL = "literal"  # in the command itself
    ASSIGN = "assign"  # NAME=text, also an element of an array
    DEFAULT = "default"  # the text after `:-` in ${NAME:-text}
    CALL_ENV = "call-env"  # NAME=text before a command
    YAML_ENV = "yaml-env"  # an `env:` entry of a workflow, job, step or container
    MATRIX = "matrix"
    INPUT = "input"  # `with:` or a default of a reusable workflow or an action
    COMPUTED = "computed"  # arithmetic, case change, pattern removal: the text itself is written nowhere
    FACT = "fact"  # the log says so


@dataclass(frozen=True, slots=True)
class Condition:
    """A test that had to come out as `holds` for a command or an assignment to run.

    `decided` is False when the test could not be decided and both ways were followed; `reason` says what decided it
    when that was neither the scripts nor the workflow (a fact from the log, the platform).
    """

    test: str
    holds: bool
    path: str
    line: int
    decided: bool = True
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.test} is {'true' if self.holds else 'false'}"


@dataclass(frozen=True, slots=True)
class Site:
    """Bytes `start`..`end` of `path` (the source file, also for a script inside YAML) that decide a text.

    `name` is the variable, matrix key or input. `conditions` are the branches that were taken to reach the place.
    `quote` is how the text is written in the shell: "" bare, `"` or `'`; "yaml" for a YAML scalar. `nested` are the
    quotes of the words around it whose text is a script (`bash -c '...'`), innermost first.
    """

    path: str
    start: int
    end: int
    line: int
    kind: SiteKind
    name: str = ""
    conditions: tuple[Condition, ...] = ()
    quote: str = ""
    nested: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes two sites the same place."""
        return (self.path, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a value. `text` is None when unknown; `name` then says what it would be, such as `HOME`.

    `site` decides the text; `via` are the places it came through, nearest the command first, such as the `${TP}` that
    reads an assignment. `many`: an unknown that may stand for no word or for several.
    """

    text: str | None
    site: Site | None = None
    via: tuple[Site, ...] = ()
    name: str = ""
    many: bool = False
    # Shell text that pathname expansion and word splitting still apply to.
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """One word. Compare `text`, which is None unless every part is known."""

    pieces: tuple[Piece, ...] = ()

    @property
    def text(self) -> str | None:
        parts = [piece.text for piece in self.pieces]
        return None if None in parts else "".join(part for part in parts if part is not None)

    @property
    def known(self) -> bool:
        return all(piece.text is not None for piece in self.pieces)

    @property
    def many(self) -> bool:
        return any(piece.many for piece in self.pieces)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places that decide this text, in order, each once."""
        return tuple(dict.fromkeys(piece.site for piece in self.pieces if piece.site is not None))

    def __str__(self) -> str:
        """For people: unknown parts as `${NAME}`."""
        return "".join(f"${{{piece.name or '?'}}}" if piece.text is None else piece.text for piece in self.pieces)

    def startswith(self, prefix: str) -> bool:
        """Whether the known text up to the first unknown part starts with `prefix`."""
        return self.head.startswith(prefix)

    @property
    def head(self) -> str:
        """The known text up to the first unknown part."""
        parts = []
        for piece in self.pieces:
            if piece.text is None:
                break
            parts.append(piece.text)
        return "".join(parts)

    def after(self, prefix: str) -> Value:
        """The rest after the known text `prefix`, with its sites narrowed: ask `startswith` first."""
        left, rest = len(prefix), list(self.pieces)
        while left and rest and rest[0].text is not None:
            size = len(rest[0].text)
            if size > left:
                rest[0] = cut(rest[0], left, size)
                break
            left -= size
            rest.pop(0)
        return Value(tuple(rest))


def cut(piece: Piece, start: int, stop: int) -> Piece:
    """The part `start`..`stop` (characters) of a known piece; its site narrows where text and source agree."""
    text = piece.text or ""
    part, site = text[start:stop], piece.site
    if site is not None and site.end - site.start == len(text.encode()) and site.kind is not SiteKind.COMPUTED:
        before = site.start + len(text[:start].encode())
        end = before + len(part.encode())
        if (before, end) != (site.start, site.end):
            site = replace(site, start=before, end=end)
    return Piece(part, site, piece.via, piece.name, piece.many, piece.bare)


def known(text: str, site: Site | None = None) -> Value:
    return Value((Piece(text, site),))


def unknown(name: str, *, many: bool = False, site: Site | None = None) -> Value:
    return Value((Piece(None, site, name=name, many=many),))


def join(values: Iterable[Value]) -> Value:
    return Value(tuple(piece for value in values for piece in value.pieces))


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a word is for: the kind and the name of the sites of its literals."""

    kind: SiteKind = SiteKind.LITERAL
    name: str = ""


def without_line_end(value: Value) -> Value:
    """The value without the line ends at its end, as a substitution and $GITHUB_ENV take it."""
    pieces = list(value.pieces)
    while pieces and (text := pieces[-1].text) is not None:
        kept = text.rstrip("\n")
        if kept:
            pieces[-1] = cut(pieces[-1], 0, len(kept))
            break
        pieces.pop()
    return Value(tuple(pieces))
