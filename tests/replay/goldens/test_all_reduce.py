"""d70e84c25: custom all-reduce on ROCm, an override in two jobs."""

from __future__ import annotations

import pytest

from tests.replay.goldens.verl import diagnosed, drafted, local, merged, proved, tree_at
from triage.fixes.document import splice
from triage.model.patch import GateStatus, Patch, PatchState

MERGED = "d70e84c25"
PARENT = "611a61cd15802531bceb1b7af7316e6d3d6682f4"
TIP = "1dda039b9"
WORKFLOW = ".github/workflows/e2e_ppo_trainer_megatron_vllm_rocm.yml"
JOBS = {
    "all-reduce-fsdp.log": "e2e_ppo_trainer_fsdp_vllm_rocm",
    "all-reduce-moe.log": "e2e_ppo_trainer_megatron-moe-expert-parallel_rocm",
}
COMMANDS = {"all-reduce-fsdp.log": 6, "all-reduce-moe.log": 2}


def patched(log: str, revision: str = PARENT) -> Patch:
    tree = tree_at(revision)
    found = diagnosed(log, JOBS[log])
    return proved(drafted(found, tree, WORKFLOW)[0], found, tree, WORKFLOW)


@pytest.mark.parametrize("log", JOBS)
def test_env_and_command_lines_equal_the_merged_ones(log: str) -> None:
    patch = patched(log)
    assert patch.state is PatchState.PATCH, patch.reason
    lines = set(merged(MERGED, WORKFLOW).decode().splitlines())
    added = [line[1:] for line in patch.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    # The wording of the comment is the signature's own.
    assert [line for line in added if line not in lines and not line.strip().startswith("#")] == []
    assert sum('"${VLLM_ROCM_OVERRIDE}"' in line for line in added) == COMMANDS[log]
    assert sum(line.strip().startswith("VLLM_ROCM_OVERRIDE: ") for line in added) == 1
    removed = [line for line in patch.diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert len(removed) == COMMANDS[log]


@pytest.mark.parametrize("log", JOBS)
def test_every_gate_that_could_run_is_ok(log: str) -> None:
    gates = {gate.name: gate for gate in patched(log).gates}
    assert all(gate.status is GateStatus.OK for gate in gates.values() if gate.mandatory)
    assert gates["composes with Hydra"].status is not GateStatus.FAILED
    assert gates["parallelism divides"].status is GateStatus.OK


def test_the_reward_model_of_the_moe_job_stays_uncovered_and_that_is_said() -> None:
    notes = patched("all-reduce-moe.log").notes
    assert any("reward.reward_model.rollout.engine_kwargs.vllm.disable_custom_all_reduce" in note for note in notes)


def test_the_other_job_is_named_as_exposed() -> None:
    assert [one.job for one in patched("all-reduce-fsdp.log").siblings] == [JOBS["all-reduce-moe.log"]]


def test_with_the_repositorys_own_signature_the_file_equals_the_merged_one() -> None:
    tree, signature = tree_at(PARENT), local("rocm-image-too-old")
    found = diagnosed("all-reduce-fsdp.log", JOBS["all-reduce-fsdp.log"], signature)
    (draft,) = drafted(found, tree, WORKFLOW, signature, siblings=True)
    assert splice(tree.read(WORKFLOW), draft.edits) == merged(MERGED, WORKFLOW)
    assert proved(draft, found, tree, WORKFLOW).state is PatchState.PATCH


@pytest.mark.parametrize("log", JOBS)
def test_at_the_tip_the_fix_is_in_place_and_the_cause_is_elsewhere(log: str) -> None:
    patch = patched(log, TIP)
    assert patch.state is PatchState.IN_PLACE
    assert "look elsewhere" in patch.reason
