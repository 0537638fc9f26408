"""`drop_item`: the entry of a list that names what is not there any more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import DropItem

_ENDS = (".yml", ".yaml", ".toml", ".json", ".cfg", ".ini", ".py")
_WHOLE = re.compile(r"https?://[^\s\"'<>]{4,300}\Z")


def drop_item(recipe: DropItem, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    item = captures.get(recipe.item.strip("{}"), "").rstrip(".,;:")
    if not _WHOLE.match(item):
        return Refusal("the log names no address")
    found = [edit for path in tree.paths() if path.endswith(_ENDS) for edit in _lines(tree, path, item)]
    if not found and recipe.settled:
        return InPlace(f"no list of the repository holds {item}")
    if len(found) != 1:
        return Refusal(f"{'several lists hold' if found else 'no list of the repository holds'} {item}")
    edit = found[0]
    before = tree.read(edit.path)
    kept = before[: edit.start].rstrip(b"\n").rpartition(b"\n")[2].decode("utf-8", "replace")
    promise = Expectation("line", as_promised(kept), target.job, edit.path)
    title = f"Leave {item} out of the list in {edit.path}"
    return Edited((edit,), (edit.path,), (promise,), title=title, settled=replace(recipe, settled=True))


def _lines(tree: Tree, path: str, item: str) -> Iterator[Edit]:
    """An item of a list on a line of its own that other items stand beside: an empty list would be another thing."""
    data = tree.read(path)
    place = re.escape(item.encode())
    whole = re.compile(rb"(?m)^(?P<lead>[ \t]*(?:- *)?)[\"']?" + place + rb"[\"']?,?[ \t]*\r?\n")
    for found in whole.finditer(data):
        lead = re.escape(found["lead"])
        beside = re.compile(rb"(?:\A|\n)" + lead + rb"[^\s-][^\n]*\n\Z")
        after = re.match(lead + rb"[^\s-]", data[found.end() :])
        if not (beside.search(data[: found.start()]) or after):
            continue
        before = data[: found.start()].rstrip()
        if path.endswith(".json") and before.endswith(b",") and data[found.end() :].lstrip()[:1] in (b"]", b"}"):
            yield Edit(path, len(before) - 1, len(data[: found.end()].rstrip()), b"", f"{item} is not there any more")
        else:
            yield Edit(path, found.start(), found.end(), b"", f"{item} is not there any more")
