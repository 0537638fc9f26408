"""What stops a pull request from being opened is told beside the result, with a remedy; nothing is made twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.command import Ran, triage
from triage.demo.runs import REPO, build_world, make_clone
from triage.demo.server import Server, World, cut, status
from triage.model.run import Commit
from triage.pipeline.publish import _fitting, _harmless

Capture = pytest.CaptureFixture[str]
BRANCH = "triage/run-7003"
FORBIDDEN = "Resource not accessible by integration"


@pytest.fixture
def world(tmp_path: Path) -> World:
    head, merge = make_clone(tmp_path / "train")
    world = build_world(head, merge)
    world.commits |= {head: Commit(head, "A made-up repository"), merge: Commit(merge, "Merge", parents=(head,))}
    return world


@pytest.fixture
def server(world: World) -> Iterator[Server]:
    with Server(world) as running:
        yield running


def run(capsys: Capture, server: Server, *arguments: str) -> Ran:
    where = ("--api-url", server.api_url, "--repo", REPO, "--token", "t0ken", "--no-evidence", "--no-cache")
    return triage(capsys, "run", "7003", "--open-pr", *where, *arguments)


def test_the_same_patch_with_another_time_is_the_same(capsys: Capture, server: Server, world: World) -> None:
    assert run(capsys, server).code == 0
    made, other = world.branches[BRANCH], "f" * 40
    world.commits[other] = replace(world.commits[made], sha=other)
    world.trees[other] = world.trees[made]
    world.branches[BRANCH] = other
    again = run(capsys, server)
    assert again.code == 0, again.err
    assert world.branches[BRANCH] == other
    assert len(world.pulls) == 2


def test_a_branch_that_holds_something_else_is_left_alone(capsys: Capture, server: Server, world: World) -> None:
    world.branches[BRANCH] = world.branches["main"]
    ran = run(capsys, server)
    assert ran.code == 4
    assert "python-module-not-found" in ran.out
    assert f"the branch {BRANCH} is there already, and holds something else." in ran.err
    assert "delete it" in ran.err
    assert world.branches[BRANCH] == world.branches["main"]
    assert len(world.pulls) == 1


@pytest.mark.parametrize("call", ["create tree", "create commit", "create ref", "open pull"])
def test_a_token_without_the_permission_for_workflows_is_told_of_it(
    capsys: Capture, server: Server, world: World, call: str, tmp_path: Path
) -> None:
    server.inject(status(call, 403, FORBIDDEN, times=99))
    patch = tmp_path / "fix.patch"
    ran = run(capsys, server, "--format", "json", "--patch", str(patch))
    assert ran.code == 4
    assert "takes a token with `workflows: write`" in ran.err
    assert "t0ken" not in ran.err + ran.out
    document = json.loads(ran.out)
    assert document["patches"]
    assert FORBIDDEN in document["notices"][-1]
    assert patch.exists()
    assert len(world.pulls) == 1


@pytest.mark.parametrize("call", ["create ref", "open pull"])
def test_a_rule_of_the_repository_is_told_in_its_own_words(capsys: Capture, server: Server, call: str) -> None:
    server.inject(status(call, 422, "Repository rule violations found: creations are restricted", times=99))
    ran = run(capsys, server)
    assert ran.code == 4
    assert "creations are restricted" in ran.err
    assert "python-module-not-found" in ran.out


def test_an_answer_that_was_lost_makes_no_second_pull_request(capsys: Capture, server: Server, world: World) -> None:
    server.inject(cut("open pull", done=True))
    ran = run(capsys, server)
    assert ran.code == 0, ran.err
    assert len(world.pulls) == 2


@pytest.mark.parametrize(("opened", "line"), [("", "x"), ("```", "+ x"), ("`````", "```")])
def test_a_body_fits_and_leaves_no_fence_open(opened: str, line: str) -> None:
    body = _fitting(f"{opened}diff\n" + f"{line}\n" * 40_000)
    assert len(body) < 65_536
    assert body.endswith(f"\n{opened}\n\nThe rest is left out: `triage run` prints all of it.\n")
    assert _fitting("short") == "short"


def test_words_of_a_log_mention_nobody_and_close_nothing() -> None:
    assert _harmless("Fixes #12, @org/team\x1b\u202e") == "Fixes #\u200b12, @\u200borg/team"
