"""A step is copied from a sibling only where it means the same in the job that lacks it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, CopyEnv, PipInstall

CI = ".github/workflows/ci.yml"
COPY = AddStep("Prepare data", copy_from_sibling=True)


def repository(step: str, runner: str = "ubuntu-latest", other: str = "", own: str = "") -> MemoryTree:
    other = f"  other:\n    runs-on: {runner}\n{other}    steps:\n      - uses: actions/checkout@v4\n{step}"
    steps = (
        "      - uses: actions/checkout@v4\n      - name: Install\n        id: own\n        run: pip install rich\n"
        "      - name: Test\n        run: pytest tests\n"
    )
    own = f"  test:\n    runs-on: ubuntu-latest\n{own}    steps:\n{steps}"
    return MemoryTree({CI: f"on: push\njobs:\n{other}{own}".encode()})


def prepared(*lines: str) -> str:
    return "      - name: Prepare data\n" + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize(
    "there",
    [
        repository(prepared("run: python make.py ${{ steps.meta.outputs.a }}")),
        repository(prepared("run: python make.py ${{ needs.first.outputs.a }}")),
        repository(prepared("run: python make.py ${{ inputs.a }}")),
        repository(prepared("run: python make.py ${{ matrix.py }}")),
        repository(prepared("run: python make.py", "if: failure()")),
        repository(prepared("run: python make.py", "if: github.event_name == 'schedule'")),
        repository(prepared("run: python make.py", "id: own")),
        repository(prepared("run: python make.py $ROOT"), other="    env:\n      ROOT: /data\n"),
        repository(prepared("run: python make.py", "env:", "  A: ${{ secrets.A }}"), other="    environment: box\n"),
        repository(prepared("run: python make.py"), runner="windows-latest"),
        repository(prepared("run: python make.py"), runner="macos-14"),
    ],
    ids=["steps", "needs", "inputs", "matrix", "failure", "if", "id", "env", "environment", "windows", "mac"],
)
def test_what_only_its_own_job_has_is_not_copied(there: MemoryTree) -> None:
    found = patch(COPY, "test", CI, step="Test", repository=there)
    assert found.state is PatchState.ADVICE
    assert "that reads what only its own job has" in found.reason


@pytest.mark.parametrize(
    ("step", "own"),
    [
        (prepared("run: python make.py ${{ matrix.py }}"), "    strategy:\n      matrix:\n        py: ['3.12']\n"),
        (prepared("run: python make.py", "env:", "  A: ${{ secrets.A }}"), ""),
        (prepared("run: python make.py", "if: always()"), ""),
        (prepared("run: python make.py", "working-directory: tools"), ""),
    ],
    ids=["matrix", "secret", "always", "folder"],
)
def test_what_both_jobs_have_is_copied(step: str, own: str) -> None:
    found = patch(COPY, "test", CI, step="Test", repository=repository(step, own=own))
    assert found.state is PatchState.PATCH, found.reason


def test_the_next_sibling_that_fits_is_taken() -> None:
    two = prepared("run: python make.py ${{ steps.a.outputs.b }}") + prepared("run: python make.py --all")
    found = patch(COPY, "test", CI, step="Test", repository=repository(two))
    assert "+        run: python make.py --all" in found.diff


def test_a_secret_may_belong_to_the_siblings_environment() -> None:
    step = "      - run: python a.py\n        env:\n          HF_TOKEN: ${{ secrets.HF_TOKEN }}\n"
    recipe = CopyEnv(names=("HF_TOKEN",))
    held = patch(recipe, "test", CI, step="Test", repository=repository(step, other="    environment: box\n"))
    assert (held.state, "environment of other" in held.reason) == (PatchState.ADVICE, True)
    assert patch(recipe, "test", CI, step="Test", repository=repository(step)).state is PatchState.PATCH


def test_siblings_that_disagree_on_a_release_say_none() -> None:
    pins = "".join(f"      - run: pip install opencv-python=={pin}\n" for pin in ("4.1", "4.9"))
    found = patch(
        PipInstall(module="{module}", form="file"),
        "test",
        CI,
        step="Test",
        captures={"module": "cv2"},
        facts=Facts(),
        repository=repository(pins),
    )
    assert "==4" not in found.diff
