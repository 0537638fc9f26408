"""What a repository says of itself is read from its default branch, with as few requests as that takes."""

from pathlib import Path

from tests.github.worlds import BASE, make_world, served
from triage.cli.knowledge import know_of

SIGNATURE = """
title: The flux is off
owner: build
family: code-error
category: deterministic
severity: low
rank: root
status: experimental
match:
  contains: "FluxError: the flux is off"
explain:
  what: The flux is off.
examples:
  match: ["FluxError: the flux is off"]
  no_match: ["The flux is on"]
"""


def test_a_repository_that_says_nothing_costs_one_request(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        know_of(github, None, None)
        assert server.calls == ["contents"]


def test_configuration_and_signatures_of_the_default_branch(tmp_path: Path) -> None:
    world = make_world()
    world.trees[BASE] = {
        ".github/triage.toml": b"minimum_n = 4\n",
        ".github/triage/signatures/own/flux-off.yaml": SIGNATURE.encode(),
    }
    with served(world, tmp_path) as (_, github):
        knowledge = know_of(github, None, None)
        assert knowledge.configuration.minimum_n == 4
        assert "flux-off" in knowledge.catalogue.signatures


def test_a_file_that_a_person_named_comes_instead(tmp_path: Path) -> None:
    world = make_world()
    world.trees[BASE] = {".github/triage.toml": b"broken"}
    file = tmp_path / "mine.toml"
    file.write_text("minimum_n = 7\n")
    with served(world, tmp_path / "cache") as (_, github):
        assert know_of(github, None, file).configuration.minimum_n == 7
