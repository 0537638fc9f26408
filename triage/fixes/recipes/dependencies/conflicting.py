"""Two extras of a project that nobody can install together, said to uv, which else resolves all of them at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.document import eol_at, line_start
from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import ANY, Declaration, beside, declarations
from triage.fixes.recipes.dependencies.projects import Project
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.model.patch import Edit, Expectation

# https://docs.astral.sh/uv/concepts/projects/config/#conflicting-dependencies
_UV = ("tool", "uv")
_CONFLICTS = (*_UV, "conflicts")
_EXACT = re.compile(r"={2,3}[\w.+!]+")


def declared_conflict(here: Situation, project: Project, name: str, asked: Sequence[str]) -> Outcome | None:
    """A group of `tool.uv.conflicts` for the two extras that pin the distribution at the releases of which the resolver
    told; None where there are no such two, and where one installation chooses both."""
    path = beside(project.folder, "pyproject.toml")
    pins = [text for text in dict.fromkeys(asked) if _EXACT.fullmatch(text)]
    placed = toml.strings(here.tree.read(path)) if len(pins) == 2 and path in here.tree else ()
    if isinstance(placed, Refusal) or ANY in project.chosen or not any(one.place[:2] == _UV for one in placed):
        return None
    pair = [_extra_with(here, project, name, pin) for pin in pins]
    if not all(pair) or pair[0] == pair[1] or {*pair} <= project.chosen:
        return None
    groups = _groups(placed)
    wanted = {normalised(one) for one in pair}
    if any(wanted <= {normalised(text) for text, _, _ in group} for group in groups):
        return InPlace(f"{path} says that {' and '.join(pair)} conflict")
    return _added(here, path, sorted(pair), groups, f"{pair[0]} wants {name}{pins[0]}, and {pair[1]} {name}{pins[1]}")


def _extra_with(here: Situation, project: Project, name: str, pin: str) -> str:
    """The only extra that pins it so; "" where it is always required, or several do."""
    found = [one for one in declarations(here.tree, project.folder, name) if isinstance(one, Declaration)]
    pinned = [extra for one in found if one.named.pin.replace(" ", "") == pin for extra in one.extras]
    return pinned[0] if len(pinned) == 1 and ":" not in pinned[0] and pinned[0] != ANY else ""


def _groups(placed: Sequence[toml.Placed]) -> list[list[tuple[str, int, int]]]:
    """The names of each group with their bytes, in the file's order."""
    found: dict[object, list[tuple[str, int, int]]] = {}
    for one in placed:
        if one.place[:3] == _CONFLICTS and len(one.place) > 4:
            found.setdefault(one.place[3], []).append((one.value, one.start, one.end))
    return list(found.values())


def _added(
    here: Situation, path: str, pair: Sequence[str], groups: Sequence[Sequence[tuple[str, int, int]]], why: str
) -> Outcome | None:
    data = here.tree.read(path)
    at, new = _behind(data, groups[-1], pair) if groups else _first(data, pair)
    if at < 0:
        return None
    group = (*_CONFLICTS, len(groups))
    places = [toml.shown((*group, index, "extra")) for index in range(2)]
    tables = [group, *((*group, index) for index in range(2)), *([] if groups else [_CONFLICTS])]
    promises = tuple(
        Expectation("value", f"{place}={one}", here.target.job, path) for place, one in zip(places, pair, strict=True)
    )
    return Edited(
        (Edit(path, at, at, new, why),),
        tuple(f"{path}:{place}" for place in (*map(toml.shown, tables), *places)),
        promises,
        (why,),
        title=f"Tell uv that {pair[0]} and {pair[1]} are never installed together",
        because="uv resolves all extras of a project at once, and these two leave no release in common.",
        blast_radius=(f"everyone who installs both extras of {path} by uv, which it refuses from now on",),
    )


def _first(data: bytes, pair: Sequence[str]) -> tuple[int, bytes]:
    """Behind the header of uv's table; -1 where there is none, or it has conflicts that no string is in."""
    header = re.search(rb"(?m)^\[tool\.uv\][ \t]*(?:#[^\n]*)?\r?\n", data)
    if header is None or re.search(rb"(?m)^conflicts\b", data):
        return -1, b""
    items = ", ".join(f'{{ extra = "{one}" }}' for one in pair)
    return header.end(), f"conflicts = [[{items}]]".encode() + eol_at(data, header.start())


def _behind(data: bytes, group: Sequence[tuple[str, int, int]], pair: Sequence[str]) -> tuple[int, bytes]:
    """Behind the last group, in its form where that names two; -1 where its brackets are not found."""
    begin, close = data.rfind(b"[", 0, group[0][1]), re.compile(rb"[\"'][ \t]*\}[\s,]*\]").match(data, group[-1][2])
    if begin < 0 or close is None:
        return -1, b""
    new = data[begin : close.end()]
    if len(group) == 2:
        for (_, start, end), one in reversed(list(zip(group, pair, strict=True))):
            new = new[: start - begin] + one.encode() + new[end - begin :]
    else:
        new = b"[" + ", ".join(f'{{ extra = "{one}" }}' for one in pair).encode() + b"]"
    lead = data[line_start(data, begin) : begin]
    return close.end(), b"," + (b" " if lead.strip() else eol_at(data, begin) + lead) + new


def conflicts_of(here: Situation, every: Sequence[Project], name: str, asked: Sequence[str]) -> Outcome | None:
    """Of the first project that has two such extras."""
    found = (declared_conflict(here, one, name, asked) for one in every)
    return next((one for one in found if one is not None), None)
