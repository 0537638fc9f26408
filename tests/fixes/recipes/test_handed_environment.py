"""What is set for a job that hands its script to another repository's workflow is set in that script."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, CopyCheckout, CopyEnv, PipPin, Recipe, SetEnv, SetKey, Timeout

OWN, OTHER = ".github/workflows/own.yml", ".github/workflows/other.yml"
SCRIPT = """conda activate venv
python -m pip install --upgrade pip
pip install numpy
python -m pytest tests
rm -rf out"""
NVLS = SetEnv("NCCL_NVLS_ENABLE", "0")
MATRIX = "[{name: CUDA Nightly, spec: --pre torch --index-url https://wheels.invalid/nightly/cu126, gpu: a}, {name: CPU Nightly, spec: --pre torch, gpu: b}]"


def repository(script: str = SCRIPT, given: str = "timeout: 60", matrix: str = MATRIX, **files: str) -> MemoryTree:
    lines = "".join(f"        {line}\n" for line in script.splitlines())
    text = (
        f"on: [push]\nenv:\n  HF_TOKEN: secret\njobs:\n  test:\n    strategy:\n      matrix:\n        include: {matrix}\n"
        f"    uses: pytorch/test-infra/.github/workflows/linux_job.yml@main\n    with:\n      runner: ${{{{ matrix.gpu }}}}\n"
        f"      {given}\n      script: |\n{lines}  other:\n    runs-on: [a]\n    env:\n      HF_ENDPOINT: https://hub.invalid\n"
        "    steps:\n      - uses: actions/checkout@v4\n      - name: Free disk\n        run: rm -rf /opt/a\n"
    )
    return tree({OWN: text, "tests/test_a.py": "", **files})


@pytest.mark.parametrize(
    ("recipe", "captures", "expected"),
    [
        (NVLS, {}, ["+export NCCL_NVLS_ENABLE=0"]),
        (SetEnv("NCCL_NVLS_ENABLE", "0", level="program"), {}, ["+export NCCL_NVLS_ENABLE=0"]),
        (Timeout(), {"limit": "60 minutes"}, ["-timeout: 60", "+timeout: 90"]),
        (PipPin("numpy", "<2"), {}, ["-pip install numpy", '+pip install "numpy<2"']),
    ],
)
def test_the_script_and_the_limit_that_are_handed_over_are_edited(
    recipe: Recipe, captures: dict[str, str], expected: list[str]
) -> None:
    made = patch(recipe, "test", OWN, repository=repository(), captures=captures)
    assert (made.state, made.reason) == (PatchState.PATCH, "")
    assert set(expected) <= set(changed(made))


def test_the_export_stands_before_what_works_and_behind_what_prepares() -> None:
    made = patch(NVLS, "test", OWN, repository=repository())
    assert (
        "         pip install numpy\n+        export NCCL_NVLS_ENABLE=0\n         python -m pytest tests\n" in made.diff
    )


@pytest.mark.parametrize(
    "recipe",
    [
        AddStep("Free disk", copy_from_sibling=True, after="first"),
        AddStep("Free disk", run="df -h"),
        CopyCheckout(),
        SetKey("timeout-minutes", to="60"),
        CopyEnv(("HF_TOKEN",), secret="HF_TOKEN"),
    ],
)
def test_what_such_a_job_cannot_take_is_refused(recipe: Recipe) -> None:
    assert draft(recipe, "test", OWN, repository=repository()).state in (PatchState.REFUSED, PatchState.ADVICE)


def test_nothing_is_set_twice() -> None:
    here = repository(
        SCRIPT.replace("python -m pytest", "NCCL_NVLS_ENABLE=0 python -m pytest").replace("\nrm -rf out", "")
    )
    assert draft(NVLS, "test", OWN, repository=here).state is PatchState.IN_PLACE


def test_a_call_without_a_script_stays_unknown() -> None:
    text = "on: [push]\njobs:\n  test:\n    uses: pytorch/test-infra/.github/workflows/a.yml@main\n    with:\n      suite: all\n"
    assert draft(NVLS, "test", OWN, repository=tree({OWN: text})).state is PatchState.REFUSED


def test_a_broken_script_is_not_let_through() -> None:
    made = draft(NVLS, "test", OWN, repository=repository("if true; then\npython run.py"))
    assert made.state is not PatchState.PATCH
