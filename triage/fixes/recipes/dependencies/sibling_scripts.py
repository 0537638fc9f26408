"""A distribution that a script lacks, installed as the scripts beside it do: those of its folder, or of its name in the
folders next to its own."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import distributions, normalised, parsed
from triage.fixes.shell.edits import insert_line
from triage.fixes.whereabouts.naming import SCRIPTS
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import PipInstall

# One script may install what it alone needs.
_AGREE = 2
_LARGEST = 200_000
_INSTALL = re.compile(r"^[ \t]*((?:uv pip|python3? -m pip|pip3?) install [^|&;#\n\\]+)", re.M)


def installed_as_siblings(recipe: PipInstall, here: Situation) -> Outcome | None:
    """The line that at least two such scripts have, before the command that failed; None where they have none."""
    title = here.fill(recipe.module or recipe.program, select=True)
    if isinstance(title, Refusal) or recipe.form == "extra" or recipe.ahead:
        return None
    names = _names(recipe, here, title)
    one = _needing(here, title)
    if one is None or not names or any(name in here.facts.installed for name in names):
        return None
    call = one.calls[-1]
    own = next((spec for _, spec in _specs(here.tree, call.path, names)), "")
    if own:
        return InPlace(f"{call.path} installs {own}")
    found = Counter(pair for path in _siblings(here.tree, call.path) for pair in set(_specs(here.tree, path, names)))
    specs = Counter(spec for _, spec in found.elements())
    spec, count = next(iter(specs.most_common(1)), ("", 0))
    if count < _AGREE:
        return None
    head = next(head for (head, each), _ in found.most_common() if each == spec)
    line = f"{head} install {shlex.quote(spec)}"
    why = f"{count} scripts beside {call.path} install {spec} before they run it"
    edits = insert_line(here.tree, call, line, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("line", line, here.target.job, call.path)
    return Edited(edits, (call.path,), (promise,), (why,), title=f"Install {spec} as the scripts beside it do",
                  because=f"{why}.")  # fmt: skip


def _names(recipe: PipInstall, here: Situation, title: str) -> tuple[str, ...]:
    if recipe.program:
        return tuple(normalised(name) for name in here.tables.programs.get(title, ()))
    return distributions(title, here.tables)


def _needing(here: Situation, title: str) -> Invocation | None:
    """The command of a script of the tree that failed, or that is the missing program itself."""
    written = [one for one in here.concerned if one.calls and not one.substitution and _in_script(here, one)]
    found = [one for one in written if title in (one.module, _program(one))] or list(failing(here.facts, written))
    return found[0] if len({one.calls[-1].path for one in found}) == 1 else None


def _in_script(here: Situation, one: Invocation) -> bool:
    return one.calls[-1].path in here.tree and one.calls[-1].path.endswith(SCRIPTS[:2])


def _program(one: Invocation) -> str:
    return posixpath.basename(one.program[0].text or "") if one.program else ""


def _siblings(tree: Tree, path: str) -> Iterator[str]:
    folder, name = posixpath.split(path)
    above = posixpath.dirname(folder)
    for other in tree.paths():
        place, called = posixpath.split(other)
        near = place == folder or (called == name and place and posixpath.dirname(place) == above)
        if near and other != path and other.endswith(SCRIPTS[:2]):
            yield other


def _specs(tree: Tree, path: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What the script installs of the names, with the program that does it."""
    data = tree.read(path)
    for line in _INSTALL.findall(data.decode("utf-8", "replace")) if len(data) <= _LARGEST else ():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        at = verb_at(words, "install")
        for word in words[at + 1 :]:
            for named in parsed(word, path) if "$" not in word else ():
                if named.name in names:
                    yield " ".join(words[:at]), named.spec
