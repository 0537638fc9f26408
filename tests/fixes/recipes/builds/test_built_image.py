"""A step that runs what the job has built, by another name; and the tag that the job's own name says."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import AgreeingTag, BuiltImage

OWN = ".github/workflows/image.yml"
RECIPE = BuiltImage("{image}")
SAID = {"image": "train-slim:latest"}
META = "      - uses: docker/metadata-action@v5\n        with:\n          images: example/train\n          tags: |\n            type=ref,event=branch\n            type=sha\n"
PUSHED = "      - uses: docker/build-push-action@v6\n        with:\n          push: true\n          tags: {tags}\n"


def repository(
    steps: str, run: str = "docker run --rm train-slim python -c 'import train'", on: str = "[push]"
) -> MemoryTree:
    job = f"on: {on}\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n{steps}      - name: Try it\n        run: {run}\n"
    return tree({OWN: job})


@pytest.mark.parametrize(
    ("steps", "on", "name"),
    [
        (PUSHED.format(tags="example/train:main"), "[push]", "example/train:main"),
        (PUSHED.format(tags="${{ env.IMAGE }}:${{ github.sha }}"), "[push]", "${{ env.IMAGE }}:${{ github.sha }}"),
        ("      - run: docker build -t train:dev .\n", "[push]", "train:dev"),
        (META + PUSHED.format(tags="${{ steps.meta.outputs.tags }}"), "{push: {branches: [main]}}", "example/train:main"),
    ],
)  # fmt: skip
def test_the_name_that_the_build_gave(steps: str, on: str, name: str) -> None:
    made = patch(RECIPE, "build", OWN, step="Try it", captures=SAID, repository=repository(steps, on=on))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+run: docker run --rm {name} python -c 'import train'"


@pytest.mark.parametrize(
    ("steps", "run", "on"),
    [
        ("", "docker run train-slim", "[push]"),
        ("      - run: docker build -t a:1 .\n      - run: docker build -t b:1 .\n", "docker run train-slim", "[push]"),
        ("      - run: docker build -t train-slim .\n", "docker run train-slim", "[push]"),
        (META + PUSHED.format(tags="${{ steps.meta.outputs.tags }}"), "docker run train-slim", "{push: {branches: [main, dev]}}"),
        ("      - run: docker build -t a:1 .\n", "docker run other", "[push]"),
    ],
)  # fmt: skip
def test_without_one_build_of_another_name_it_is_no_patch(steps: str, run: str, on: str) -> None:
    made = draft(RECIPE, "build", OWN, step="Try it", captures=SAID, repository=repository(steps, run, on))
    assert made.state is not PatchState.PATCH


MATRIX = """
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    container: ${{ matrix.container }}
    strategy:
      matrix:
        include:
          - name: cpu-3.10
            container: example/train:2.2.1_cpu-python3.10-ubuntu20.04
          - name: cpu-3.11
            container: example/train:2.2.1_cpu-python3.11-ubuntu20.04
          - name: cpu-3.11-core
            container: example/train:2.2.1_cpu-python3.10-ubuntu20.04
    name: ${{ matrix.name }}
    steps:
      - run: pytest
"""


def test_the_tag_of_the_version_that_the_job_is_called_by() -> None:
    missing = {"image": "example/train:2.2.1_cpu-python3.10-ubuntu20.04"}
    made = patch(AgreeingTag("{image}"), "cpu-3.11-core", OWN, captures=missing, repository=tree({OWN: MATRIX}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [
        "-container: example/train:2.2.1_cpu-python3.10-ubuntu20.04",
        "+container: example/train:2.2.1_cpu-python3.11-ubuntu20.04",
    ]


def test_a_job_whose_name_says_the_version_of_the_missing_tag_is_advice() -> None:
    missing = {"image": "example/train:2.2.1_cpu-python3.10-ubuntu20.04"}
    made = draft(AgreeingTag("{image}"), "cpu-3.10", OWN, captures=missing, repository=tree({OWN: MATRIX}))
    assert made.state is PatchState.ADVICE
