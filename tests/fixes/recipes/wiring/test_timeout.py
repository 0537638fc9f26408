"""The limit that the log speaks of, wherever its number stands, and the limits around it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import Timeout

OWN, CALLED = ".github/workflows/own.yml", ".github/workflows/called.yml"


def repository(job: str = "", step: str = "", run: str = "bash tests/run.sh", **files: str) -> MemoryTree:
    """`job` and `step` are further lines of either; `run` is the failed step's script."""
    inner = "".join(f"        {line}\n" for line in step.splitlines())
    body = "" if "uses:" in step else "        run: |\n" + "".join(f"          {line}\n" for line in run.splitlines())
    own = "".join(f"    {line}\n" for line in job.splitlines())
    text = f"on: [push]\njobs:\n  test:\n    runs-on: [gpu-8]\n{own}    steps:\n      - name: Test\n{inner}{body}"
    return tree({OWN: text, "tests/run.sh": "python -m pytest tests\n", **files})


STEP = {"step": "Test", "minutes": "30"}
MATRIX = "strategy:\n  matrix:\n    include:\n      - {name: small, minutes: 20}\n      - {name: large, minutes: 60}\n"


@pytest.mark.parametrize(
    ("tree", "captures", "expected"),
    [
        (repository("timeout-minutes: 40"), {"limit": "40 minutes"}, ["+timeout-minutes: 60"]),
        (repository("timeout-minutes: 40 # raise"), {}, ["+timeout-minutes: 60 # raise"]),
        (repository("timeout-minutes: 90", "timeout-minutes: 30"), STEP, ["+timeout-minutes: 45"]),
        (repository("timeout-minutes: 40", "timeout-minutes: 30"), STEP, ["+timeout-minutes: 55", "+timeout-minutes: 45"]),
        (
            repository("timeout-minutes: ${{ matrix.minutes }}\n" + MATRIX),
            {"limit": "20 minutes"},
            ["+- {name: small, minutes: 30}"],
        ),
        (repository("timeout-minutes: ${{ matrix.minutes || 30 }}"), {"limit": "30 minutes"}, None),
        (repository(run="timeout 30m bash tests/run.sh"), {"status": "124"}, ["+timeout 45m bash tests/run.sh"]),
        (
            repository("timeout-minutes: 40", run="timeout -k 10 --signal=KILL 1800 bash tests/run.sh"),
            {"status": "124"},
            ["+timeout-minutes: 55", "+timeout -k 10 --signal=KILL 2700 bash tests/run.sh"],
        ),
        (
            repository(run="LIMIT=600\npython run.py --timeout-per-file ${LIMIT}\n"),
            {"seconds": "600"},
            ["+LIMIT=900"],
        ),
        (
            repository(run="anyscale job submit -f a.yaml --timeout 3600\nanyscale job wait --name a --timeout 3600"),
            {"seconds": "3600.0"},
            ["+anyscale job submit -f a.yaml --timeout 5400", "+anyscale job wait --name a --timeout 5400"],
        ),
        # The job must outlast what it waits for.
        (
            repository("timeout-minutes: 60", run="anyscale job wait --name a --timeout 3600"),
            {"seconds": "3600.0"},
            ["+timeout-minutes: 90", "+anyscale job wait --name a --timeout 5400"],
        ),
        (
            repository(run="kubectl wait --for=condition=complete job/a --timeout=30m"),
            {"waited": "condition"},
            ["+kubectl wait --for=condition=complete job/a --timeout=45m"],
        ),
        (repository(run="pytest --timeout=60 tests"), {"seconds": "60.0"}, ["+pytest --timeout=90 tests"]),
        (
            repository(**{"pytest.ini": "[pytest]\ntimeout = 60\n"}),
            {"seconds": "60.0"},
            ["+timeout = 90"],
        ),
        (
            repository(step="uses: nick-fields/retry@v3\nwith:\n  timeout_minutes: 20\n  command: pytest"),
            {"seconds": "1200"},
            ["+timeout_minutes: 30"],
        ),
    ],
)  # fmt: skip
def test_the_limit_is_raised_where_its_number_stands(
    tree: MemoryTree, captures: dict[str, str], expected: list[str] | None
) -> None:
    made = patch(
        Timeout(),
        "test (small, 20)" if "matrix.minutes }" in str(tree) else "test",
        OWN,
        step="Test",
        captures=captures,
        repository=tree,
    )
    if expected is None:
        assert made.state is PatchState.REFUSED
        return
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected


