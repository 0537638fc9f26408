from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.recipes.repository import REPOSITORY, TRAIN, changed, draft, patch, replaced
from triage.model.patch import GateStatus, PatchState
from triage.model.recipe import HydraOverride, Together

KEY = "rollout.engine_kwargs.vllm.no_custom"
RECIPE = HydraOverride(KEY, "True", entry=("*.main",), variable="OFF", comment="until it is repaired")


def test_the_override_is_held_by_the_job_and_appended_to_every_start_of_the_program() -> None:
    proved = patch(RECIPE, "rocm_small")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "+# until it is repaired",
        f'+OFF: "+{KEY}=True"',
        "-MODE=fast bash tests/run.sh",
        '+MODE=fast bash tests/run.sh "${OFF}"',
        "-run: bash tests/run.sh trainer.steps=2",
        '+run: bash tests/run.sh trainer.steps=2 "${OFF}"',
    ]
    assert all(gate.status is GateStatus.OK for gate in proved.gates if gate.mandatory)


def test_without_entry_points_the_configuration_says_which_programs_are_meant() -> None:
    found = draft(HydraOverride(KEY, "True", variable="OFF"), "rocm_small")
    assert len(found.edits) == 3


def test_a_key_that_the_configuration_holds_gets_no_plus() -> None:
    assert changed(patch(HydraOverride("rollout.max_seqs", "64", variable="OFF"), "rocm_large"))[0] == "+env:"
    assert '+OFF: "rollout.max_seqs=64"' in changed(
        patch(HydraOverride("rollout.max_seqs", "64", variable="OFF"), "rocm_large")
    )


def test_a_typo_in_the_key_is_refused() -> None:
    found = draft(HydraOverride("rollout.engine_kwargs.vlm.no_custom", "True", entry=("*.main",)), "rocm_small")
    assert found.state is PatchState.REFUSED
    assert "no `rollout.engine_kwargs.vlm`" in found.reason


def test_an_override_that_is_there_is_in_place_and_another_value_is_refused() -> None:
    there = replaced("tests/run.sh", "rollout.name=vllm", f"rollout.name=vllm +{KEY}=true")
    assert draft(RECIPE, "rocm_small", repository=there).state is PatchState.IN_PLACE
    other = replaced("tests/run.sh", "rollout.name=vllm", f"rollout.name=vllm +{KEY}=False")
    assert draft(RECIPE, "rocm_small", repository=other).state is PatchState.REFUSED


def test_a_script_that_does_not_forward_is_edited_itself_and_that_is_said() -> None:
    proved = patch(RECIPE, "closed")
    assert proved.state is PatchState.PATCH, proved.reason
    assert "tests/closed.sh" in proved.files
    assert any("does not forward" in note for note in proved.notes)


def test_a_value_that_unquoted_forwarding_would_split_is_refused() -> None:
    found = draft(HydraOverride("rollout.max_seqs", "[1,2]", entry=("*.main",), variable="OFF"), "rocm_small")
    assert found.state is PatchState.REFUSED
    assert "unquoted" in found.reason


def test_the_engine_that_stays_uncovered_is_noted_and_the_exposed_sibling_listed() -> None:
    found = draft(RECIPE, "rocm_small")
    assert any("reward.rollout.engine_kwargs.vllm.no_custom" in note for note in found.notes)
    assert [(one.job, one.workflow_path) for one in found.siblings] == [("rocm_large", TRAIN)]


def test_siblings_extend_the_patch_and_the_comment_is_said_once() -> None:
    proved = patch(RECIPE, "rocm_small", siblings=True)
    assert proved.state is PatchState.PATCH, proved.reason
    lines = changed(proved)
    assert lines.count("+# until it is repaired") == 1
    assert lines.count(f'+OFF: "+{KEY}=True"') == 2


def test_an_argument_that_the_engine_does_not_know_is_advice() -> None:
    proved = patch(HydraOverride("rollout.engine_kwargs.vllm.no_costum", "True", variable="OFF"), "rocm_small")
    assert proved.state is PatchState.ADVICE
    assert "no argument `no_costum`" in proved.reason


@pytest.mark.parametrize("job", ["clean", "serve"])
def test_a_job_without_the_program_is_refused(job: str) -> None:
    assert draft(RECIPE, job).state is PatchState.REFUSED


def test_the_default_variable_must_be_a_name() -> None:
    assert draft(HydraOverride(KEY, "True", variable="A B"), "rocm_small").state is PatchState.REFUSED
    assert REPOSITORY.read(TRAIN)


def test_a_script_that_reads_its_first_argument_as_something_else_is_edited_itself() -> None:
    taking = replaced("tests/run.sh", "rollout.name=vllm", "rollout.name=${1:-vllm}")
    proved = patch(replace(RECIPE, via="literal"), "rocm_small", repository=taking)
    assert any("takes its argument 1" in note for note in proved.notes)
    assert "tests/run.sh" in proved.files


def test_two_overrides_of_one_command_stand_beside_each_other() -> None:
    second = HydraOverride("rollout.max_seqs", "64", entry=("*.main",), via="literal")
    both = Together((replace(RECIPE, via="literal"), second))
    proved = patch(both, "rocm_small")
    assert proved.state is PatchState.PATCH, proved.reason
    assert any(f"+{KEY}=True rollout.max_seqs=64" in line for line in changed(proved))


def test_the_line_that_is_named_is_the_one_that_changes() -> None:
    long = replaced(
        "tests/closed.sh", "rollout.name=vllm\n", "rollout.name=vllm \\\n    trainer.steps=1 \\\n    hybrid=true\n"
    )
    proved = patch(RECIPE, "closed", repository=long)
    assert proved.state is PatchState.PATCH, proved.reason
    assert any(note.endswith("so tests/closed.sh:3 is edited") for note in proved.notes)
    assert changed(proved)[-1] == '+hybrid=true "${OFF}"'
