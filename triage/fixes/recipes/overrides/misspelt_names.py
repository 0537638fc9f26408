"""A model or dataset of the hub whose name is a slip of one that the tree's other files have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import is_remark
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import one_apart
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import ChooseValue

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{4,95}\Z")
_DIGIT, _JOINED = re.compile(r"[0-9]"), re.compile(r"[0-9](?:[._-][0-9])+")
# Texts in which programs and jobs name what they load; and those that only speak of it.
_ENDS = (".sh", ".bash", ".py", ".yml", ".yaml", ".toml", ".json")
_SPOKEN = (".md", ".rst")
_LARGEST = 1_000_000
_LEAST = 3


def correct_name(recipe: ChooseValue, here: Situation) -> Outcome:
    """Where the name stands in one file, and one name of other files differs from it by a slip: a letter too many or
    too few, another letter, two that changed places. Another number is another model."""
    value = here.captures.get(recipe.value.strip("{}"), "")
    if not _NAME.match(value):
        return Refusal("the log names no repository of the hub")
    edits = [edit for path in here.tree.paths() if path.endswith(_ENDS) for edit in _edits(here.tree, path, value)]
    paths = {edit.path for edit in edits}
    if not edits and recipe.settled:
        return InPlace(f"{recipe.settled} stands there")
    spoken = [path for path in here.tree.paths() if path.endswith(_SPOKEN) and any(_hits(here.tree, path, value))]
    if len(paths) != 1 or spoken:
        return Refusal(f"{len(paths) + len(spoken)} files of the repository name {value}")
    names = set(_names(here.tree, value.partition("/")[0], paths.pop()))
    meant = sorted(one for one in names if one != value and _slip(value, one))
    if len(meant) != 1:
        return Refusal(f"no one name that other files have is a slip away from {value}")
    made = tuple(replace(edit, new=meant[0].encode(), why=f"other files name {meant[0]}") for edit in edits)
    title = f"Name {meant[0]} instead of {value}"
    settled = replace(recipe, settled=meant[0])
    return Edited(made, (made[0].path,), promised(here, made), title=title, settled=settled)


def _slip(one: str, other: str) -> bool:
    """`6.7b` and `67b`, `Tiny-S` and `Tiny-M` are two models."""
    # All digits, in their order: `B1` for `1B` is a slip, `3.2` for `3.1` is another model.
    if _DIGIT.findall(one) != _DIGIT.findall(other) or _JOINED.findall(one) != _JOINED.findall(other):
        return False
    return one_apart(one, other) and not _other_letter(one, other)


def _other_letter(one: str, other: str) -> bool:
    """Whether they differ in a word of one or two letters, which mostly stands for a size or a version."""
    first, second = (re.split(r"[^A-Za-z]+", name) for name in (one, other))
    if len(first) != len(second):
        return False
    return any(max(len(a), len(b)) < _LEAST and sorted(a) != sorted(b) for a, b in zip(first, second, strict=True))


def _edits(tree: Tree, path: str, value: str) -> Iterator[Edit]:
    data = _text(tree, path)
    hits = (one for one in _hits(tree, path, value) if not is_remark(data, one.start()))
    yield from (Edit(path, one.start(), one.end(), b"", "") for one in hits)


def _hits(tree: Tree, path: str, value: str) -> Iterator[re.Match[bytes]]:
    data = _text(tree, path)
    if value.encode() in data:
        yield from re.finditer(rb"(?<![\w.-])" + re.escape(value.encode()) + rb"(?![\w-]|\.\w)", data)


def _names(tree: Tree, owner: str, but: str) -> Iterator[str]:
    """What the texts of the tree name of the same owner, in other files than this one, and not on another host."""
    pattern = re.compile(
        rb"(?<![\w.-])(?<!\.com[/:])(?<!\.(?:org|dev)/)(?<!\.io/)" + re.escape(owner.encode()) + rb"/[\w.-]*\w"
    )
    for path in tree.paths():
        data = _text(tree, path) if path.endswith((*_ENDS, *_SPOKEN)) and path != but else b""
        if owner.encode() in data:
            yield from (one.decode() for one in pattern.findall(data))


def _text(tree: Tree, path: str) -> bytes:
    data = tree.read(path)
    return data if len(data) < _LARGEST else b""
