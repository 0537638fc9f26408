"""An install that hung for GitHub's six hours gets a limit of its own."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import LimitStep

OWN = ".github/workflows/own.yml"
OVER = {"limit": "360 minutes"}


def repository(script: str, name: str = "Install", more: str = "", sibling: str = "") -> MemoryTree:
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - name: {name}\n{more}        run: |\n"
    text += "".join(f"          {line}\n" for line in script.splitlines())
    if sibling:
        text += f"  other:\n    runs-on: gpu\n    steps:\n      - name: Install\n        timeout-minutes: {sibling}\n        run: make\n"
    return tree({OWN: text, "ci/install.sh": "pip install -e .\npython setup.py check\n"})


@pytest.mark.parametrize(
    ("files", "traced", "limit", "value"),
    [
        (repository("bash ci/install.sh"), ("uv pip install -e .[dev]",), "360 minutes", "30"),
        (repository("sudo apt-get update\nsudo apt-get install -y ninja-build\npip install -r a.txt"), (), "6h0m0s", "30"),
        (repository("conda create -n a python=3.11"), ("conda create -n a python=3.11",), "6 hours", "30"),
        (repository("bash ci/install.sh", sibling="20"), ("python -m pip install torch",), "360 minutes", "20"),
    ],
)  # fmt: skip
def test_the_step_that_installs_gets_one(files: MemoryTree, traced: tuple[str, ...], limit: str, value: str) -> None:
    facts = Facts(traced=traced)
    captures = {"limit": limit}
    made = patch(LimitStep(to="30"), "test", OWN, step="Install", captures=captures, facts=facts, repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+timeout-minutes: {value}"]


@pytest.mark.parametrize(
    ("files", "traced", "captures"),
    [
        (repository("bash ci/install.sh"), ("python train.py",), OVER),
        (repository("pip install -e .\npython train.py"), (), OVER),
        (repository("pip install -e ."), (), {"limit": "60 minutes"}),
        (repository("pip install -e ."), (), {"step": "Install", "minutes": "360"}),
        (repository("pip install -e .", more="        timeout-minutes: 400\n"), (), OVER),
        (repository("pip install -e .", name="Other"), (), OVER),
    ],
)
def test_work_that_may_need_the_time_is_left_alone(
    files: MemoryTree, traced: tuple[str, ...], captures: dict[str, str]
) -> None:
    facts = Facts(traced=traced)
    step = "Install" if "name: Install" in str(files) else "Unknown"
    made = draft(LimitStep(to="30"), "test", OWN, step=step, captures=captures, facts=facts, repository=files)
    assert made.state is PatchState.REFUSED
