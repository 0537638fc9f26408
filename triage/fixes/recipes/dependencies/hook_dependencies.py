"""`hook_dependency`: what a pre-commit hook starts or imports, in the environment that pre-commit makes for it."""

from __future__ import annotations

import yaml

from triage.fixes.recipes.dependencies.lint_releases import Hook, configuration, held_release, hooks
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import (
    Named,
    distributions,
    in_file,
    in_pyproject,
    naming,
    normalised,
    parsed,
    requirement_files,
)
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.nodes import YamlDocument, child, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import HookDependency

_KEY = "additional_dependencies"
# Environments that pre-commit makes with pip; what it does not say of a remote hook is read from the remote itself.
_PYTHON = ("python", "")


def hook_dependency(recipe: HookDependency, here: Situation) -> Outcome:
    program, wanted = (here.fill(text, select=True) for text in (recipe.program, recipe.hook))
    if isinstance(program, Refusal):
        return program
    if isinstance(wanted, Refusal):
        return wanted
    document = configuration(here.tree)
    if isinstance(document, Refusal):
        return document
    found = [one for one in hooks(document) if one.name == wanted]
    if len(found) != 1:
        return Refusal(f"{len(found)} hooks are called `{wanted}`", document.path)
    line = document.line(found[0].node)
    if text_of(child(found[0].node, "language")) not in _PYTHON:
        return Words(
            f"the hook `{wanted}` runs outside of Python: install {program} before it ({document.path}:{line})"
        )
    spec = _spec(here, program)
    if not spec:
        return Words(f"add what provides `{program}` to `{_KEY}` of the hook `{wanted}` ({document.path}:{line})")
    return _with(here, document, found[0], spec)


def _spec(here: Situation, program: str) -> str:
    """As the repository names it: the release that its lint configuration holds, else a requirement of its own."""
    for name in (normalised(program), *distributions(program, here.tables)):
        held = held_release(here.tree, name)
        if held is not None:
            return f"{name}=={held.release}"
    every = [one for path in requirement_files(here.tree) for one in in_file(here.tree, path)]
    found = naming([*every, *in_pyproject(here.tree)], (normalised(program), *distributions(program, here.tables)))
    return found[0].spec.replace(" ", "") if found else ""


def _with(here: Situation, document: YamlDocument, hook: Hook, spec: str) -> Outcome:
    why = f"pre-commit gives the hook `{hook.name}` an environment of its own, which lacks {spec}"
    listed = child(hook.node, _KEY)
    names = {one.name for one in _named(listed, document.path)}
    if normalised(spec.partition("=")[0]) in names:
        return InPlace(f"{document.path}:{document.line(hook.node)} already gives the hook {spec}")
    edits = _edits(document, hook, listed, spec, why)
    if isinstance(edits, Refusal):
        return edits
    index = len(listed.value) if isinstance(listed, yaml.SequenceNode) else 0
    place = f"{hook.place}.{_KEY}"
    promise = Expectation("value", f"{place}[{index}]={spec}", here.target.job, document.path)
    return Edited(
        edits, (f"{document.path}:{place}",), (promise,), title=f"Give the hook `{hook.name}` {spec}",
        blast_radius=(f"everyone who runs the hooks of {document.path}",),
    )  # fmt: skip


def _named(listed: yaml.Node | None, path: str) -> list[Named]:
    items = listed.value if isinstance(listed, yaml.SequenceNode) else []
    return [named for item in items for named in parsed(text_of(item), path)]


def _edits(
    document: YamlDocument, hook: Hook, listed: yaml.Node | None, spec: str, why: str
) -> tuple[Edit, ...] | Refusal:
    if id(hook.node) in document.aliased or (listed is not None and id(listed) in document.aliased):
        return Refusal("it is shared through an anchor", document.path, document.line(hook.node))
    written = f'"{spec}"'
    if isinstance(listed, yaml.SequenceNode) and listed.value:
        last = listed.value[-1]
        if not listed.flow_style:
            return insert_after(document, last, [f"- {written}"], listed.start_mark.column, why=why)
        at = document.end(last)
        return (Edit(document.path, at, at, f", {written}".encode(), why),)
    if listed is not None or hook.node.flow_style:
        return Refusal(f"`{_KEY}` is written in a way that is not understood", document.path, document.line(hook.node))
    column = hook.node.value[0][0].start_mark.column
    return insert_after(document, hook.node.value[-1][1], [f"{_KEY}: [{written}]"], column, why=why)
