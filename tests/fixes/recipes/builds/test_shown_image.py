"""What a container lacks whose image only the log's traceback tells."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import SystemPackage

RECIPE = SystemPackage("{command}")
FACTS = Facts(
    commands=("docker run --rm example/train:main",), frames=("/srv/train/src/train/main.py", "/usr/lib/x.py")
)
BUILDER = (
    "FROM ubuntu:22.04 AS builder\nRUN apt-get update && apt-get install -y gcc curl\nWORKDIR /srv/train\nCOPY . .\n"
)
LAST = "FROM python:3.11-slim\nENV A=b\nWORKDIR /srv/train\n# What was built.\nCOPY --from=builder /srv/train .\n"
INSTALLS = "RUN apt-get update && apt-get install -y gcc && rm -rf /var/lib/apt/lists/*"


def repository(dockerfile: str = BUILDER + LAST, **files: str) -> MemoryTree:
    return tree({"Dockerfile": dockerfile, "src/train/main.py": "", **files})


def lines(given: MemoryTree, facts: Facts = FACTS) -> list[str]:
    made = patch(RECIPE, "", "", captures={"command": "gcc"}, repository=given, facts=facts)
    return [line for line in changed(made) if line != "+"] if made.state is PatchState.PATCH else []


def test_the_last_stage_takes_what_only_the_builder_had() -> None:
    assert lines(repository()) == [f"+{INSTALLS}"]


def test_the_instruction_stands_before_what_is_copied() -> None:
    made = patch(RECIPE, "", "", captures={"command": "gcc"}, repository=repository(), facts=FACTS)
    whole = made.diff.splitlines()
    assert whole.index(f"+{INSTALLS}") < whole.index(" # What was built.") > whole.index(" WORKDIR /srv/train")


def test_another_user_comes_behind_it() -> None:
    given = repository(BUILDER + LAST.replace("ENV A=b", "USER worker"))
    made = patch(RECIPE, "", "", captures={"command": "gcc"}, repository=given, facts=FACTS)
    whole = made.diff.splitlines()
    assert whole.index(f"+{INSTALLS}") < whole.index(" USER worker")


def test_the_last_stage_that_installs_gets_it_beside_what_it_has() -> None:
    last = LAST.replace("ENV A=b\n", "RUN apt-get update && apt-get install -y curl git\n")
    assert lines(repository(BUILDER + last))[1].endswith("curl git gcc")


def test_a_base_that_an_argument_names_is_known_by_its_default() -> None:
    given = repository(
        "ARG TAG=24.10-py3\n" + BUILDER + LAST.replace("python:3.11-slim", "nvcr.io/nvidia/pytorch:${TAG}")
    )
    assert lines(given) == [f"+{INSTALLS}"]


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        # Two images work there; another folder; a base without apt, or one that nobody here knows.
        (repository(**{"docker/Dockerfile.dev": LAST.replace("--from=builder /srv/train", "")}), FACTS),
        (repository((BUILDER + LAST).replace("/srv/train", "/app")), FACTS),
        (repository(BUILDER + LAST.replace("slim", "alpine")), FACTS),
        (repository(BUILDER + LAST.replace("python:3.11-slim", "example/base:1")), FACTS),
        (repository(BUILDER + LAST.replace("python:3.11-slim", "nvcr.io/nvidia/pytorch:${TAG}")), FACTS),
        # Nothing of the repository failed, or in no container.
        (repository(), Facts(commands=FACTS.commands, frames=("/usr/lib/x.py",))),
        (repository(), Facts(commands=("python -m train",), frames=FACTS.frames)),
        # It is installed there: something else is wrong.
        (repository(BUILDER + LAST + "RUN apt-get update && apt-get install -y gcc\n"), FACTS),
    ],
)
def test_where_the_image_or_its_packages_are_not_known_nothing_is_edited(given: MemoryTree, facts: Facts) -> None:
    made = draft(RECIPE, "", "", captures={"command": "gcc"}, repository=given, facts=facts)
    assert made.edits == (), made.title
