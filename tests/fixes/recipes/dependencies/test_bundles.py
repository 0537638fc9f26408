"""An error that asks for `pip install name[extra]`, where the repository names the distribution without the extra."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
FILE = PipInstall(module="{module}", form="file")
ASKED = {"module": "ray", "extra": "cgraph"}
CODE = {"train/dag.py": 'raise ValueError("no cupy: run `pip install ray[cgraph]`")\n'}
PROJECT = '[project]\nname = "train"\ndependencies = [\n    "ray>=2.9",\n    "torch",\n]\n'
SETUP = "from setuptools import setup\nsetup(name='train', install_requires=['torch', 'ray[default] >= 2.9'])\n"


def repository(command: str, files: dict[str, str]) -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n      - run: {command}\n      - run: pytest tests\n"
    return tree({CI: ci, **CODE, **files})


@pytest.mark.parametrize(
    ("command", "files", "line"),
    [
        ("pip install -r reqs.txt", {"reqs.txt": "torch\nray\n"}, "+ray[cgraph]"),
        ("uv pip install -r reqs.txt", {"reqs.txt": "ray[default] >= 2.9  # pp\n"}, "+ray[default,cgraph] >= 2.9  # pp"),
        ("pip install -e .", {"pyproject.toml": PROJECT}, '+"ray[cgraph]>=2.9",'),
        ("pip install .", {"setup.py": SETUP},
         "+setup(name='train', install_requires=['torch', 'ray[default,cgraph] >= 2.9'])"),
    ],
)  # fmt: skip
def test_what_the_job_installs_asks_for_the_extra_too(command: str, files: dict[str, str], line: str) -> None:
    proved = patch(FILE, "test", CI, captures=ASKED, repository=repository(command, files))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == line


def test_without_a_workflow_the_only_list_that_names_it_is_meant() -> None:
    lists = {"requirements.txt": "torch\nray\n", "requirements-dev.txt": "ray\n", "requirements-rocm.txt": "torch\n"}
    proved = patch(FILE, "", "", captures=ASKED, facts=Facts(), repository=tree({**CODE, **lists}))
    assert (proved.state, proved.files, changed(proved)) == (
        PatchState.PATCH, ("requirements.txt",), ["-ray", "+ray[cgraph]"])  # fmt: skip
    several = {**CODE, **lists, "requirements-tpu.txt": "ray\n"}
    assert patch(FILE, "", "", captures=ASKED, facts=Facts(), repository=tree(several)).state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("files", "captures", "state"),
    [
        ({"reqs.txt": "ray[cgraph]\n"}, ASKED, PatchState.IN_PLACE),
        ({"reqs.txt": "ray\n"}, {**ASKED, "extra": "other"}, None),
        ({"reqs.txt": "torch\n"}, ASKED, None),
    ],
)
def test_an_extra_that_stands_or_that_nothing_asks_for_changes_nothing(
    files: dict[str, str], captures: dict[str, str], state: PatchState | None
) -> None:
    found = draft(FILE, "test", CI, captures=captures, repository=repository("pip install -r reqs.txt", files))
    assert "[other]" not in str(found.edits)
    assert state is None or found.state is state


def test_the_extra_is_not_written_into_the_bounds_of_a_key() -> None:
    poetry = '[tool.poetry]\nname = "train"\n[tool.poetry.dependencies]\nray = "^2.9"\n'
    found = patch(FILE, "test", CI, captures=ASKED, repository=repository("pip install .", {"pyproject.toml": poetry}))
    assert (found.state, found.diff) == (PatchState.REFUSED, "")
    assert "name `cgraph` there" in found.reason


def test_a_list_with_hashes_has_none_for_what_the_extra_brings() -> None:
    there = repository("pip install -r reqs.txt", {"reqs.txt": "ray==2.9 \\\n    --hash=sha256:aaaa\n"})
    assert draft(FILE, "test", CI, captures=ASKED, repository=there).state is PatchState.REFUSED
