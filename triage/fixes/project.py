"""What the repository calls itself, for comments that a fix leaves in its files."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

from triage.interfaces import Tree
from triage.model.recipe import PROJECT, HydraOverride, Image, PipPin, Recipe, SetEnv, Together

_PLACEHOLDER = f"{{{PROJECT}}}"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


def project_name(tree: Tree) -> str:
    """`[project] name` of pyproject.toml; "" when there is none, or none that is a plain name."""
    if "pyproject.toml" not in tree:
        return ""
    try:
        name = tomllib.loads(tree.read("pyproject.toml").decode()).get("project", {}).get("name", "")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError):
        return ""
    return name if isinstance(name, str) and _NAME.match(name) else ""


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
