"""A variable that only root's programs read, where `sudo` starts them."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import UNIT, changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import SetEnv

QUIET = SetEnv("DEBIAN_FRONTEND", "noninteractive", level="step")
HEAD = "on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Install\n        run: |\n"


def step(*lines: str) -> dict[str, str]:
    return {UNIT: HEAD + "".join(f"          {line}\n" for line in lines)}


def test_the_variable_stands_behind_each_sudo() -> None:
    made = patch(
        QUIET,
        "unit",
        UNIT,
        step="Install",
        repository=tree(step("sudo apt-get update", "sudo apt-get install -y tzdata", "make")),
    )
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [
        "+sudo DEBIAN_FRONTEND=noninteractive apt-get update",
        "+sudo DEBIAN_FRONTEND=noninteractive apt-get install -y tzdata",
    ]


def test_a_script_that_needs_no_sudo_sees_the_environment_of_the_step() -> None:
    files = step("bash ci/deps.sh") | {"ci/deps.sh": "apt-get install -y git\n"}
    made = patch(QUIET, "unit", UNIT, step="Install", repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+env:", '+DEBIAN_FRONTEND: "noninteractive"']


def test_what_is_handed_on_already_is_in_place() -> None:
    files = step("sudo DEBIAN_FRONTEND=noninteractive apt-get install -y tzdata")
    assert draft(QUIET, "unit", UNIT, step="Install", repository=tree(files)).state is PatchState.IN_PLACE


@pytest.mark.parametrize("run", ["sudo make install", "sudo ./deps.sh"])
def test_other_programs_behind_sudo_are_left(run: str) -> None:
    made = patch(QUIET, "unit", UNIT, step="Install", repository=tree(step(run)))
    assert not any("sudo DEBIAN" in line for line in changed(made))


def test_in_a_build_it_stands_before_the_command_of_the_instruction() -> None:
    files = {
        UNIT: HEAD + "          docker build -t a .\n",
        "Dockerfile": "FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y git\n",
    }
    facts = Facts(build=BuildStep("Dockerfile", {2: "RUN apt-get update && apt-get install -y git"}))
    made = patch(QUIET, "unit", UNIT, step="Install", facts=facts, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert "DEBIAN_FRONTEND=noninteractive apt-get install" in made.diff
