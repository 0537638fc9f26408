"""Programs that ask where nobody answers."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import MendCommand

CI = ".github/workflows/ci.yml"
PROMPT = MendCommand("prompt")


def job(script: str, **more: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    ci = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - name: Go\n        run: |\n{body}"
    return tree({CI: ci, **{path.replace("__", "/"): text for path, text in more.items()}})


@pytest.mark.parametrize(
    ("script", "new"),
    [
        ("sudo apt-get update\nsudo apt-get install ninja-build", "+sudo apt-get install -y ninja-build"),
        ("conda create -n train python=3.11", "+conda create -y -n train python=3.11"),
        ("pip install a\npython3 -m pip uninstall torch\nconda update --all -y", "+python3 -m pip uninstall -y torch"),
        ("dnf install gcc && dnf install -y g++", "+dnf install -y gcc && dnf install -y g++"),
    ],
)
def test_the_command_that_asks_takes_yes(script: str, new: str) -> None:
    proved = patch(PROMPT, "test", CI, step="Go", repository=job(script))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == new


def test_in_a_build_of_the_instruction_that_failed() -> None:
    text = "FROM a\nRUN apt-get install git\nRUN apt-get update && \\\n    apt-get install curl\n"
    shown = BuildStep("Dockerfile", {3: "RUN apt-get update && \\", 4: "    apt-get install curl"})
    here = tree(
        {CI: "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: docker build .\n", "Dockerfile": text}
    )
    proved = patch(PROMPT, "test", CI, repository=here, facts=Facts(build=shown))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-apt-get install curl", "+apt-get install -y curl"]


def test_a_program_of_ones_own_as_other_commands_call_it() -> None:
    more = {"docs__setup.md": "```\npython -m assets.download scene -y\n```\n"}
    proved = patch(PROMPT, "test", CI, step="Go", repository=job("python -m assets.download robot", **more))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == "+python -m assets.download robot -y"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("apt-get install -y git", PatchState.IN_PLACE),
        ("DEBIAN_FRONTEND=noninteractive apt-get -qq install git", PatchState.IN_PLACE),
        ("python -m assets.download robot", PatchState.ADVICE),  # its option is not known
        ("python a.py\npython b.py", PatchState.REFUSED),  # which of them asked is not known
    ],
)
def test_what_cannot_be_told_is_left(script: str, state: PatchState) -> None:
    assert draft(PROMPT, "test", CI, step="Go", repository=job(script)).state is state