def test_the_number_of_a_reusable_workflow_is_its_callers() -> None:
    called = """on:
  workflow_call:
    inputs:
      minutes: {type: number, default: 30}
jobs:
  test:
    runs-on: [gpu-8]
    timeout-minutes: ${{ fromJSON(inputs.minutes) }}
    steps:
      - run: pytest
"""
    own = "on: [push]\njobs:\n  gpu:\n    uses: ./.github/workflows/called.yml\n    with:\n      minutes: 60\n"
    files = tree({OWN: own, CALLED: called})
    made = patch(Timeout(), "gpu / test", OWN, captures={"limit": "60 minutes"}, repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-minutes: 60", "+minutes: 90"]
    default = tree({OWN: own.replace("    with:\n      minutes: 60\n", ""), CALLED: called})
    made = patch(Timeout(), "gpu / test", OWN, captures={"limit": "30 minutes"}, repository=default)
    assert changed(made) == ["-minutes: {type: number, default: 30}", "+minutes: {type: number, default: 45}"]


@pytest.mark.parametrize(
    ("tree", "captures", "reason"),
    [
        (repository(), {"limit": "360 minutes"}, "GitHub's own 360 minutes apply (the log says 360 minutes)"),
        (repository("timeout-minutes: 30"), STEP, "the failed step has no timeout-minutes of its own"),
        # A limit inside the tests: the job's own has nothing to do with it.
        (repository("timeout-minutes: 30"), {"seconds": "60.0"}, "is a limit of 60 s"),
        (repository("timeout-minutes: 30"), {"status": "124"}, "is a limit that `timeout` sets"),
        (repository(run="pytest --timeout=60 a\npytest --timeout=60 b"), {"seconds": "60"}, "several limits of 60 s"),
        (repository("timeout-minutes: ${{ vars.LIMIT }}"), {"limit": "30 minutes"}, "which is no number"),
    ],
)
def test_a_limit_that_is_not_found_is_said(tree: MemoryTree, captures: dict[str, str], reason: str) -> None:
    made = draft(Timeout(), "test", OWN, step="Test", captures=captures, repository=tree)
    assert made.state is PatchState.REFUSED
    assert reason in made.reason


def test_for_a_wait_the_limit_is_named_and_not_raised() -> None:
    made = draft(Timeout(factor="0.5"), "test", OWN, repository=repository("timeout-minutes: 50"))
    assert made.state is PatchState.ADVICE
    assert "timeout-minutes is 50 at .github/workflows/own.yml:5: " in made.reason


@pytest.mark.parametrize(
    ("tree", "captures", "state", "reason"),
    [
        (repository("timeout-minutes: 60"), {"limit": "40 minutes"}, PatchState.IN_PLACE, "ended after 40 minutes"),
        (repository(step="timeout-minutes: 45"), STEP, PatchState.IN_PLACE, "timeout-minutes is 45"),
        (repository(step="timeout-minutes: 20"), STEP, PatchState.REFUSED, "that run had another file"),
        (repository(step="timeout-minutes: 30"), STEP, PatchState.PATCH, ""),
    ],
)
def test_a_limit_that_was_changed_since_the_run_is_not_moved_again(
    tree: MemoryTree, captures: dict[str, str], state: PatchState, reason: str
) -> None:
    found = draft(Timeout(), "test", OWN, step="Test", captures=captures, repository=tree)
    assert (found.state, reason in found.reason) == (state, True)
