"""Images that no registry has, and overrides that a class does not take."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import AgreeingTag, Image, RemoveOverride

OWN = ".github/workflows/own.yml"
RECIPE = AgreeingTag("{image}")


def repository(image: str, **files: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    container: {image}\n    steps:\n      - run: bash run.sh\n"
    return tree({OWN: job, **files})


@pytest.mark.parametrize(
    ("image", "files", "expected"),
    [
        ("hub.io/a/train:v0.13.0-dev", {"Dockerfile": "FROM hub.io/a/train:releases-v0.13.0\n"}, "releases-v0.13.0"),
        ("a/train:1.2.0-cu128", {"b.yaml": "image: a/train:v1.2.0-cu128\n"}, "v1.2.0-cu128"),
        (
            "a/train:1.2.0-dev-npu",
            {"b.yaml": "x: a/train:1.2.0\ny: a/train:1.2.0-npu\nz: a/train:1.3.0-npu\n"},
            "1.2.0-npu",
        ),
        # NVIDIA takes images of older patches away; another release in the tree does not say which one is meant.
        ("nvidia/cuda:11.7.0-devel-ubuntu18.04", {}, "11.7.1-devel-ubuntu18.04"),
        ("docker.io/nvidia/cuda:12.2-cudnn8-runtime-ubuntu22.04", {}, "12.2.2-cudnn8-runtime-ubuntu22.04"),
        (
            "nvidia/cuda:12.8.0-devel-ubuntu24.04",
            {"b.yaml": "x: nvidia/cuda:12.4.1-devel-ubuntu22.04\n"},
            "12.8.1-devel-ubuntu24.04",
        ),
    ],
)
def test_the_tag_of_the_same_version_and_kind(image: str, files: dict[str, str], expected: str) -> None:
    made = patch(RECIPE, "train", OWN, captures={"image": image}, repository=repository(image, **files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+container: {image.rpartition(':')[0]}:{expected}"


@pytest.mark.parametrize(
    ("image", "files", "reason"),
    [
        ("a/train:1.2.0-dev", {}, "the tree names no other tag of it"),
        ("a/train:1.2.0-dev", {"b.yaml": "x: a/train:1.3.0\n"}, "other tags in the tree: 1.3.0"),
        ("a/train:1.2.0-dev", {"b.yaml": "x: a/train:1.2.0-npu\n"}, "other tags in the tree: 1.2.0-npu"),
        ("a/train:1.2.0-dev", {"b.yaml": "x: a/train:1.2.0\ny: a/train:v1.2.0\n"}, "other tags in the tree"),
        ("a/train:latest", {"b.yaml": "x: a/train:stable\n"}, "other tags in the tree: stable"),
        # The last patch itself, a release of which none is known, and tags that name cuDNN in another way.
        ("nvidia/cuda:11.7.1-devel-ubuntu24.04", {}, "the tree names no other tag of it"),
        ("nvidia/cuda:19.7.0-devel-ubuntu24.04", {}, "the tree names no other tag of it"),
        ("nvidia/cuda:12.4.0-cudnn8-devel-ubuntu22.04", {}, "the tree names no other tag of it"),
        ("a/nvidia/cuda:11.7.0-devel-ubuntu18.04", {}, "the tree names no other tag of it"),
        ("a/train:1.2.0-dev", {"b.yaml": "x: a/trainer:1.2.0\ny: x/a/train:1.2.0\n"}, "the tree names no other tag"),
    ],
)
def test_without_one_tag_that_agrees_it_is_advice(image: str, files: dict[str, str], reason: str) -> None:
    made = draft(RECIPE, "train", OWN, captures={"image": image}, repository=repository(image, **files))
    assert made.state is PatchState.ADVICE
    assert f"{OWN}:5" in made.reason
    assert reason in made.reason


REMOVE = RemoveOverride("{key}", "{name}", "{owner}")
SAID = {"key": "rollout", "name": "dp_size", "owner": "RolloutConfig"}
RUN = (
    "set -x\ngen_dp=1\npython3 -m pkg.main \\\n    rollout.name=x \\\n    +rollout.dp_size=${gen_dp} \\\n    steps=1\n"
)
OPTIONS = "class RolloutConfig:\n    name: str = ''\n    tp_size: int = 1\n"


def overriding(run: str = RUN, options: str = OPTIONS, **files: str) -> MemoryTree:
    job = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: bash run.sh\n"
    return tree({OWN: job, "run.sh": run, "pkg/main.py": "", "pkg/options.py": options, **files})


def test_the_line_of_the_override_goes() -> None:
    made = patch(REMOVE, "train", OWN, step="Train", captures=SAID, repository=overriding())
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-gen_dp=1", "-+rollout.dp_size=${gen_dp} \\"]


def test_what_the_next_run_would_stop_at_goes_too_and_what_is_read_elsewhere_stays() -> None:
    run = RUN.replace("    steps", "    +rollout.world=8 \\\n    +rollout.tp_size=2 \\\n    steps") + "echo $gen_dp\n"
    made = patch(REMOVE, "train", OWN, step="Train", captures=SAID, repository=overriding(run))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-+rollout.dp_size=${gen_dp} \\", "-+rollout.world=8 \\"]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        (overriding(options=OPTIONS.replace("tp_size", "dp_size")), "RolloutConfig takes dp_size"),
        (overriding(**{"pkg/more.py": OPTIONS}), "the tree has 2 classes `RolloutConfig`"),
        (overriding(options=""), "the tree has 0 classes `RolloutConfig`"),
        (
            overriding(RUN.replace("rollout.name=x \\\n    +", "rollout.name=x +")),
            "remove `rollout.dp_size` at run.sh:4",
        ),
        (overriding(RUN.replace(" \\\n    steps=1", "")), "remove `rollout.dp_size` at run.sh:5"),
        (
            overriding(RUN.replace("+rollout.dp_size=${gen_dp} \\\n    ", "")),
            "no command of train sets rollout.dp_size",
        ),
        (
            overriding(options="class RolloutConfig:\n    def __init__(self, **rest):\n        pass\n"),
            "`RolloutConfig` takes every name",
        ),
    ],
)
def test_otherwise_no_override_goes(there: MemoryTree, reason: str) -> None:
    made = draft(REMOVE, "train", OWN, step="Train", captures=SAID, repository=there)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


def test_of_several_images_of_siblings_the_one_of_which_it_is_a_slip() -> None:
    def one(name: str, tag: str) -> str:
        return f"  {name}:\n    runs-on: gpu\n    container: example/train:{tag}\n    steps:\n      - run: make\n"

    jobs = {"own": "v0.4.6.pots5", "other": "v0.4.6.post5", "older": "v0.4.5.post5"}
    ci = ".github/workflows/ci.yml"
    there = tree({ci: "on: push\njobs:\n" + "".join(one(*pair) for pair in jobs.items())})
    made = patch(Image(copy_from_sibling=True), "own", ci, repository=there)
    assert "+container: example/train:v0.4.6.post5" in changed(made), made.reason


def test_without_a_job_the_tree_says_which_tag_it_is() -> None:
    there = tree({"Dockerfile": "FROM a/train:1.2.0-cu128\n", "deploy/run.yaml": "image: a/train:v1.2.0-cu128\n"})
    made = patch(RECIPE, "", "", captures={"image": "a/train:1.2.0-cu128"}, repository=there)
    assert (made.state, made.files) == (PatchState.PATCH, ("Dockerfile",)), made.reason
    assert changed(made) == ["-FROM a/train:1.2.0-cu128", "+FROM a/train:v1.2.0-cu128"]
