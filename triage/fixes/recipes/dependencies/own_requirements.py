"""`own_requirement`: what a package imports whenever it is imported is no matter of an extra."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.recipes.builds.built import with_own_project
from triage.fixes.recipes.dependencies.declarations import ALWAYS, Declaration, declarations, run_time
from triage.fixes.recipes.dependencies.importing import file_of, imports, package_of, statements
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.lacking_lists import BUILT
from triage.fixes.recipes.dependencies.listing import required_by_project
from triage.fixes.recipes.dependencies.projects import Project, projects
from triage.fixes.recipes.dependencies.requiring import required_always
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import distributions, is_module_of
from triage.interfaces import Tree
from triage.model.recipe import OwnRequirement

# Files that are read to follow the imports of a package from its first file.
_MOST_FILES = 60


def own_requirement(recipe: OwnRequirement, here: Situation) -> Outcome:
    module, importer = (here.captures.get(one.strip("{}"), "") for one in (recipe.module, recipe.importer))
    if not importer:
        return Refusal("which file imports it is not said where the log names the missing module")
    path = file_of(here.tree, importer)
    if not path or not module.isidentifier() or is_module_of(here.tree, module):
        return Refusal("what imports it is no file of a package of the repository")
    package, folder = package_of(here.tree, path)
    if not folder:
        return Refusal(f"{path} belongs to no package that the repository builds")
    done = with_own_project(here.tree, installs(here.evaluation.invocations))
    if here.job.path and not here.typed and folder not in {one.folder for one in projects(here, done)}:
        return Refusal(f"{here.job.id} installs nothing of what the project requires")
    if path not in _reached(here.tree, package) or module not in dict(imports(here.tree, path)):
        return Refusal(f"`import {package.rpartition('/')[2]}` alone does not need {module}: an extra may provide it")
    named = run_time(here.tree, folder, *distributions(module, here.tables))
    always = next((one for one in named if "" in one.extras), None)
    if always is not None:
        return InPlace(f"{always.path}:{always.named.line} requires {always.named.spec} always")
    if not named:
        return _named_nowhere(here, folder, module, f"{path}:{dict(imports(here.tree, path))[module]}")
    best = min(named, key=lambda one: (any(extra.startswith("group:") for extra in one.extras), one.path, one.start))
    line = dict(imports(here.tree, path))[module]
    why = (
        f"{path}:{line} imports it whenever the package is imported; {best.path}:{best.named.line} names it for extras"
    )
    made = required_always(here, folder, best.named.spec)
    if isinstance(made, Edited):
        return Edited(
            made.edits,
            made.declared,
            made.expectations,
            (*made.notes, why),
            blast_radius=made.blast_radius,
            title=f"Require {best.named.spec} always",
        )
    return made or Words(f"require {best.named.spec} always: {why}")


def _named_nowhere(here: Situation, folder: str, module: str, place: str) -> Outcome:
    """As what the project is built with asks for it, else by the only name that the table gives it."""
    names = distributions(module, here.tables)
    built = [one for name in names for one in declarations(here.tree, folder, name) if isinstance(one, Declaration)]
    table = here.tables.distributions.get(module, ()) if len(names) == 1 and not BUILT & {*names} else ()
    spec = built[0].named.spec if built else table[0] if table else ""
    made = required_by_project(here, Project(folder, ALWAYS), spec) if spec else None
    if not isinstance(made, Edited):
        return made or Refusal(f"no extra of the project names what provides {module}")
    why = f"{place} imports it whenever the package is imported, and nothing that the project requires names it"
    return replace(made, title=f"Require {spec} always").noting(why)


def _reached(tree: Tree, package: str) -> set[str]:
    """Files that `import package` runs, as far as imports at the top of its files lead."""
    queue, seen = [f"{package}/__init__.py"], set[str]()
    while queue and len(seen) < _MOST_FILES:
        path = queue.pop(0)
        if path not in seen and path in tree:
            seen.add(path)
            queue += _own(tree, path, package)
    return seen


def _own(tree: Tree, path: str, package: str) -> Iterator[str]:
    """Files of the package that a file imports at its top."""
    above, name = posixpath.dirname(package), posixpath.basename(package)
    for node in statements(tree, path):
        dotted = []
        if isinstance(node, ast.ImportFrom):
            base = posixpath.dirname(path)
            for _ in range(node.level - 1):
                base = posixpath.dirname(base)
            module = (node.module or "").replace(".", "/")
            start = posixpath.join(base if node.level else above, module).rstrip("/")
            dotted = [start, *(f"{start}/{one.name}" for one in node.names)]
            dotted = dotted if node.level or module.split("/")[0] == name else []
        elif isinstance(node, ast.Import):
            own = [one.name for one in node.names if one.name.partition(".")[0] == name]
            dotted = [posixpath.join(above, one.replace(".", "/")) for one in own]
        yield from (file for one in dotted for file in (f"{one}.py", f"{one}/__init__.py"))
