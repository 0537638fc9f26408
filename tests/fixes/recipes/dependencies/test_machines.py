"""What has no wheel for one kind of machine is asked for on the others."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MarkMachine

FAR = {"package": "Fast_Codec", "machine": "aarch64"}
BESIDE = "[project]\nname = 'train'\ndependencies = [\"rich\", \"bits; platform_machine == 'x86_64' and sys_platform != 'darwin'\"]\n"


def made(project: str, **files: str) -> Patch:
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return patch(MarkMachine("{package}", "{machine}"), "", "", captures=FAR,
                 repository=tree({"pyproject.toml": project, **named}))  # fmt: skip


@pytest.mark.parametrize(
    ("project", "line"),
    [
        ('[project]\nname = "train"\ndependencies = ["rich", "fast-codec>=0.7"]\n',
         "+dependencies = [\"rich\", \"fast-codec>=0.7; platform_machine != 'aarch64'\"]"),
        ("[project]\nname = 'train'\n[project.optional-dependencies]\nvlm = ['fast-codec']\n",
         "+vlm = ['fast-codec; platform_machine != \"aarch64\"']"),
        (f'{BESIDE}[project.optional-dependencies]\nvlm = [\n  "fast-codec[all]",\n]\n',
         "+\"fast-codec[all]; platform_machine == 'x86_64' and sys_platform != 'darwin'\","),
        ('[dependency-groups]\ngpu = ["bits; platform_machine == \'aarch64\'", "fast-codec"]\n',
         "+gpu = [\"bits; platform_machine == 'aarch64'\", \"fast-codec; platform_machine != 'aarch64'\"]"),
    ],
)  # fmt: skip
def test_it_is_marked_as_others_of_the_file_are(project: str, line: str) -> None:
    found = made(project)
    assert (found.state, changed(found)[-1]) == (PatchState.PATCH, line), found.reason


@pytest.mark.parametrize(
    ("project", "state"),
    [
        ("[project]\nname = 'train'\ndependencies = ['rich']\n", PatchState.REFUSED),
        ("[project]\nname = 'train'\ndependencies = [\"fast-codec; python_version < '3.14'\"]\n", PatchState.IN_PLACE),
        ("[project]\nname = 'train'\n[project.optional-dependencies]\na = ['fast-codec']\nb = ['fast-codec']\n",
         PatchState.REFUSED),
    ],
    ids=["not-asked-for", "marked", "twice"],
)  # fmt: skip
def test_near_misses_change_nothing(project: str, state: PatchState) -> None:
    assert made(project).state is state


def test_with_a_lock_it_is_said_what_to_run() -> None:
    found = made("[project]\nname = 'train'\ndependencies = ['fast-codec']\n", uv_dot_lock="version = 1\n")
    assert found.state is PatchState.ADVICE
    assert "in pyproject.toml:3, run `uv lock`" in found.reason
