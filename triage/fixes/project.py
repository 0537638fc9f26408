"""What the repository calls itself, for comments that a fix leaves in its files."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

from triage.interfaces import Tree
from triage.model.recipe import PROJECT, HydraOverride, Image, PipPin, Recipe, SetEnv, Together

# What describes a project of Python; the first that is there says more.
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_PLACEHOLDER = f"{{{PROJECT}}}"
# Names as text, in the first lines that are a name's: what a program works out is not looked for.
_IN_CFG = re.compile(rb"(?m)^\[metadata\]\r?\n(?:[^\[\n][^\n]*\n|\n)*?name[ \t]*=[ \t]*([\w.-]{1,64})[ \t\r]*$")
_IN_SETUP = re.compile(rb"(?m)^(?:[ \t]+|setup\()name=[\"']([\w.-]{1,64})[\"'],")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


def project_name(tree: Tree) -> str:
    """`[project] name` of pyproject.toml, else setup.cfg's or setup.py's; "" when none is a plain name."""
    names = (_of_pyproject(tree), _found(tree, "setup.cfg", _IN_CFG), _found(tree, "setup.py", _IN_SETUP))
    return next((name for name in names if _NAME.match(name)), "")


def _of_pyproject(tree: Tree) -> str:
    if "pyproject.toml" not in tree:
        return ""
    try:
        name = tomllib.loads(tree.read("pyproject.toml").decode()).get("project", {}).get("name", "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError, RecursionError):
        return ""
    return name if isinstance(name, str) else ""


def _found(tree: Tree, path: str, pattern: re.Pattern[bytes]) -> str:
    found = pattern.search(tree.read(path)) if path in tree else None
    return found[1].decode() if found else ""


def named_after(recipe: Recipe, tree: Tree) -> Recipe:
    """The recipe with `{project}` in its comment filled in; without a name the words close up."""
    match recipe:
        case Together(recipes):
            named = tuple(named_after(one, tree) for one in recipes)
            return replace(recipe, recipes=named)  # type: ignore[arg-type] # none of them is a Together
        case HydraOverride() | SetEnv() | Image() | PipPin() if _PLACEHOLDER in recipe.comment:
            comment = " ".join(recipe.comment.replace(_PLACEHOLDER, project_name(tree)).split())
            return replace(recipe, comment=comment)
        case _:
            return recipe
