"""Switches that the program asks to be turned off."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import TurnOff

JOB = ".github/workflows/own.yml"
OWN = "model: a\nshards:\n  cpu_ram_loading: true\n  fast: true\n"
RUN = "python train.py --config cases/own.yaml"


def repository(own: str = OWN, run: str = RUN) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    return tree({JOB: job, "cases/own.yaml": own, "train.py": ""})


def made(held: MemoryTree, name: str = "cpu_ram_loading") -> Patch:
    return patch(TurnOff("{name}"), "train", JOB, captures={"name": name}, repository=held)


@pytest.mark.parametrize("name", ["cpu_ram_loading", "ram_loading", "--cpu-ram-loading"])
def test_it_is_turned_off_where_it_is_on(name: str) -> None:
    found = made(repository(), name)
    assert changed(found) == ["-cpu_ram_loading: true", "+cpu_ram_loading: false"], found.reason


def test_it_is_written_as_it_was() -> None:
    assert changed(made(repository(OWN.replace("true", "True"))))[1] == "+cpu_ram_loading: False"


def test_what_is_off_already_is_another_fault() -> None:
    assert made(repository(OWN.replace("ing: true", "ing: false"))).state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    ("own", "name"),
    [
        (OWN, "loading"),  # one word may be anything
        (OWN, "gpu_ram_loading"),
        (OWN.replace("ing: true", "ing: 4"), "cpu_ram_loading"),  # no switch
        (f"{OWN}  my_cpu_ram_loading: true\n", "cpu_ram_loading"),  # two
    ],
)
def test_refused_for_what_is_no_one_switch_that_is_on(own: str, name: str) -> None:
    assert made(repository(own), name).state is PatchState.REFUSED


def test_refused_where_the_configuration_is_not_known() -> None:
    assert made(repository(run="python train.py")).state is PatchState.REFUSED
