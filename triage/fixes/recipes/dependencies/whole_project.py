"""A project of its own that a job installs without what it requires, on a machine where nothing else brings it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.recipes.dependencies.declarations import beside, read_files, run_time
from triage.fixes.recipes.dependencies.importing import file_of, imports, package_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import distributions, in_file
from triage.fixes.shell.edits import replace_command
from triage.interfaces import Tree
from triage.model.patch import Expectation

_SWITCH = "--no-deps"


def with_requirements(here: Situation, done: Sequence[Install], names: Sequence[str]) -> Outcome | None:
    """Without the switch that leaves them out, where the project's own package imports one of them; None elsewhere.

    An image may have them, and a list that the job installs may bring them: then only one is missing.
    """
    own = [one for one in done if one.local]
    folder = _importing_project(here)
    if here.image or here.typed or len(own) != 1 or not folder or not on_bare_machine(here):
        return None
    install = own[0]
    worked_out = any(_is_worked_out(here.tree, folder, name) for name in names)
    if (install.invocation.directory or ".") != folder:
        return None
    where = f"{install.call.path}:{install.call.line}"
    if not worked_out and not any(_requires(here.tree, folder, name) for name in names):
        lacking = _lacking(here, folder, done)
        if _SWITCH in install.flags and lacking:
            return _without_switch(here, install, names[0])
        if lacking and any(_SWITCH in one for one in here.facts.commands):
            return InPlace(f"{where} installs the project with what it requires, as that run did not")
        return None
    if _SWITCH not in install.flags:  # what is written out is looked at with everything else
        return InPlace(f"{where} installs the project, which requires {names[0]}") if worked_out else None
    listed = {one.name for _, path in read_files(here.tree, folder) for one in in_file(here.tree, path)}
    if any(one.files or any(named.name in listed for named, _ in one.named) for one in done):
        return None
    return _without_switch(here, install, names[0])


def _importing_project(here: Situation) -> str:
    """The folder of the project whose own package holds the last file of the failure's traceback; "" for none."""
    path = file_of(here.tree, here.facts.frames[-1]) if here.facts.frames and not here.facts.packages else ""
    return package_of(here.tree, path)[1] if path else ""


def _lacking(here: Situation, folder: str, done: Sequence[Install]) -> str:
    """What the file imports besides, and the project requires, and that run lacked as well: what fails comes with what
    is required, and is only the first that is looked for."""
    brought = {named.name for one in done for named, _ in one.named} | {*here.facts.installed}
    file = file_of(here.tree, here.facts.frames[-1])
    needed = {name for module, _ in imports(here.tree, file) for name in distributions(module, here.tables)}
    return min((name for name in needed - brought if _requires(here.tree, folder, name)), default="")


def _is_worked_out(tree: Tree, folder: str, name: str) -> bool:
    """Whether setup.py works the release out: `f"torch=={version}"`."""
    setup = beside(folder, "setup.py")
    data = tree.read(setup) if setup in tree else b""
    return re.search(rb"""[fF]["']""" + re.escape(name.encode()) + rb"""[ ]?[=<>!~]""", data) is not None


def _requires(tree: Tree, folder: str, name: str) -> bool:
    """Whatever extras are chosen."""
    return any("" in one.extras for one in run_time(tree, folder, name))


def _without_switch(here: Situation, install: Install, name: str) -> Outcome:
    why = f"the project requires {name}, and nothing else of {here.job.id} brings it"
    edits = replace_command(here.tree, install.call, f" {_SWITCH}", "", why=why)
    if isinstance(edits, Refusal):
        return edits
    words = " ".join(str(word) for word in install.invocation.argv if word.text != _SWITCH)
    promise = Expectation("command", words, here.target.job, here.target.workflow_path)
    declared = declared_at(here, install.call.path, install.invocation.step)
    title = "Install the project with what it requires"
    return Edited(edits, (declared,), (promise,), (why,), title=title, because=f"{why[0].upper()}{why[1:]}.")
