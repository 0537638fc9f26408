"""Packages that newer releases call otherwise, or have no more."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import RenamePackage

OWN = ".github/workflows/own.yml"
RECIPE = RenamePackage(package="{package}")


def job(script: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    head = "on: [push]\njobs:\n  build:\n    runs-on: gpu-8\n    steps:\n      - name: Install\n        run: |\n"
    return tree({OWN: f"{head}{body}"})


def renamed(package: str, repository: MemoryTree, **facts: object) -> Patch:
    given = Facts(**facts)  # type: ignore[arg-type]
    step = "" if facts else "Install"
    return patch(RECIPE, "build", OWN, step=step, repository=repository, facts=given, captures={"package": package})


@pytest.mark.parametrize(
    ("script", "package", "new"),
    [
        (
            "sudo apt-get install -y libgl1-mesa-glx git",
            "libgl1-mesa-glx",
            ["-sudo apt-get install -y libgl1-mesa-glx git", "+sudo apt-get install -y libgl1 git"],
        ),
        (
            "apt install -y git software-properties-common curl",
            "software-properties-common",
            ["-apt install -y git software-properties-common curl", "+apt install -y git curl"],
        ),
        (
            "apt-get install -y python-pip libgl1 libgl1-mesa-glx",
            "libgl1-mesa-glx",
            ["-apt-get install -y python-pip libgl1 libgl1-mesa-glx", "+apt-get install -y python-pip libgl1"],
        ),
    ],
)
def test_the_name_that_the_release_has(script: str, package: str, new: list[str]) -> None:
    proved = renamed(package, job(script))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == new


LISTED = "FROM debian:testing\nRUN apt-get update && apt-get install -y \\\n    git \\\n    {} \\\n    curl && \\\n    true\n"
LAST = "FROM debian:testing\nRUN apt-get update && apt-get install -y \\\n    git \\\n    {}\nENV A=1\n"
BUILD = "on: push\njobs:\n  build:\n    runs-on: x\n    steps:\n      - run: docker build .\n"


@pytest.mark.parametrize(
    ("text", "package", "new"),
    [
        (LISTED, "libgl1-mesa-glx", ["-libgl1-mesa-glx \\", "+libgl1 \\"]),
        (LISTED, "software-properties-common", ["-software-properties-common \\"]),
        (LAST, "neofetch", ["-git \\", "-neofetch", "+git"]),
        (LAST, "netcat", ["-netcat", "+netcat-openbsd"]),
    ],
)
def test_in_the_instruction_that_failed(text: str, package: str, new: list[str]) -> None:
    repository = tree({OWN: BUILD, "Dockerfile": text.format(package)})
    line = "RUN apt-get update && apt-get install -y \\"
    proved = renamed(package, repository, build=BuildStep("Dockerfile", {2: line}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == new


def test_what_is_used_or_unknown_is_left() -> None:
    used = job("apt install -y git software-properties-common\nadd-apt-repository -y ppa:example/tools")
    assert renamed("software-properties-common", used).state is PatchState.ADVICE
    assert renamed("libssl1.1", job("apt install -y git libssl1.1")).state is PatchState.REFUSED
    assert renamed("netcat", job("apt install -y git")).state is PatchState.REFUSED
    assert (
        renamed("software-properties-common", job("apt install -y software-properties-common")).state
        is PatchState.ADVICE
    )


def test_a_name_that_is_there_already_is_in_place() -> None:
    assert renamed("netcat", job("apt install -y netcat-openbsd")).state is PatchState.IN_PLACE


def test_every_command_of_the_step_gets_the_new_name() -> None:
    proved = renamed("netcat", job("apt-get install -y netcat git\napt-get install -y netcat curl"))
    assert [line for line in changed(proved) if "+" in line[:1]] == [
        "+apt-get install -y netcat-openbsd git",
        "+apt-get install -y netcat-openbsd curl",
    ], proved.reason


@pytest.mark.parametrize(
    ("package", "call"),
    [("hub", "hub pr list"), ("exa", "exa -l"), ("youtube-dl", "youtube-dl a"), ("python", "python2 a.py")],
)
def test_what_calls_the_old_program_is_not_helped_by_the_new_one(package: str, call: str) -> None:
    assert renamed(package, job(f"apt-get install -y {package} git\n{call}")).state is PatchState.ADVICE
    assert renamed(package, job(f"apt-get install -y {package} git\ntrue")).state is PatchState.PATCH


@pytest.mark.parametrize("package", ["libdb4.8-dev", "libcurl3", "libfuse-dev", "python3-distutils-extra"])
def test_what_nothing_stands_for_is_left(package: str) -> None:
    assert renamed(package, job(f"apt-get install -y {package} git")).state is PatchState.REFUSED
