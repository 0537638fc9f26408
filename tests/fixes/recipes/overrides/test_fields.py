"""Names that a configuration's class has no field for: the field that is meant, or no override at all."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TRAIN, changed, hydra_job, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairOverride

RECIPE = RepairOverride("{key}", existing="{existing}", owner="{owner}")
CLASSES = """
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

class Base(Mapping):
    name: str = ""

@dataclass
class RolloutConfig(Base):
    tensor_model_parallel_size: int = 1
    enable_offload: bool = False
"""


def repository(script: str, classes: str = CLASSES) -> MemoryTree:
    config = "rollout:\n  name: x\n  enable_offload: false\n  group_size: 1\n"
    return hydra_job(script, config, {"pkg/rollout.py": classes})


def script(*overrides: str) -> str:
    return (
        "".join(f"{line} \\\n" for line in ("dp=1\npython3 -m pkg.main", *(f"    {one}" for one in overrides)))[:-3]
        + "\n"
    )


def mended(*overrides: str, name: str, classes: str = CLASSES) -> tuple[list[str], str]:
    """The lines that change, none where nothing is edited, and the reason."""
    held = repository(script(*overrides), classes)
    captures = {"key": name, "owner": "RolloutConfig"}
    made = patch(RECIPE, "train", TRAIN, captures=captures, repository=held)
    return (changed(made) if made.state is PatchState.PATCH else []), made.reason


def test_the_field_that_is_meant_takes_the_prefix_that_the_configuration_asks_for() -> None:
    lines, reason = mended("rollout.name=y", "+rollout.enable_offloading=True", name="enable_offloading")
    assert lines == ["-+rollout.enable_offloading=True", "+rollout.enable_offload=True"], reason


def test_what_no_field_resembles_is_not_set_nor_what_the_class_refuses_next() -> None:
    lines, reason = mended(
        "rollout.name=y",
        "+rollout.dp_model_parallel_size=${dp}",
        "+rollout.world_size=4",
        "rollout.tensor_model_parallel_size=2",
        name="dp_model_parallel_size",
    )
    gone = ["-dp=1", "-+rollout.dp_model_parallel_size=${dp} \\", "-+rollout.world_size=4 \\"]
    assert lines == gone, reason


@pytest.mark.parametrize(
    ("overrides", "name", "classes", "reason"),
    [
        (("+rollout.enable_offload=True",), "enable_offload", CLASSES, "has a field"),
        (("rollout.group_size=2", "+rollout.x=1"), "group_size", CLASSES, "the configuration itself has too"),
        (("+rollout.x=1", "a=1"), "x", CLASSES.replace("(Base)", "(Unseen)"), "0 classes `Unseen`"),
        (("+rollout.enable_offloading=1", "rollout.enable_offload=0"), "enable_offloading", CLASSES, "sets both"),
        (("a=1",), "x", CLASSES, "no command of train sets"),
    ],
)
def test_when_nothing_is_touched(overrides: tuple[str, ...], name: str, classes: str, reason: str) -> None:
    lines, said = mended(*overrides, name=name, classes=classes)
    assert lines == []
    assert reason in said
