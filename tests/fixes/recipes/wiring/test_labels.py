"""A label that only one job asks for, and that resembles the one of its siblings."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyLabel

OWN = ".github/workflows/own.yml"


def repository(*labels: str) -> MemoryTree:
    jobs = "".join(
        f"  job{at}:\n    runs-on: {label}\n    steps:\n      - run: make\n" for at, label in enumerate(labels)
    )
    return tree({OWN: f"on: [push]\njobs:\n{jobs}"})


@pytest.mark.parametrize(
    ("own", "expected"),
    [("linux-arm-a2-8", "runs-on: linux-arm-a2b3-8"), ("[linux-arm-a2-8]", "runs-on: [linux-arm-a2b3-8]")],
)
def test_it_becomes_that_of_its_siblings(own: str, expected: str) -> None:
    made = patch(CopyLabel(), "job0", OWN, repository=repository(own, "linux-arm-a2b3-8", "linux-arm-a2b3-8"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+{expected}"


@pytest.mark.parametrize(
    ("labels", "state"),
    [
        # Another job asks for it, other devices, only one sibling, two that fit, another machine, GitHub's own.
        (("linux-arm-a2-8", "linux-arm-a2b3-8", "linux-arm-a2b3-8", "linux-arm-a2-8"), PatchState.REFUSED),
        (("linux-arm-a2-8", "linux-arm-a2b3-4", "linux-arm-a2b3-4"), PatchState.ADVICE),
        (("linux-arm-a2-8", "linux-arm-a2b3-8"), PatchState.ADVICE),
        (("linux-arm-a2-8", *["linux-arm-a2b3-8"] * 2, *["linux-arm-a2b4-8"] * 2), PatchState.ADVICE),
        (("linux-arm-a2-8", *["gpu-h100-8"] * 3), PatchState.ADVICE),
        (("ubuntu-22.04", *["ubuntu-24.04"] * 3), PatchState.REFUSED),
        (("[self-hosted, gpu-8]", *["gpu-b-8"] * 3), PatchState.REFUSED),
    ],
)
def test_it_stays_where_they_do_not_say_which_is_meant(labels: tuple[str, ...], state: PatchState) -> None:
    assert draft(CopyLabel(), "job0", OWN, repository=repository(*labels)).state is state
