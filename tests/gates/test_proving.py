from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.util import find_spec

import pytest

from tests.fixes.recipes.repository import REPOSITORY, TABLES, TRAIN, changed, draft, patch, replaced, with_file
from tests.gates.change_of import EMPTY, edit, gate
from triage.fixes import Target
from triage.gates import prove
from triage.gates.linters import LINTERS
from triage.model.diagnosis import Facts
from triage.model.patch import Draft, Edit, Patch, PatchState
from triage.model.recipe import EffectiveValue, HydraOverride, RepairOverride, RepairScript, SetEnv
from triage.model.signature import Applicability

needs_hydra = pytest.mark.skipif(find_spec("hydra") is None, reason="hydra-core is not installed")


def proved(one: Draft) -> Patch:
    return prove(one, REPOSITORY, "p1", ("c1",), Target(TRAIN, "rocm_small"), Facts(), TABLES)


def test_a_patch_names_its_files_hunks_and_base() -> None:
    made = patch(SetEnv("A", "1"), "rocm_small")
    assert (made.id, made.causes, made.files, made.base_sha) == ("p1", ("c",), (TRAIN,), REPOSITORY.sha)
    assert [(hunk.path, hunk.line) for hunk in made.hunks] == [(TRAIN, 15)]
    assert made.hunks[0].why == "the programs of rocm_small see A"


def test_what_has_no_edits_passes_through() -> None:
    for state in (PatchState.ADVICE, PatchState.IN_PLACE, PatchState.REFUSED):
        made = proved(replace(EMPTY, state=state, reason="why"))
        assert (made.state, made.reason, made.gates, made.diff) == (state, "why", (), "")


def test_conflicting_edits_are_refused() -> None:
    one = edit(TRAIN, "/root", "/a")
    assert proved(replace(EMPTY, edits=(one, replace(one, new=b"/b")))).state is PatchState.REFUSED
    assert proved(replace(EMPTY, edits=(Edit("none.sh", 0, 0, b"x", "why"),))).state is PatchState.REFUSED


def test_a_failed_mandatory_gate_makes_it_advice_that_still_shows_the_diff() -> None:
    made = proved(replace(EMPTY, edits=(edit(TRAIN, "/root", "/a"),)))
    assert made.state is PatchState.ADVICE
    assert made.reason.startswith("not proved: only declared paths changed")
    assert made.diff


def test_a_second_application_is_worked_out_again() -> None:
    good = draft(SetEnv("A", "1"), "rocm_small")
    assert gate(proved(good), "a second application is empty") == "ok"
    stubborn = replace(good, origins=(replace(good.origins[0], recipe=SetEnv("B", "1")),))
    assert gate(proved(stubborn), "a second application is empty") == "failed"
    assert gate(proved(replace(good, origins=())), "a second application is empty") == "skipped"


def test_display_is_advice_even_when_every_gate_is_ok() -> None:
    shown = replace(draft(SetEnv("A", "1"), "rocm_small"), applicability=Applicability.DISPLAY)
    assert proved(shown).state is PatchState.ADVICE


def test_a_file_that_is_not_utf8_is_refused() -> None:
    repository = replace(
        REPOSITORY,
        files={
            **REPOSITORY.files,
            "tests/closed.sh": b"# \xff\npython3 -m pkg.train.main rollout.name=vllm rollout.memory=0.8\n",
        },
    )
    made = patch(EffectiveValue(key="rollout.memory", to="0.7"), "closed", repository=repository)
    assert made.state is PatchState.REFUSED
    assert "UTF-8" in made.reason


@needs_hydra
def test_real_hydra_composes_every_changed_command() -> None:
    made = patch(HydraOverride("rollout.engine_kwargs.vllm.eager", "True", variable="OFF"), "rocm_small")
    assert gate(made, "composes with Hydra") == "ok"


@needs_hydra
def test_a_wrong_prefix_is_found_by_composing() -> None:
    made = patch(HydraOverride("rollout.max_seqs", "64", prefix="+", variable="OFF"), "rocm_large")
    assert made.state is PatchState.ADVICE
    assert "composes with Hydra" in made.reason


@needs_hydra
def test_a_target_is_never_instantiated() -> None:
    target = REPOSITORY.read("pkg/train/config/trainer.yaml").decode() + "danger: {_target_: os.abort}\n"
    made = patch(
        EffectiveValue(knob="sequences", to="64"),
        "rocm_large",
        repository=with_file("pkg/train/config/trainer.yaml", target),
    )
    assert gate(made, "composes with Hydra") == "ok"


@needs_hydra
def test_a_configuration_that_did_not_compose_before_proves_nothing() -> None:
    broken = replaced("tests/run.sh", "rollout.name=vllm", "rollout.name=vllm rollout.none_such=1")
    made = patch(EffectiveValue(knob="memory", to="0.7"), "rocm_large", repository=broken)
    assert gate(made, "composes with Hydra") == "skipped"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_only_new_findings_of_a_linter_count() -> None:
    made = patch(EffectiveValue(knob="rollout_tensor_parallel", to="2"), "async")
    assert gate(made, "shellcheck finds nothing new") == "ok"


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_what_a_linter_says_of_a_script_that_it_could_not_read_before_is_no_news() -> None:
    broken = replaced("tests/run.sh", "set -x\n", "if [ $A = 1 ]; then\n  echo $B\n\nset -x\n")
    made = patch(RepairScript("{script}"), "rocm_small", captures={"script": "tests/run.sh"}, repository=broken)
    assert gate(made, "shellcheck finds nothing new") == "ok"


def test_a_linter_that_is_not_installed_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = tuple(replace(one, command=("no-such-linter",)) for one in LINTERS)
    monkeypatch.setattr("triage.gates.linters.LINTERS", absent)
    made = patch(SetEnv("A", "1"), "rocm_small")
    assert made.state is PatchState.PATCH
    assert gate(made, "zizmor finds nothing new") == "skipped"


def test_without_hydra_the_gate_is_skipped_and_the_patch_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.gates.composes.find_spec", lambda name: None)
    made = patch(EffectiveValue(knob="sequences", to="64"), "rocm_large")
    assert made.state is PatchState.PATCH
    assert gate(made, "composes with Hydra") == "skipped"
    assert changed(made)


@needs_hydra
def test_another_override_that_would_stop_the_next_run_is_named() -> None:
    """The patch mends the first of two overrides that Hydra refuses: it is not enough."""
    broken = replaced("tests/run.sh", "rollout.name=vllm", "rollout.name=vllm rollout.max_seq=1 rollout.none_such=1")
    made = patch(RepairOverride("{key}"), "rocm_large", captures={"key": "rollout.max_seq"}, repository=broken)
    assert made.state is PatchState.ADVICE, made.reason
    assert "would still not compose" in made.reason
    assert "none_such" in made.reason
