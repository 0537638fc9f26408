"""A step that makes room on a machine of GitHub's own, and leaves folders that nobody needs either."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import AddStep, RunBefore

OWN = ".github/workflows/own.yml"
ADDED = AddStep(
    "Free disk space",
    run="sudo rm -rf /usr/share/dotnet /usr/local/lib/android /opt/ghc\ndf -h /",
    hosted=True,
    after="first",
)


def freed(cleaning: str, runs_on: str = "ubuntu-latest") -> Patch:
    steps = f"      - name: Clean\n        run: {cleaning}\n      - name: Image\n        run: docker build .\n"
    head = f"on: [push]\njobs:\n  build:\n    runs-on: {runs_on}\n    steps:\n      - uses: actions/checkout@v4\n"
    return patch(ADDED, "build", OWN, step="Image", repository=tree({OWN: head + steps}))


@pytest.mark.parametrize(
    ("cleaning", "old", "new"),
    [
        (
            "sudo rm -rf /usr/share/dotnet",
            "run: sudo rm -rf /usr/share/dotnet",
            "run: sudo rm -rf /usr/share/dotnet /usr/local/lib/android /opt/ghc",
        ),
        (
            "rm -rf /opt/ghc",
            "run: rm -rf /opt/ghc",
            'run: "rm -rf /opt/ghc && sudo rm -rf /usr/share/dotnet /usr/local/lib/android"',
        ),
        (
            "|\n          df -h\n          sudo rm -rf /usr/local/lib/android/",
            "sudo rm -rf /usr/local/lib/android/",
            "sudo rm -rf /usr/local/lib/android/ /usr/share/dotnet /opt/ghc",
        ),
        (
            "|\n          # not /usr/share/dotnet\n          sudo rm -rf /usr/local/lib/android # nor /opt/ghc",
            "sudo rm -rf /usr/local/lib/android # nor /opt/ghc",
            "sudo rm -rf /usr/local/lib/android /usr/share/dotnet /opt/ghc # nor /opt/ghc",
        ),
    ],
)
def test_the_folders_that_are_left_go_too(cleaning: str, old: str, new: str) -> None:
    proved = freed(cleaning)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{old}", f"+{new}"]


def test_what_removes_all_of_them_is_in_place() -> None:
    assert freed("sudo rm -rf /usr/share /usr/local/lib/android /opt/ghc").state is PatchState.IN_PLACE
    twice = "|\n          sudo rm -rf /usr/share/dotnet\n          sudo rm -rf /opt/ghc"
    assert freed(twice).state is PatchState.IN_PLACE
    assert freed("sudo rm -rf /usr/share/dotnet", "[self-hosted, gpu]").state is PatchState.REFUSED


def test_a_machine_of_github_keeps_no_images() -> None:
    recipe = RunBefore("docker system prune -af", ("docker build",), outside=True)
    text = (
        "on: [push]\njobs:\n  build:\n    runs-on: {}\n    steps:\n      - name: Image\n        run: docker build .\n"
    )
    for label, state in (("ubuntu-22.04", PatchState.REFUSED), ("[self-hosted, gpu]", PatchState.PATCH)):
        made = patch(recipe, "build", OWN, step="Image", repository=tree({OWN: text.format(label)}))
        assert made.state is state, made.reason
