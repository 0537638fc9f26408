"""Overrides of a job's commands: which command sets a key, with which prefix, and in which bytes of which file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.document import line_with
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, Value, cut
from triage.fixes.recipes.situation import Situation
from triage.model.patch import Expectation, as_promised

_PREFIX = re.compile(r"\++")


@dataclass(frozen=True, slots=True)
class Hit:
    """One override of the key on one command: `word` is its argument, `prefix` what stands before the key."""

    invocation: Invocation
    word: Value
    prefix: str
    key: str
    # Appended before by the same command.
    again: bool = False

    @property
    def written(self) -> str:
        return f"{self.prefix}{self.key}"


def hits_of(here: Situation, asked: str) -> Iterator[Hit]:
    """A bare last part of a key is taken for the one override that ends in it."""
    for one in here.concerned:
        seen: set[str] = set()
        words = [word for word in one.program[1:] if "=" in word.head]
        keys = {(bare(word)) for word in words}
        wanted = {asked} if asked in keys or "." in asked else {key for key in keys if key.endswith(f".{asked}")}
        for word in words if len(wanted) == 1 else ():
            key = bare(word)
            if key in wanted:
                prefix = _PREFIX.match(word.head)
                yield Hit(one, word, prefix[0] if prefix else "", key, key in seen)
                seen.add(key)


def bare(word: Value) -> str:
    return word.head.partition("=")[0].lstrip("+")


def once(hits: Sequence[Hit]) -> list[Hit]:
    """One for each place: several commands may get the override from the same line."""
    found: dict[object, Hit] = {}
    for hit in hits:
        site = site_of(hit)
        found.setdefault(hit.word if site is None else site.key, hit)
    return list(found.values())


def site_of(hit: Hit) -> Site | None:
    """The bytes of the prefix and the key, None where they are put together."""
    piece = next(iter(hit.word.pieces), None)
    if piece is None or piece.text is None or not piece.text.startswith(f"{hit.written}="):
        return None
    return cut(piece, 0, len(hit.written)).site


def promise(here: Situation, hit: Hit, site: Site, new: str) -> Expectation:
    """The argument, where all of it is known, else the line as the file has it then."""
    text = hit.word.text
    if text is not None:
        argument = new + text.removeprefix(hit.written)
        step = hit.invocation.step
        return Expectation("argument", argument, here.target.job, here.target.workflow_path, "", step)
    line = line_with(here.tree.read(site.path), site.start, site.end, new.encode())
    return Expectation("line", as_promised(line), here.target.job, site.path)
