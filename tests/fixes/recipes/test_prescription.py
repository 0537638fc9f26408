from __future__ import annotations

from dataclasses import replace

from tests.fixes.recipes.repository import REPOSITORY, TRAIN, draft, drafts, replaced, signature
from triage.model.diagnosis import Facts, Phase
from triage.model.patch import PatchState
from triage.model.recipe import Advise, EffectiveValue, Rerun, SetEnv
from triage.model.signature import Applicability, Status


def test_the_ladder_keeps_its_order_and_leaves_out_what_does_not_apply() -> None:
    ladder = signature(SetEnv("A", "1"), SetEnv("B", "1"), Advise("read the manual"))
    first, second, third = ladder.fixes
    ladder = replace(ladder, fixes=(replace(first, when={"phase": ("weight-sync",)}), second, third))
    found = drafts(ladder, "rocm_small", facts=Facts(phase=Phase.IMPORT))
    assert [(one.title, one.order) for one in found] == [("fix 1", 0), ("fix 2", 1)]
    assert [one.state for one in found] == [PatchState.PATCH, PatchState.ADVICE]


def test_when_no_rung_applies_the_reason_is_said() -> None:
    ladder = signature(SetEnv("A", "1"))
    ladder = replace(ladder, fixes=(replace(ladder.fixes[0], when={"platform": ("npu",)}),))
    (only,) = drafts(ladder, "rocm_small")
    assert only.state is PatchState.REFUSED
    assert "platform is rocm" in only.reason


def test_a_rung_that_a_setting_of_the_tree_rules_out_is_in_place() -> None:
    ladder = signature(EffectiveValue(knob="rollout_tensor_parallel", to="2"))
    ladder = replace(ladder, fixes=(replace(ladder.fixes[0], when={"setting:rollout_tensor_parallel": ("1",)}),))
    assert drafts(ladder, "rocm_small")[0].state is PatchState.IN_PLACE
    assert drafts(ladder, "async")[0].state is PatchState.PATCH


def test_the_layout_is_read_from_the_job_where_the_log_does_not_say() -> None:
    ladder = signature(SetEnv("A", "1"))
    ladder = replace(ladder, fixes=(replace(ladder.fixes[0], when={"layout": ("colocated", "known")}),))
    assert drafts(ladder, "rocm_small")[0].state is PatchState.PATCH
    assert drafts(ladder, "async")[0].state is PatchState.REFUSED


def test_an_experimental_signature_only_advises() -> None:
    ladder = signature(SetEnv("A", "1"), status=Status.EXPERIMENTAL)
    assert drafts(ladder, "rocm_small")[0].applicability is Applicability.DISPLAY


def test_rungs_that_come_to_the_same_are_said_once() -> None:
    assert len(drafts(signature(SetEnv("A", "1"), SetEnv("A", "1"), Rerun(), Rerun()), "rocm_small")) == 2


def test_odd_repositories_are_refused_and_never_raise() -> None:
    assert draft(SetEnv("A", "1"), "nobody").state is PatchState.REFUSED
    assert draft(SetEnv("A", "1"), "x", ".github/workflows/none.yml").state is PatchState.REFUSED
    assert draft(SetEnv("A", "1"), "x", "").state is PatchState.REFUSED
    broken = replaced(TRAIN, "jobs:\n", "jobs: [\n")
    assert draft(SetEnv("A", "1"), "rocm_small", repository=broken).state is PatchState.REFUSED


def test_what_differs_between_the_tested_commit_and_the_head_is_said() -> None:
    tested = replace(replaced(TRAIN, "timeout-minutes: 40", "timeout-minutes: 50"), sha="1" * 40)
    found = draft(SetEnv("A", "1"), "rocm_small", tested=tested)
    assert found.state is PatchState.PATCH
    assert any("differ between the tested commit and the head" in note for note in found.notes)


def test_a_fix_that_the_head_has_already() -> None:
    tested = replace(REPOSITORY, sha="1" * 40)
    head = replaced(TRAIN, 'HOME: "/root"', 'HOME: "/root"\n      A: "1"')
    found = draft(SetEnv("A", "1"), "rocm_small", repository=head, tested=tested)
    assert found.state is PatchState.IN_PLACE
    assert "at the tested commit this fix is patch, at the head it is in_place" in found.notes


def test_a_command_line_that_reproduces_the_step() -> None:
    found = draft(EffectiveValue(knob="rollout_tensor_parallel", to="2"), "async", step="Async")
    assert found.reproduce == "STRATEGY=fsdp2 bash tests/async.sh"


def test_a_line_without_scripts_is_reproduced_with_the_jobs_own_env() -> None:
    found = draft(EffectiveValue(knob="memory", add="-0.1"), "serve")
    assert found.reproduce.startswith(
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:256 vllm serve"
    )
    assert "IMAGE" not in found.reproduce


def test_a_step_is_found_by_the_header_that_a_log_shows_unless_several_fit() -> None:
    recipe = EffectiveValue(knob="memory", add="-0.2")
    found = draft(recipe, "rocm_small", step="Run bash tests/run.sh trainer.steps=2")
    assert [one.step for one in found.expectations] == [4]
    several = draft(recipe, "rocm_small", step="Run nothing of the kind")
    assert [one.step for one in several.expectations] == [2, 4]


CHORES = replaced(
    TRAIN,
    "jobs:\n",
    """jobs:
  tidy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Both
        run: |
          mkdir -p out
          python train.py --size 1
          python eval.py --size 2
          docker system prune -a -f --volumes
          ray stop --force
          rm -rf "${HOME}/ckpts"
      - name: Clean
        run: |
          pkill -f ray
          rm -rf /data
""",
)


def test_the_command_that_clears_away_reproduces_nothing() -> None:
    found = draft(SetEnv("A", "1"), "tidy", step="Both", repository=CHORES)
    assert found.reproduce == "python eval.py --size 2"
    assert draft(SetEnv("A", "1"), "tidy", step="Clean", repository=CHORES).reproduce == ""


def test_the_command_that_the_log_shows_failing_is_the_one_to_reproduce() -> None:
    by_trace = draft(SetEnv("A", "1"), "tidy", step="Both", repository=CHORES, facts=Facts(frames=("train.py",)))
    assert by_trace.reproduce == "python train.py --size 1"
