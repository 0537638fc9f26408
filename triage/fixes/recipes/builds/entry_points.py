"""A command of the repository that leads to a module which is not there, where the tree has it nearby."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import one_slip
from triage.interfaces import Tree
from triage.model.patch import Edit

_POINT = re.compile(rb"=[ \t]*[\"']?(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)[ \t]*:[ \t]*(?P<name>[A-Za-z_]\w*)")
_ROOTS = ("", "src/", "python/")


def lead_to_module(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """In every file that describes a project. What is called must be defined in the module that takes the place."""
    missing = captures.get("module", "")
    edits: list[Edit] = []
    named = False
    for path in (one for one in tree.paths() if posixpath.basename(one) in MANIFESTS):
        for found in _POINT.finditer(tree.read(path)):
            module, name = found["module"].decode(), found["name"].decode()
            if not missing or not f"{module}.".startswith(f"{missing}."):
                continue
            named = True
            meant = "" if _place(tree, module) else _meant(tree, module, name)
            if meant:
                why = f"the tree has {name} in {meant}"
                edits.append(Edit(path, *found.span("module"), meant.encode(), why))
    if not edits:
        how = "nothing that is there is called so" if named else "no command of the repository leads to it"
        return Refusal(f"`{missing}`: {how}")
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    return Edited(
        tuple(edits), paths, promised_of(tree, job, edits), title=f"Lead the command to {edits[0].new.decode()}"
    )


def _place(tree: Tree, module: str) -> str:
    below = module.replace(".", "/")
    every = (f"{root}{below}{end}" for root in _ROOTS for end in (".py", "/__init__.py"))
    return next((path for path in every if path in tree), "")


def _meant(tree: Tree, module: str, name: str) -> str:
    """The one module of as many parts that differs in one of them, by a sign at its front or a slip."""
    parts = module.split(".")
    found = set()
    for path in tree.paths():
        for root in (root for root in _ROOTS if path.startswith(root) and path.endswith(".py")):
            other = path.removeprefix(root).removesuffix(".py").removesuffix("/__init__").split("/")
            apart = [(one, two) for one, two in zip(parts, other, strict=False) if one != two]
            alike = len(other) == len(parts) and len(apart) == 1 and _alike(*apart[0])
            if alike and _defines(tree.read(path), name):
                found.add(".".join(other))
    return found.pop() if len(found) == 1 else ""


def _defines(data: bytes, name: str) -> bool:
    own = re.escape(name.encode())
    return re.search(rb"(?m)^(?:(?:async )?def |class )" + own + rb"\b|^" + own + rb"[ \t]*=", data) is not None


def _alike(one: str, two: str) -> bool:
    return one.strip("_") == two.strip("_") or bool(one_slip(one, [two]))
