"""What a patch is worth against the merged fix: file, knob, direction, band, and what it must never do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.replay.cases import Case, Knob
from triage.fixes.recipes.dependencies.versions import satisfied

# A number counts as in the band between these multiples of the merged one.
BAND = (0.5, 2.0)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_VERSION = re.compile(r"(?:===?|<=|~=)([\d.]+\d)")


@dataclass(frozen=True, slots=True)
class Proposal:
    """The first choice for the root cause. `state` is patch, advice, in_place, refused or unknown (no cause, no fix).

    `knobs` are those that its edits turn; `words` is what is said where there is no edit.
    """

    state: str
    signature: str = ""
    recipe: str = ""
    files: tuple[str, ...] = ()
    knobs: tuple[Knob, ...] = ()
    applies: bool = True
    empty_again: bool = True
    words: str = ""
    seconds: float = 0.0
    others: tuple[str, ...] = ()
    # The patched files, whole.
    new: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """`honest`: no patch was offered. `named`: words without a patch that name a knob of the merged fix."""

    case: Case
    proposal: Proposal
    right_file: bool = False
    right_knob: bool = False
    right_direction: bool = False
    in_band: bool = False
    unrelated: tuple[str, ...] = ()
    honest: bool = False
    named: bool = False

    @property
    def verdict(self) -> str:
        if self.honest:
            return "named" if self.named else "honest"
        if not self.proposal.applies:
            return "does not apply"
        if self.unrelated:
            return "unrelated file"
        if not self.right_knob:
            return "wrong knob" if self.right_file else "wrong file"
        return "right" if self.in_band else "right knob"


def score(
    case: Case,
    proposal: Proposal,
    merged_files: Sequence[str],
    merged: Sequence[Knob],
    after: Mapping[str, bytes] | None = None,
) -> Score:
    """Only files that the merged commit edits are right; one right knob of several is right, as the ladder says. So is
    a file that equals the merged one (`after`) but for blanks at the ends of lines, and for comments between commands:
    an indentation turns no knob, and no words do."""
    if proposal.state != "patch":
        named = any(_names(proposal.words, knob) for knob in merged)
        return Score(case, proposal, honest=True, named=named)
    unrelated = tuple(path for path in proposal.files if path not in merged_files)
    equal = any(
        path in (after or {}) and _lines(path, (after or {})[path]) == _lines(path, new)
        for path, new in proposal.new.items()
    )
    pairs = [(own, other) for own in proposal.knobs for other in merged if own.place == other.place]
    return Score(
        case,
        proposal,
        right_file=any(path in merged_files for path in proposal.files),
        right_knob=equal or bool(pairs),
        right_direction=equal or any(_direction(own) == _direction(other) for own, other in pairs),
        in_band=equal or any(in_band(own, other) for own, other in pairs),
        unrelated=unrelated,
    )


def _lines(path: str, content: bytes) -> list[bytes]:
    """Without comments of a script; one behind a line that goes on ends its command, and stays."""
    lines = [line.rstrip() for line in content.splitlines()]
    if not path.endswith((".sh", ".bash", ".yml", ".yaml")):
        return lines
    before = [b"", *lines]
    return [
        line
        for last, line in zip(before, lines, strict=False)
        if not line.lstrip().startswith(b"#") or line.startswith(b"#!") or last.endswith(b"\\")
    ]


def _names(words: str, knob: Knob) -> bool:
    return len(knob.name) > 3 and knob.kind != "command" and knob.name.lower() in words.lower()


def _direction(knob: Knob) -> str:
    """Up, down, set, unset, bounded, pinned: the way in which the value moved."""
    if not knob.old or not knob.new:
        return "bounded" if knob.kind == "dist" and _held(knob.new) else "set" if knob.new else "unset"
    if _NUMBER.match(knob.old) and _NUMBER.match(knob.new):
        return "up" if float(knob.new) > float(knob.old) else "down"
    if knob.kind == "dist":
        return "bounded" if _held(knob.new) else "loosened"
    return "changed"


def _held(bound: str) -> bool:
    return any(sign in bound for sign in ("==", "<", "!=", "~=", "@"))


def in_band(own: Knob, other: Knob) -> bool:
    """Numbers within a factor of two; bounds that allow what the merged one allows; other values equal."""
    if _direction(own) != _direction(other):
        return False
    if _NUMBER.match(own.new) and _NUMBER.match(other.new) and float(other.new):
        return BAND[0] <= float(own.new) / float(other.new) <= BAND[1]
    if own.kind == "dist" and own.new and other.new:
        versions = _VERSION.findall(other.new)
        return own.new == other.new or _upper(own.new, other.new) or any(satisfied(own.new, one) for one in versions)
    return own.new == other.new


def _upper(own: str, other: str) -> bool:
    """Two upper bounds of the same major or minor release."""
    mine, theirs = (re.search(r"<=?([\d.]+)", text) for text in (own, other))
    if not mine or not theirs:
        return False
    return mine[1].split(".")[:2] == theirs[1].split(".")[:2] or mine[1].split(".")[0] == theirs[1].split(".")[0]
