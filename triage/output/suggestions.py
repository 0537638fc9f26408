"""Edits of a patch as suggestions of a review: only where the pull request's own diff shows the lines.

GitHub takes a suggestion on lines of the new side of the pull request's diff, and on no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.model.run import ChangedFile
from triage.output.markdown import fence

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines `first`..`last` of `path` at the head (from 1, both kept) become `lines`."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]

    @property
    def body(self) -> str:
        return fence("\n".join(self.lines), "suggestion")


def suggestions(diff: str, files: Sequence[ChangedFile]) -> tuple[Suggestion, ...]:
    """One a hunk's block of changed lines; empty when any block is outside of the diff: half a patch is none."""
    shown = {one.path: visible_lines(one.patch) for one in files if one.patch}
    found = tuple(blocks(diff))
    inside = all(set(range(one.first, one.last + 1)) <= shown.get(one.path, frozenset()) for one in found)
    return found if found and inside else ()


def visible_lines(patch: str) -> frozenset[int]:
    """The lines of the new side that a file's diff shows."""
    lines: set[int] = set()
    number = 0
    for line in patch.split("\n"):
        if found := _HUNK.match(line):
            number = int(found[3])
        elif line[:1] in {"+", " "} and number:
            lines.add(number)
            number += 1
    return frozenset(lines)


def blocks(diff: str) -> Iterator[Suggestion]:
    """The diff as replacements of whole lines of the old side; an insertion repeats the line that it follows."""
    path, left = "", 0
    block: _Block | None = None
    for line in diff.rstrip("\n").split("\n"):
        if left <= 0 and line.startswith("+++ "):
            path = line[4:].removeprefix("b/")
        elif left <= 0 and (found := _HUNK.match(line)):
            yield from block.done() if block else ()
            block = _Block(path, int(found[1]))
            # A hunk says how many lines it has, so that a removed "-- x" is not taken for the head of another file.
            left = int(found[2] or 1) + int(found[4] or 1)
        elif block is not None and left > 0 and line[:1] in {" ", "+", "-"}:
            left -= 2 if line[:1] == " " else 1
            yield from block.take(line[:1], line[1:])
    yield from block.done() if block else ()


class _Block:
    """Collects the changed lines of a hunk. An insertion needs a line to stand on: the one before it is repeated."""

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.number = number
        self.before = ""
        self.removed: list[str] = []
        self.added: list[str] = []

    def take(self, sign: str, text: str) -> Iterator[Suggestion]:
        match sign:
            case "-":
                self.removed.append(text)
            case "+":
                self.added.append(text)
            case _:
                yield from self.done()
                self.before = text
                self.number += 1

    def done(self) -> Iterator[Suggestion]:
        if not self.removed and not self.added:
            return
        last = self.number + len(self.removed) - 1
        if self.removed:
            yield Suggestion(self.path, self.number, last, tuple(self.added))
        else:
            yield Suggestion(self.path, self.number - 1, self.number - 1, (self.before, *self.added))
        self.number = last + 1
        self.before = self.removed[-1] if self.removed else self.before
        self.removed, self.added = [], []
