"""A program of GitHub's machines that the job deletes to make room is kept, and not installed anew."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import SystemPackage

PATH = ".github/workflows/docs.yml"
MISSING = SystemPackage(needed="{command}")


def made(free: str, command: str, runner: str = "ubuntu-22.04", **files: str) -> Patch:
    job = (
        f"on: push\njobs:\n  docs:\n    runs-on: {runner}\n    steps:\n      - name: Room\n        run: |\n"
        f"          df -h\n          {free}\n      - name: Build\n        run: python docs/build.py\n"
    )
    repository = tree({PATH: job, **files})
    return patch(MISSING, "docs", PATH, step="Build", captures={"command": command}, repository=repository)


@pytest.mark.parametrize(
    ("free", "command", "lines"),
    [
        ("sudo rm -rf /usr/local/lib/node_modules > /dev/null 2>&1", "npm",
         ["-sudo rm -rf /usr/local/lib/node_modules > /dev/null 2>&1"]),
        ("sudo rm -rf /opt/ghc /usr/lib/jvm /usr/share/swift", "java",
         ["-sudo rm -rf /opt/ghc /usr/lib/jvm /usr/share/swift", "+sudo rm -rf /opt/ghc /usr/share/swift"]),
        ("sudo rm --recursive --force /usr/share/dotnet || true", "dotnet",
         ["-sudo rm --recursive --force /usr/share/dotnet || true"]),
    ],
)  # fmt: skip
def test_the_deletion_leaves_what_a_later_step_needs(free: str, command: str, lines: list[str]) -> None:
    found = made(free, command)
    assert (found.state, found.reason, changed(found)) == (PatchState.PATCH, "", lines)
    assert found.title == f"Do not delete what brings `{command}`"


def test_a_script_that_makes_room_is_edited_where_it_stands() -> None:
    script = "set -e\nrm -rf /usr/share/dotnet\nrm -rf /opt/az\n"
    found = made("sudo bash ci/free.sh", "az", **{"ci/free.sh": script})
    assert (found.state, found.files, changed(found)) == (PatchState.PATCH, ("ci/free.sh",), ["-rm -rf /opt/az"])


@pytest.mark.parametrize(
    ("free", "runner"), [("rm -rf build", "ubuntu-22.04"), ("rm /usr/local/lib/node_modules/x", "ubuntu-latest")]
)
def test_what_the_machine_brings_is_not_installed_a_second_time(free: str, runner: str) -> None:
    found = made(free, "npm", runner)
    assert found.state is PatchState.IN_PLACE
    assert "GitHub's machines bring `npm`" in found.reason


def test_of_another_machine_nothing_is_said() -> None:
    found = made("sudo rm -rf /usr/local/lib/node_modules", "npm", "gpu-8")
    assert found.state is not PatchState.PATCH
    assert "GitHub's machines" not in found.reason
