"""`build_requires`: what setup.py imports before anything is installed stands in `[build-system] requires`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from triage.fixes.document import eol_at
from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.recipes.dependencies.holding import bounded
from triage.fixes.recipes.dependencies.importing import statements
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.isolation import UNISOLATED
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.requiring import Listed, appended
from triage.fixes.recipes.dependencies.unisolated import of_others, of_project
from triage.fixes.recipes.dependencies.uv_unisolated import listed_unisolated
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, distributions, is_module_of, naming, parsed
from triage.model.patch import Edit, Expectation
from triage.model.recipe import BuildRequires

# A build against another copy of it than the one that runs would not fit: it has to be the environment's own.
_OF_ENVIRONMENT = ("torch", "tensorflow", "jax", "torch_npu")
# Modules that releases from some on hold no more, though everything asks for their distribution already.
_TAKEN_OUT = {"pkg_resources": ("setuptools", "<82")}
_LOWER = re.compile(r"(?:>=|~=|==|>)\s*([0-9][\w.]*)")


def build_requires(recipe: BuildRequires, here: Situation) -> Outcome:
    """Only where setup.py of a project of the tree imports the module at its top, and the tables know the module."""
    module = here.captures.get(recipe.module.strip("{}"), "")
    if not module.isidentifier() or is_module_of(here.tree, module):
        return Refusal(f"`{module}` is a module of the repository itself: setup.py runs where it is not on the path")
    done = installs(here.evaluation.invocations)
    folders = folders_built(here, done)
    lines = [(folder, line) for folder in folders if (line := _imported(here, beside(folder, "setup.py"), module))]
    if not lines:
        package = here.captures.get("package", "")
        if package and (made := listed_unisolated(here, package, module, folders)) is not None:
            return made
        told = f"what is built is not of this repository, and its setup.py imports {module}: {_apart(module)}"
        return of_others(here, done, told) if module == "torch" else Words(told)
    folder, line = lines[0]
    place = f"{beside(folder, 'setup.py')}:{line}"
    if module in _OF_ENVIRONMENT:
        told = f"{place} imports {module}, which no isolated build sees: install {module} first, then build with"
        return of_project(here, done, folder, f"{told} `{UNISOLATED}`", module)
    if module in _TAKEN_OUT:
        return _declared(here, beside(folder, "pyproject.toml"), *_TAKEN_OUT[module], place)
    if module not in here.tables.distributions:
        return Words(f"{place} imports {module}: name what provides it in `[build-system] requires` of pyproject.toml")
    return _declared(here, beside(folder, "pyproject.toml"), distributions(module, here.tables)[0], "", place)


def folders_built(here: Situation, done: Sequence[Install]) -> tuple[str, ...]:
    """Those of the projects that the job installs; that of the tree where no job is known."""
    folders = [one.folder for one in projects(here, done)] or (["."] if here.typed or not here.job.path else [])
    return tuple(dict.fromkeys(folders))


def required_to_build(strings: Iterable[toml.Placed]) -> list[toml.Placed]:
    return [one for one in strings if one.place[:2] == ("build-system", "requires")]


def required_as(here: Situation, held: toml.Placed, path: str, new: str, why: str, *, title: str) -> Edited:
    """With what the build requires written anew."""
    place = toml.shown(held.place)
    edit = Edit(path, held.start, held.end, new.encode(), why)
    promise = Expectation("value", f"{place}={new}", here.target.job, path)
    return Edited((edit,), (f"{path}:{place}",), (promise,), title=title)


def _apart(module: str) -> str:
    if module in _TAKEN_OUT:
        return (
            f"{''.join(_TAKEN_OUT[module])} has it, and an isolated build takes the newest: name a file that says so "
            f"in `PIP_CONSTRAINT`, or install that first and then the package with `{UNISOLATED}`"
        )
    return f"install {module} first and then that package with `{UNISOLATED}`, or take a wheel of it"


def _imported(here: Situation, path: str, module: str) -> int:
    """The line of setup.py that imports the module whatever happens; 0 for none."""
    for node in statements(here.tree, path) if path in here.tree else ():
        match node:
            case ast.Import(names=names) if any(one.name.partition(".")[0] == module for one in names):
                return node.lineno
            case ast.ImportFrom(module=str(source), level=0) if source.partition(".")[0] == module:
                return node.lineno
            case _:
                pass
    return 0


def _declared(here: Situation, path: str, name: str, bound: str, place: str) -> Outcome:
    """`bound`: releases that still hold the module."""
    why = f"{place} imports it, and pip builds in an environment that holds only what is declared"
    if path not in here.tree:
        return Words(f"{place} needs {name} to build: add a {path} whose `[build-system] requires` names it")
    data = here.tree.read(path)
    strings = toml.strings(data)
    if isinstance(strings, Refusal):
        return Refusal(strings.reason, path)
    held = required_to_build(strings)
    for one in held:
        for named in naming(parsed(one.value, path), (name,)):
            return _bounded(here, one, named, bound)
    name += bound
    title = f"Require {name} for the build"
    if held:
        items = tuple((one.value, one.start, one.end) for one in held)
        made = appended(here, Listed(path, "", items, toml.shown(held[0].place[:-1])), name)
        return (
            Edited(made.edits, made.declared, made.expectations, (why,), title=title)
            if isinstance(made, Edited)
            else made
        )
    if b"[build-system]" in data:
        return Words(f"add {name} to `[build-system] requires` of {path}: {why}")
    eol = eol_at(data, 0).decode() if b"\n" in data else "\n"
    wanted = [f'"{one}"' for one in (*([] if bound else ["setuptools"]), "wheel", name)]
    table = [
        "[build-system]",
        f"requires = [{', '.join(wanted)}]",
        'build-backend = "setuptools.build_meta"',
        "",
        "",
    ]
    edit = Edit(path, 0, 0, eol.join(table).encode(), why)
    promise = Expectation("value", f"build-system.requires[{len(wanted) - 1}]={name}", here.target.job, path)
    return Edited((edit,), (f"{path}:build-system",), (promise,), (why,), title=title)


def _bounded(here: Situation, held: toml.Placed, named: Named, bound: str) -> Outcome:
    """What is required without a module that its newest release has lost, at a release that has it."""
    path, lost = named.path, bound.removeprefix("<")
    if not bound or not satisfied(named.pin, lost):
        return InPlace(f"{path} requires {held.value} for the build")
    if held.value != named.spec or not all(satisfied(bound, lower) for lower in _LOWER.findall(named.pin)):
        return Refusal(f"{path} requires {held.value} for the build, and {named.written}{bound} is needed", path)
    new = f"{named.written}{bounded(named.pin, bound)}"
    why = f"{named.written} {lost} does not hold the module any more"
    return required_as(here, held, path, new, why, title=f"Require {named.written}{bound} for the build")
