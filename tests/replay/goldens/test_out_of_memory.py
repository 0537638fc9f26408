"""e8aff345d, the script: out of memory in fully-async FSDP2, two values in one branch of a shared script."""

from __future__ import annotations

from dataclasses import replace

from tests.replay.goldens.verl import built_in, diagnosed, drafted, merged, proved, tree_at
from triage.fixes import Target
from triage.fixes.document import splice
from triage.fixes.prescription import redraft
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Facts, Layout, Phase, Platform
from triage.model.patch import Origin, PatchState
from triage.model.recipe import SetEnv

MERGED = "e8aff345d"
PARENT = "cb8211095e7911b07c3fa5bd4e84c1cff4211d43"
TIP = "1dda039b9"
WORKFLOW = ".github/workflows/e2e_fully_async_policy.yml"
SCRIPT = "tests/special_e2e/run_fully_async_policy.sh"
JOB = "e2e_fully_async_policy_fsdp2"


def test_the_script_equals_the_merged_one() -> None:
    tree = tree_at(PARENT)
    found = diagnosed("out-of-memory.log", JOB)
    draft = drafted(found, tree, WORKFLOW)[0]
    assert splice(tree.read(SCRIPT), draft.edits) == merged(MERGED, SCRIPT)
    patch = proved(draft, found, tree, WORKFLOW)
    assert patch.state is PatchState.PATCH, patch.reason
    assert patch.files == (SCRIPT,)
    assert [hunk.line for hunk in patch.hunks] == [159, 162]
    assert patch.costs


def test_the_ascend_job_is_in_the_blast_radius() -> None:
    draft = drafted(diagnosed("out-of-memory.log", JOB), tree_at(PARENT), WORKFLOW)[0]
    expected = "e2e_fully_async_policy_ascend.yml: e2e_fully_async_policy_fsdp2_ascend (npu) reads lines 159, 162 too"
    assert [line for line in draft.blast_radius if line.endswith(expected)] == list(draft.blast_radius)
    assert draft.blast_radius


def test_gen_tp_in_the_jobs_env_is_seen_to_do_nothing() -> None:
    origin = Origin(SetEnv("GEN_TP", "2"), WORKFLOW, JOB)
    outcome = redraft(origin, tree_at(PARENT), Facts(platform=Platform.CUDA), built_in().tables)
    assert isinstance(outcome, Refusal)
    assert f"{SCRIPT}:157" in outcome.reason


def test_at_the_tip_an_out_of_memory_gets_its_ladder_on_the_successor() -> None:
    tree, workflow, job = tree_at(TIP), ".github/workflows/e2e_v1_separate_async.yml", "e2e_v1_separate_async_fsdp2"
    found = diagnosed("out-of-memory.log", job)
    files: set[str] = set()
    for phase in (Phase.ACTOR_UPDATE, Phase.OPTIMIZER_STEP, Phase.WEIGHT_SYNC):
        known = replace(found, facts=replace(found.facts, phase=phase))
        patches = [proved(draft, known, tree, workflow) for draft in drafted(known, tree, workflow)]
        assert all(patch.state is not PatchState.REFUSED for patch in patches)
        files |= {path for patch in patches if patch.state is PatchState.PATCH for path in patch.files}
    assert "tests/special_e2e/run_v1_separate_async.sh" in files
    assert Target(workflow, job).job == job


def test_at_the_tip_a_log_that_does_not_say_whose_pool_ran_out_gets_a_rung_for_each() -> None:
    tree, workflow, job = tree_at(TIP), ".github/workflows/e2e_v1_separate_async.yml", "e2e_v1_separate_async_fsdp2"
    found = diagnosed("out-of-memory.log", job)
    unsaid = replace(found, facts=replace(found.facts, phase=Phase.UNKNOWN, layout=Layout.SEPARATE))
    patches = [proved(draft, unsaid, tree, workflow) for draft in drafted(unsaid, tree, workflow)]
    made = [patch for patch in patches if patch.state is PatchState.PATCH]
    assert len(made) >= 4
    assert {"rollout" in patch.because or "weights" in patch.because for patch in made} == {True, False}
    assert all(patch.because for patch in made)
