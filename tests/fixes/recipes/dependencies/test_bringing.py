"""A bound on what nothing names stands behind the command that brought it, as far as the log says which one that was."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
HELD = PipPin("protocols", "<3.21")
SETUP = 'from setuptools import setup\nsetup(name="train", install_requires=["torch", "numpy"])\n'
OWN = frozenset({"train", "torch"})


def facts(*batches: frozenset[str]) -> Facts:
    every = frozenset[str]().union(*batches)
    return Facts(installed=dict.fromkeys(every, "4.21.1"), brought=every, batches=batches)


def repository(*commands: str, **files: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, "pytest"))
    workflow = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    every = {CI: workflow, "setup.py": SETUP, **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize("spec", ["<3.21", "<{installed}"])
@pytest.mark.parametrize("command", ["pip install lightning", "python -m pip install -U boards lightning"])
def test_behind_the_command_that_names_what_came_with_it(command: str, spec: str) -> None:
    made = repository("pip install .", command)
    log = facts(OWN, frozenset({"lightning", "boards", "protocols"}))
    proved = patch(PipPin("protocols", spec), "test", CI, facts=log, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (CI,)
    shown = spec.format(installed="4.21.1")
    assert changed(proved)[-1].strip("+- ").endswith(f'install "protocols{shown}"')


def test_behind_the_last_command_where_another_program_installs() -> None:
    made = repository("pip install .", "find demos -name req.txt -exec pip install -r {} \\;")
    proved = patch(HELD, "test", CI, facts=facts(OWN, frozenset({"protocols"})), repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (CI,)


@pytest.mark.parametrize(
    ("commands", "log"),
    [
        (("pip install .", "pip install lightning"), facts(OWN | {"protocols"}, frozenset({"lightning"}))),
        (("pip install .", "pip install lightning"), facts()),
        (("pip install . lightning",), facts(OWN | {"protocols", "lightning"})),
    ],
)
def test_what_the_project_brought_is_a_matter_of_the_project(commands: tuple[str, ...], log: Facts) -> None:
    installed = Facts(installed={"protocols": "4.21.1"}, brought=frozenset({"protocols"}), batches=log.batches)
    kept_out = PipPin("protocols", "<{installed}")
    found = draft(kept_out, "test", CI, facts=installed, repository=repository(*commands))
    assert {edit.path for edit in found.edits} <= {"setup.py"}


def test_a_list_that_brought_it_holds_it() -> None:
    made = repository("pip install -r dev.txt lightning", dev_dot_txt="boards\n")
    log = facts(frozenset({"lightning", "boards", "protocols"}))
    found = draft(HELD, "test", CI, facts=log, repository=made)
    assert {edit.path for edit in found.edits} == {"dev.txt"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"demos/audio/requirements.txt": "sounds\n"}, "demos/audio/requirements.txt:1 (sounds)"),
        ({}, "something that it starts did"),
    ],
)
def test_nothing_is_held_before_what_the_job_starts_installs_it_anew(files: dict[str, str], said: str) -> None:
    made = repository("pip install --upgrade pip", "make slow", **files)
    log = facts(frozenset({"sounds", "protocols"}))
    proved = patch(HELD, "test", CI, facts=log, repository=made)
    assert (proved.state, said in proved.reason) == (PatchState.ADVICE, True), proved.reason
