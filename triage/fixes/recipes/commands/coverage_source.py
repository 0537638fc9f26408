"""`coverage run --source X` where nothing of the repository is called X: what it holds is meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.interfaces import Tree
from triage.model.patch import Edit

_OPTION = re.compile(r"--(?:source|source-pkgs|cov)=?")
# What a repository holds beside the package that it is about.
_BESIDE = ("test", "tests", "testing", "docs", "examples", "scripts", "tools", "benchmarks", "setup", "conftest")


def cover_own(here: Situation) -> Outcome:
    """Every command of the job that names it, and only where the repository has one package."""
    name = here.captures.get("module", "")
    found = [(one, value, start) for one in here.concerned for value, start in _named(one, name)]
    packages = _packages(here.tree)
    if name in packages:
        return Refusal(f"the repository has a package `{name}`: the tests do not import it")
    if not found:
        return InPlace("nothing that the job runs names it") if name else Refusal("the log does not say what it is")
    if len(packages) != 1:
        return Words(f"nothing of the repository is called `{name}`: name the package that is to be measured")
    own = packages.pop()
    edits: list[Edit] = []
    for _, value, prefix in found:
        made = replace_value(
            here.tree, value.sites[0], f"{prefix}{name}", f"{prefix}{own}", why=f"the repository has no `{name}`"
        )
        if isinstance(made, Refusal):
            return made
        edits += made
    calls = tuple(one.calls[-1] for one, _, _ in found)
    declared = tuple(declared_at(here, one.calls[-1].path, one.step) for one, _, _ in found)
    blast = blast_of_calls(here, calls)
    return Edited(tuple(edits), declared, promised(here, edits), blast_radius=blast, title=f"Measure {own}")


def _named(one: Invocation, name: str) -> Iterator[tuple[Value, str]]:
    """The words that name it, and what stands before the name in them."""
    before = ""
    for word in one.argv if one.calls and not one.substitution else ():
        text = word.text or ""
        head = _OPTION.match(text)
        if len(word.sites) == 1 and name and head and text == f"{head[0]}{name}" and head[0].endswith("="):
            yield word, head[0]
        elif len(word.sites) == 1 and text == name and name and _OPTION.fullmatch(before):
            yield word, ""
        before = text


def _packages(tree: Tree) -> set[str]:
    """Packages at the root or in the usual folder for them."""
    found = set()
    for path in tree.paths():
        folder, name = posixpath.split(path)
        above, own = posixpath.split(folder)
        if name == "__init__.py" and own and above in ("", "src", "python") and own not in _BESIDE:
            found.add(own)
    return found
