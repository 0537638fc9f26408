"""Overrides of a job's commands: which command sets a key, with which prefix, and in which bytes of which file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from triage.fixes.document import line_with
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, Value, cut
from triage.fixes.hydra.config import Configuration, compose
from triage.fixes.hydra.entry import find_entry
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
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
        keyed = [(word, key) for word in one.program[1:] if (key := key_of(word.head))]
        keys = {key for _, key in keyed}
        wanted = {asked} if asked in keys or "." in asked else {key for key in keys if key.endswith(f".{asked}")}
        for word, key in keyed if len(wanted) == 1 else ():
            if key in wanted:
                prefix = _PREFIX.match(word.head)
                yield Hit(one, word, prefix[0] if prefix else "", key, key in seen)
                seen.add(key)


def hits_below(here: Situation, parent: str) -> list[Hit]:
    """All overrides of names directly below a key."""
    own = (key_of(word.head) for one in here.concerned for word in one.program[1:])
    keys = dict.fromkeys(key for key in own if key.rpartition(".")[0] == parent)
    return [hit for key in keys if key for hit in hits_of(here, key)]


def key_of(argument: str) -> str:
    """The key that an argument sets, without its prefix; "" for what is no override."""
    return argument.partition("=")[0].lstrip("+") if "=" in argument else ""


def composed_without(here: Situation, invocation: Invocation, key: str) -> Configuration | Refusal:
    """The program's configuration as it is composed without the override of `key`."""
    entry = find_entry(here.tree, invocation)
    if isinstance(entry, Refusal):
        return entry
    kept = tuple(one for one in entry.overrides if one.partition("=")[0].lstrip("+~") != key)
    return compose(here.tree, replace(entry, overrides=kept))


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
