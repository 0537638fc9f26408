"""Images whose system is older than the wheels for their machine."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import MendInstruction

CI = ".github/workflows/ci.yml"
BUILD = "on: push\njobs:\n  image:\n    runs-on: x\n    steps:\n      - run: docker build .\n"
RECIPE = MendInstruction("older-system")


def given(base: str, held: str, wheels: str, arch: str = "x86_64") -> dict[str, object]:
    text = f"FROM {base} AS one\nRUN uv sync\nFROM one\nRUN uv pip install fast\nFROM python:3.12-slim\n"
    shown = Facts(build=BuildStep("Dockerfile", {4: "RUN uv pip install fast"}))
    captures = {"held": held, "arch": arch, "wheels": wheels}
    return {"repository": tree({CI: BUILD, "Dockerfile": text}), "facts": shown, "captures": captures}


@pytest.mark.parametrize(
    ("base", "held", "wheels", "new"),
    [
        ("ubuntu:22.04", "35", "`manylinux_2_39_x86_64`", "ubuntu:24.04"),
        ("nvcr.io/nvidia/cuda:13.0.0-devel-ubuntu20.04", "31", "`manylinux_2_34_x86_64`", "nvcr.io/nvidia/cuda:13.0.0-devel-ubuntu22.04"),
        ("python:3.12-slim-bookworm", "36", "`manylinux_2_39_x86_64`, `manylinux_2_28_aarch64`", "python:3.12-slim-trixie"),
        ("--platform=linux/amd64 debian:bullseye-slim", "31", "`manylinux_2_35_x86_64`", "--platform=linux/amd64 debian:bookworm-slim"),
    ],
)  # fmt: skip
def test_the_base_of_the_stage_is_made_from_the_next_release_that_will_do(
    base: str, held: str, wheels: str, new: str
) -> None:
    proved = patch(RECIPE, "image", CI, **given(base, held, wheels))  # type: ignore[arg-type]
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-FROM {base} AS one", f"+FROM {new} AS one"]


@pytest.mark.parametrize(
    ("base", "held", "wheels", "state"),
    [
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", "35", "`manylinux_2_39_x86_64`", PatchState.ADVICE),  # is not made
        ("vendor/npu:8.5-ubuntu22.04-py3.11", "35", "`manylinux_2_39_x86_64`", PatchState.ADVICE),
        ("ubuntu:22.04", "34", "`manylinux_2_39_x86_64`", PatchState.ADVICE),  # another system is looked at
        ("ubuntu:24.04", "39", "`manylinux_2_41_x86_64`", PatchState.ADVICE),  # no release is new enough
        ("ubuntu:24.04", "35", "`manylinux_2_39_x86_64`", PatchState.IN_PLACE),
        ("${BASE}", "35", "`manylinux_2_39_x86_64`", PatchState.ADVICE),
        ("ubuntu:22.04", "35", "`manylinux_2_39_aarch64`, `win_amd64`", PatchState.REFUSED),
    ],
)
def test_where_no_release_is_known_to_do_nothing_is_changed(
    base: str, held: str, wheels: str, state: PatchState
) -> None:
    assert draft(RECIPE, "image", CI, **given(base, held, wheels)).state is state  # type: ignore[arg-type]


def test_a_file_of_parts_that_begins_with_no_image_is_refused_in_words() -> None:
    own = given("ubuntu:22.04", "35", "`manylinux_2_39_x86_64`")
    shown = Facts(build=BuildStep("Dockerfile", {1: "RUN uv pip install fast"}))
    parts = tree({CI: BUILD, "Dockerfile": "RUN uv pip install fast\n"})
    made = draft(RECIPE, "image", CI, **{**own, "facts": shown, "repository": parts})  # type: ignore[arg-type]
    assert made.state is PatchState.REFUSED
    assert "it begins with no FROM" in made.reason
