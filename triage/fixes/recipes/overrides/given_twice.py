"""`remove_given_twice`: overrides that end in a call as keywords which the call passes itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.hits import Hit, hits_below, hits_of, once, site_of
from triage.fixes.recipes.overrides.removing import line_without
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import RemoveGivenTwice

_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def remove_given_twice(recipe: RemoveGivenTwice, here: Situation) -> Outcome:
    name, callee = (here.captures.get(one.strip("{}"), "") for one in (recipe.name, recipe.callee))
    callee = callee.rpartition(".")[2]
    if not (_NAME.match(name) and _NAME.match(callee)):
        return Refusal("the log does not say which keyword which call gets twice")
    calls = [call for call in _calls(here, callee) if name in call]
    passed = frozenset.intersection(*calls) if calls else frozenset()
    if not passed:
        return Refusal(f"no call of {callee} in the repository passes `{name}` beside a mapping of further keywords")
    first = once(list(hits_of(here, name)))
    if not first:
        return InPlace(f"no command of {here.job.id} sets `{name}`")
    parent = first[0].key.rpartition(".")[0]
    if any(not hit.prefix for hit in first):
        return Words(f"`{parent}.{name}` ends in a call of {callee} that passes `{name}` itself: remove one of the two")
    added = [hit for hit in hits_below(here, parent) if hit.prefix and hit.key.rpartition(".")[2] in passed]
    whole = together([_removed(here, hit, callee) for hit in once(added)])
    if not isinstance(whole, Edited):
        return whole
    because = f"The code passes it to {callee} itself, beside all that is set below `{parent}`."
    return replace(whole, because=because, title=f"Do not set what {callee} is given by the code")


def _calls(here: Situation, callee: str) -> Iterator[frozenset[str]]:
    """The keywords of each call of the function that takes a mapping of further keywords as well."""
    for path in here.tree.paths():
        if path.endswith(".py") and f"{callee}(".encode() in (source := here.tree.read(path)):
            for node in python_nodes(source):
                called = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == callee
                if called and isinstance(node, ast.Call) and any(one.arg is None for one in node.keywords):
                    yield frozenset(one.arg for one in node.keywords if one.arg is not None)


def _removed(here: Situation, hit: Hit, callee: str) -> Outcome:
    site = site_of(hit)
    if site is None:
        return Words(f"a command of {hit.invocation.step_name} puts `{hit.key}` together: do not set it")
    return line_without(here, site, hit.key, f"the code passes it to {callee} itself")
