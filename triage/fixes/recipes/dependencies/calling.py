"""`hold_called`: a class of another package that no longer takes what the repository's own code hands it.

The log names the class, the file that called it, and the argument; which package it is of, only the file says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.dependencies.importing import file_of
from triage.fixes.recipes.dependencies.pins import pip_pin
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import is_module_of
from triage.interfaces import Tree
from triage.model.recipe import INSTALLED, HoldCalled, PipPin

_MOST = 4000


def hold_called(recipe: HoldCalled, here: Situation) -> Outcome:
    owner, argument = (here.captures.get(one.strip("{}"), "") for one in (recipe.owner, recipe.argument))
    own = [path for one in reversed(here.facts.frames) if (path := file_of(here.tree, one))]
    if not own or not owner.isidentifier():
        return Refusal("the innermost frame is no file of the repository")
    modules = {module for module, name in _names(here.tree, own[0]) if name == owner}
    if len(modules) != 1 or is_module_of(here.tree, module := modules.pop()):
        return Refusal(f"{own[0]} does not import `{owner[:80]}` from another package")
    if _defines(here.tree, owner):
        return Refusal(f"the repository has a class `{owner}` of its own")
    made = pip_pin(PipPin(module=module, spec=f"<{{{INSTALLED}}}"), here)
    said = (
        f"{own[0]} hands `{argument}` to {owner} of {module}: where the change under test added that, undo it instead"
    )
    return made.noting(said) if isinstance(made, Edited) else made


def _names(tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    """Module and name of every `from module import name` of the file, also of those below an `if` or `try`."""
    for node in python_nodes(tree.read(path)):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from ((node.module, one.asname or one.name) for one in node.names)


def _defines(tree: Tree, owner: str) -> bool:
    python = [path for path in tree.paths() if path.endswith(".py")]
    wanted = f"class {owner}".encode()
    return len(python) > _MOST or any(
        wanted + end in data for path in python for data in (tree.read(path),) for end in (b"(", b":")
    )
