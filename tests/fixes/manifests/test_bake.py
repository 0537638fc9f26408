"""Bake files: targets with what they inherit, and jobs that build them."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import draft
from triage.fixes.manifests.bake import Target, targets
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

HCL = """
    variable "TAG" { default = "x{" }
    group "default" { targets = ["gpu"] }
    target "_common" {
      context = "docker"
      args = {
        dockerfile = "not this"
      }
    }
    target "gpu" {
      inherits = ["_common"]
      dockerfile = "Dockerfile.gpu"
      tags = [
        "team/train-gpu:latest",
        "team/train-gpu:${TAG}",
      ]
    }
    target "odd" {
"""


def test_targets_of_both_forms() -> None:
    assert targets("docker-bake.hcl", HCL.encode()) == (
        Target("_common", "docker", "Dockerfile", ()),
        Target("gpu", "docker", "Dockerfile.gpu", ("team/train-gpu:latest", "team/train-gpu:${TAG}")),
        Target("odd", ".", "Dockerfile", ()),
    )
    written = b'{"target": {"a": {"dockerfile": "x/D", "tags": ["t"]}, "b": 3}}'
    assert targets("docker-bake.json", written) == (Target("a", ".", "x/D", ("t",)),)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"target": []}', 'target "a" {', 'target "a" { inherits = ["a"] }'])
def test_odd_files_are_read_to_their_end(text: str) -> None:
    for name in ("docker-bake.json", "docker-bake.hcl"):
        assert all(one.dockerfile == "Dockerfile" for one in targets(name, text.encode()))


CI = ".github/workflows/ci.yml"
GPU = "FROM base:1\nRUN pip install numpy\n"
WORKFLOW = """
    on: push
    jobs:
      image:
        runs-on: x
        steps:
          - run: docker buildx bake --load gpu
      test:
        runs-on: gpu-8
        container: team/train-gpu:latest
        steps:
          - run: pytest
"""
FILES = {CI: WORKFLOW, "docker-bake.hcl": HCL, "docker/Dockerfile.gpu": GPU, "old/Dockerfile.gpu": GPU}


def test_the_dockerfile_of_the_bake_file_is_the_one_that_failed() -> None:
    facts = Facts(build=BuildStep("Dockerfile.gpu", {2: "RUN pip install numpy"}))
    made = draft(PipPin("numpy", "<2"), "image", CI, repository=tree(FILES), facts=facts)
    assert made.state is PatchState.PATCH
    assert made.edits[0].path == "docker/Dockerfile.gpu"


def test_the_image_of_a_job_that_the_bake_file_builds() -> None:
    made = draft(PipPin("numpy", "<2"), "test", CI, repository=tree(FILES))
    assert made.state is PatchState.PATCH
    assert made.edits[0].path == "docker/Dockerfile.gpu"
