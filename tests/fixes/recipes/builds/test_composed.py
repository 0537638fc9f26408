"""Dockerfiles that a file of compose names."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.recipes.builds.composed import composed
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.find import whereabouts
from triage.fixes.whereabouts.typed import is_typed
from triage.model.trail import Announced, Trail

FILES = {
    "docker/gpu/docker-compose.yml": """
        services:
          train:
            build:
              context: ../..
              dockerfile: docker/gpu/Dockerfile
              args: {EXTRAS: metrics}
            image: example/train:dev
          metrics: {image: prom/prometheus}
          board: {build: ./board}
    """,
    "compose.yaml": "services: {x: {build: {context: ., dockerfile: '${FILE}'}}}\n",
    "docker/gpu/Dockerfile": "FROM a\n",
    "docker/npu/Dockerfile": "FROM a\n",
    "docker/gpu/board/Dockerfile": "FROM a\n",
}


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("docker-compose up -d", "docker/gpu"),
        ("docker compose build train", "docker/gpu"),
        ("docker compose -f docker/gpu/docker-compose.yml up", "."),
    ],
)
def test_services_that_are_built(line: str, folder: str) -> None:
    found = list(composed(tree(FILES), line.split(), folder))
    assert [(one.path, one.context) for one in found] == [
        ("docker/gpu/Dockerfile", "."),
        ("docker/gpu/board/Dockerfile", "docker/gpu/board"),
    ]
    assert found[0].tags == ("example/train:dev",)
    assert found[0].arguments == {"EXTRAS"}


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("docker compose down", "docker/gpu"),
        ("docker build .", "docker/gpu"),
        ("docker-compose up", "docker/npu"),
        ("docker compose up", "."),  # a variable decides
        ("docker compose -f other.yml up", "docker/gpu"),
        ("", "."),
    ],
)
def test_nothing_else_is_built(line: str, folder: str) -> None:
    assert list(composed(tree(FILES), line.split(), folder)) == []


@pytest.mark.parametrize(
    "line",
    [
        "cd docker/gpu && docker-compose up -d",
        "docker build -f docker/npu/Dockerfile -t x . && docker run --rm x",
        "cd docker && cd npu && docker build .",
    ],
)
def test_a_typed_line_of_several_commands_says_what_is_built(line: str) -> None:
    found = whereabouts(tree(FILES), Target("", "job", ""), Trail(announced=(Announced("Run it", (line,)),)), "job")
    assert not isinstance(found, Refusal), found.reason
    assert is_typed(found.target.workflow_path)


def test_a_line_that_builds_nothing_of_the_tree_says_nothing() -> None:
    line = "cd elsewhere && docker-compose up -d"
    found = whereabouts(tree(FILES), Target("", "job", ""), Trail(announced=(Announced("Run it", (line,)),)), "job")
    assert isinstance(found, Refusal)
