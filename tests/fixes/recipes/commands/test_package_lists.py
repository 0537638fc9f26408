from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import UpdateLists

OWN = ".github/workflows/own.yml"
STALE = UpdateLists()
MISSING = UpdateLists(package="{package}")
NUMACTL = {"package": "numactl"}


def job(script: str, runner: str = "gpu-8", before: str = "") -> MemoryTree:
    head = (
        f"on: [push]\njobs:\n  build:\n    runs-on: {runner}\n    steps:\n      - uses: actions/checkout@v4\n{before}"
    )
    body = "".join(f"          {line}\n" for line in script.splitlines())
    return tree({OWN: f"{head}      - name: Install\n        run: |\n{body}"})


@pytest.mark.parametrize(
    ("script", "new"),
    [
        ("apt-get install -y numactl\nmake", ["+apt-get update"]),
        ("sudo -E apt install -y numactl", ["+sudo apt update"]),
        ("sudo DEBIAN_FRONTEND=noninteractive apt-get -qq -y install numactl", ["+sudo apt-get update"]),
        ("apt-get -y install a\napt-get -y install b", ["+apt-get update"]),
        (
            "cd x && apt-get install -y numactl",
            ["-cd x && apt-get install -y numactl", "+cd x && apt-get update && apt-get install -y numactl"],
        ),
        ("apt-get install -y numactl && make", ["+apt-get update"]),
        (
            "if command -v x; then\n  apt-get install -y a\nelse\n  apt-get install -y b\nfi",
            ["+apt-get update", "+apt-get update"],
        ),
        ("if command -v x; then\n  apt-get update\nfi\napt-get install -y a", ["+apt-get update"]),
    ],
)
def test_the_lists_are_updated_before_the_install(script: str, new: list[str]) -> None:
    made = patch(STALE, "build", OWN, step="Install", repository=job(script))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == new


@pytest.mark.parametrize(
    "script",
    [
        "apt-get update\napt-get install -y numactl",
        "sudo apt-get update -y && sudo apt-get install -y numactl",
        "sudo add-apt-repository -y ppa:example/tools\nsudo apt-get install -y numactl",
    ],
)
def test_an_update_before_it_is_in_place(script: str) -> None:
    assert draft(STALE, "build", OWN, step="Install", repository=job(script)).state is PatchState.IN_PLACE


def test_an_update_of_an_earlier_step_is_in_place() -> None:
    before = "      - name: Lists\n        run: sudo apt-get update\n"
    there = job("sudo apt-get install -y numactl", before=before)
    assert draft(STALE, "build", OWN, step="Install", repository=there).state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    "script", ["yum install -y numactl", "yes | apt-get install numactl", "x || apt-get install a"]
)
def test_what_cannot_take_it_is_refused(script: str) -> None:
    assert draft(STALE, "build", OWN, step="Install", repository=job(script)).state is PatchState.REFUSED


def test_only_the_install_of_the_package_that_apt_does_not_know() -> None:
    there = job("apt-get install -y git\napt-get install -y numactl")
    made = patch(MISSING, "build", OWN, step="Install", captures=NUMACTL, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert "+          apt-get update\n           apt-get install -y numactl" in made.diff
    other = draft(MISSING, "build", OWN, step="Install", captures={"package": "curl"}, repository=there)
    assert other.state is PatchState.REFUSED


def test_machines_of_github_come_with_lists_so_an_unknown_name_is_only_advice() -> None:
    there = job("sudo apt-get install -y numactl", "ubuntu-24.04")
    made = draft(MISSING, "build", OWN, step="Install", captures=NUMACTL, repository=there)
    assert made.state is PatchState.ADVICE
    assert patch(STALE, "build", OWN, step="Install", repository=there).state is PatchState.PATCH


def test_an_image_updates_them_in_the_instruction_that_installs() -> None:
    text = "FROM example/base:1\nRUN apt-get update && apt-get install -y git\nRUN apt-get install -y numactl\n"
    there = tree(
        {
            OWN: "on: [push]\njobs:\n  build:\n    runs-on: [gpu]\n    steps:\n      - run: docker build -f docker/Dockerfile .\n",
            "docker/Dockerfile": text,
        }
    )
    failed = BuildStep(text="", dockerfile="Dockerfile", lines={3: "RUN apt-get install -y numactl"})
    facts = Facts(build=failed, signs=("image-build",))
    made = patch(MISSING, "build", OWN, facts=facts, captures=NUMACTL, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [
        "-RUN apt-get install -y numactl",
        "+RUN apt-get update && \\",
        "+apt-get install -y numactl",
    ]
