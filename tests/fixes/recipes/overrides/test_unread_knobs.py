"""A knob that only counts under another setting is changed only where that setting is known to be so."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch, replaced
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue

TOKENS = EffectiveValue(knob="tokens", factor="0.5")
MICRO = EffectiveValue(knob="micro_batch", factor="0.5")
CONFIGURATION = "pkg/train/config/trainer.yaml"


def repository(critic: str, actor: str = "") -> MemoryTree:
    added = f"actor: {{fsdp_size: -1{actor}}}\ncritic: {{tokens: 512, micro: 8{critic}}}"
    return replaced(CONFIGURATION, "actor: {fsdp_size: -1}", added)


@pytest.mark.parametrize(
    ("critic", "actor", "held"),
    [
        (", dynamic: false", "", "`false`"),
        ("", "", "not known"),
        (", dynamic: '${actor.dynamic}'", ", dynamic: False", "`false`"),
        (", dynamic: '${oc.select:actor.dynamic,false}'", "", "`false`"),
        (", dynamic: '${actor.dynamic}'", ", dynamic: '${critic.dynamic}'", "not known"),
        (", dynamic: '${oc.env:DYNAMIC}'", "", "not known"),
    ],
)
def test_a_knob_that_nothing_reads_here_is_refused(critic: str, actor: str, held: str) -> None:
    found = draft(TOKENS, "rocm_large", repository=repository(critic, actor))
    assert found.state is PatchState.REFUSED
    assert found.reason == f"critic.tokens is read only when critic.dynamic is True, which is {held} here"


@pytest.mark.parametrize(
    ("critic", "actor"),
    [(", dynamic: true", ""), (", dynamic: '${oc.select:actor.dynamic,false}'", ", dynamic: True")],
)
def test_it_is_changed_where_the_setting_is_on_and_the_other_one_is_not(critic: str, actor: str) -> None:
    there = repository(critic, actor)
    proved = patch(TOKENS, "rocm_large", repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-run: bash tests/run.sh", "+run: bash tests/run.sh critic.tokens=256"]
    other = draft(MICRO, "rocm_large", repository=there)
    assert other.state is PatchState.REFUSED
    assert "only when critic.dynamic is not True, which is `true` here" in other.reason


def test_what_the_command_passes_wins_over_the_configuration() -> None:
    there = repository(", dynamic: '${actor.dynamic}'", ", dynamic: false")
    script = there.read("tests/run.sh").replace(b"trainer.steps=1", b"trainer.steps=1 actor.dynamic=True")
    there = MemoryTree({**there.files, "tests/run.sh": script})
    assert patch(TOKENS, "rocm_large", repository=there).state is PatchState.PATCH
    assert draft(MICRO, "rocm_large", repository=there).state is PatchState.REFUSED


def test_a_batch_that_is_not_known_to_be_dynamic_is_read() -> None:
    assert patch(MICRO, "rocm_large", repository=repository("")).state is PatchState.PATCH


def test_what_the_log_shows_counts_where_the_tree_is_silent() -> None:
    facts = Facts(settings={"critic.dynamic": "True"})
    assert patch(TOKENS, "rocm_large", repository=repository(""), facts=facts).state is PatchState.PATCH
