from __future__ import annotations

import pytest

from triage.model.conditions import allows, objection
from triage.model.diagnosis import Facts, Phase, Platform


@pytest.mark.parametrize(
    ("globs", "value", "expected"),
    [
        (("cuda", "rocm"), "rocm", True),
        (("cuda",), "rocm", False),
        (("cuda",), "unknown", True),
        (("cuda", "known"), "unknown", False),
        (("cuda", "known"), "cuda", True),
        (("unknown",), "weight-sync", False),
        (("unknown",), "unknown", True),
        (("!npu",), "npu", False),
        (("!npu",), "cuda", True),
        (("weight-*", "!weight-sync"), "weight-sync", False),
        (("known",), "anything", True),
    ],
)
def test_globs_over_one_fact(globs: tuple[str, ...], value: str, expected: bool) -> None:
    assert allows(globs, (value,)) is expected


def test_the_objection_names_the_fact() -> None:
    facts = Facts(platform=Platform.NPU, phase=Phase.UNKNOWN, signs=("fragmented",))
    assert objection({"platform": ("cuda",)}, facts, lambda _: "") == "platform is npu, and the fix is for cuda"
    assert objection({"phase": ("unknown",), "sign": ("fragmented", "growing")}, facts, lambda _: "") == ""
    assert objection({"setting:rollout_tensor_parallel": ("1",)}, facts, lambda _: "2").startswith("setting:rollout_")
    assert "no fact" in objection({"weather": ("sunny",)}, facts, lambda _: "")
