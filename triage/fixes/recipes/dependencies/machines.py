"""`mark_machine`: what has no wheel for one kind of machine is not asked for there, by a marker of the requirement."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from triage.fixes.counting import foremost
from triage.fixes.document import line_of
from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import Declaration, run_time
from triage.fixes.recipes.dependencies.projects import lock_command
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import MarkMachine

_REQUIRED = (("project",), ("dependency-groups",))
_ONLY = re.compile(r"platform_machine\s*(?P<sign>==|!=)\s*['\"](?P<machine>\w+)['\"]")


def mark_machine(recipe: MarkMachine, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    """Where one string of one pyproject.toml asks for it; words where a lock has to be renewed with that."""
    name, machine = (captures.get(one.strip("{}"), "") for one in (recipe.package, recipe.machine))
    found = [one for one in _declared(tree, normalised(name)) if one.place] if name and machine else []
    if not found:
        return Refusal(
            "no pyproject.toml of the repository asks for it: it comes with something else, or is not in one"
        )
    if all(";" in one.text for one in found):
        return InPlace(f"{found[0].path}:{found[0].named.line} asks for it with a marker: `{found[0].text}`")
    plain = [one for one in found if ";" not in one.text and one.text.endswith(one.named.spec)]
    if len(plain) != 1:
        return Refusal(f"{', '.join(sorted({one.path for one in found}))} ask for it at several places")
    return _marked(tree, target, plain[0], machine)


def _declared(tree: Tree, name: str) -> Iterator[Declaration]:
    for path in tree.paths():
        if posixpath.basename(path) == "pyproject.toml":
            yield from run_time(tree, posixpath.dirname(path) or ".", name)


def _marked(tree: Tree, target: Target, one: Declaration, machine: str) -> Outcome:
    marker, alike = _marker(tree, one.path, machine)
    quote = tree.read(one.path)[one.end : one.end + 1]
    marker = marker.replace('"', "'") if quote == b'"' else marker.replace("'", '"')
    new = f"{one.text}; {marker}"
    why = f"there is no wheel of {one.named.written} for {machine}" + (f"; {alike} is marked so" if alike else "")
    edit = Edit(one.path, one.end, one.end, f"; {marker}".encode(), why)
    promise = Expectation("value", f"{one.place}={new}", target.job, one.path)
    title = f"Ask for {one.named.written} where it has wheels alone"
    radius = (f"on {machine} whoever installs from {one.path} goes without it",)
    made = Edited((edit,), (f"{one.path}:{one.place}",), (promise,), (why,), blast_radius=radius, title=title)
    lock, command = lock_command(tree, posixpath.dirname(one.path) or ".")
    if not lock:
        return made
    place = f"{one.path}:{line_of(tree.read(one.path), one.start)}"
    return Words(f"make it `{new}` in {place}, run `{command}` and commit {lock} too ({why})", shown=made)


def _marker(tree: Tree, path: str, machine: str) -> tuple[str, str]:
    """As most others of the file have it that are left out on this machine, and one of them; else the plain one."""
    strings = toml.strings(tree.read(path))
    every = [] if isinstance(strings, Refusal) else [one.value for one in strings if one.place[:1] in _REQUIRED]
    split = [(text.partition(";")[2].strip(), text.partition(";")[0].strip()) for text in every]
    fitting = [(marker, name) for marker, name in split if _leaves_out(marker, machine)]
    most = foremost(Counter(marker for marker, _ in fitting))
    if most is None:
        return f"platform_machine != '{machine}'", ""
    return most[0], next(name for marker, name in fitting if marker == most[0])


def _leaves_out(marker: str, machine: str) -> bool:
    found = list(_ONLY.finditer(marker))
    return len(found) == 1 and " or " not in marker and (found[0]["sign"] == "!=") == (found[0]["machine"] == machine)
