"""What is said around a patch: who else is touched, what it costs, what holds for more than the failing job."""

from __future__ import annotations

from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced, with_file
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, PipPin, SetEnv

CALLER = ".github/workflows/caller.yml"
CALLED = """
on:
  workflow_call:
    inputs:
      mode: {type: string, default: slow}
jobs:
  test:
    name: Test ${{ inputs.mode }}
    runs-on: [gpu-8]
    steps:
      - run: MODE=${{ inputs.mode }} bash tests/run.sh
"""
CALLS = """
on: push
jobs:
  gpu:
    uses: ./.github/workflows/_called.yml
    with: {mode: fast}
"""


def test_a_job_of_a_reusable_workflow_is_edited_there_and_other_callers_are_named() -> None:
    tree = with_file(".github/workflows/_called.yml", CALLED)
    tree = type(tree)({**tree.files, CALLER: CALLS.encode(), ".github/workflows/other.yml": CALLS.encode()})
    for name in ("gpu / test", "gpu / Test fast"):
        made = patch(SetEnv("A", "1"), name, CALLER, repository=tree)
        assert made.state is PatchState.PATCH, made.reason
        assert made.files == (".github/workflows/_called.yml",)
        assert made.blast_radius == (".github/workflows/other.yml calls .github/workflows/_called.yml too",)


def test_an_edit_of_a_matrix_job_holds_for_all_its_cells() -> None:
    tree = replaced(UNIT, "  unit:\n", "  unit:\n    strategy:\n      matrix:\n        engine: [vllm, sglang]\n")
    made = patch(SetEnv("A", "1"), "unit (sglang)", UNIT, repository=tree)
    assert made.state is PatchState.PATCH, made.reason
    assert "what is edited in the workflow holds for all 2 cells of the matrix" in made.notes


def test_replicas_are_counted_and_the_jobs_limit_is_named() -> None:
    found = draft(EffectiveValue(knob="rollout_tensor_parallel", to="2"), "async")
    assert "rollout replicas: 4 before, 2 after, on 4 GPUs" in found.costs
    slower = draft(EffectiveValue(knob="sequences", to="8"), "rocm_small")
    assert "where it makes the job slower: the job's limit is 40 minutes" in slower.notes


def test_other_jobs_that_install_the_distribution_are_siblings_of_a_pin() -> None:
    tree = replaced(UNIT, "pip3 install --no-deps --force-reinstall .", "pip3 install torch==2.9")
    found = draft(PipPin("torch", "==2.8"), "one_line", UNIT, repository=tree)
    assert [(one.job, one.evidence) for one in found.siblings] == [("other", "installs torch==2.9")]
    made = patch(PipPin("torch", "==2.8"), "one_line", UNIT, repository=tree, siblings=True)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made).count("+pip3 install torch==2.8") == 1
