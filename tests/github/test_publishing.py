from pathlib import Path

import pytest

from tests.github.worlds import BASE, HEAD, make_world, served
from triage.demo.server import cut, status
from triage.errors import GitHubError
from triage.github import ApiError


def test_a_commit_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (_, github):
        sha = github.publishing.commit(BASE, "Fix", {"train.py": b"\xff new\n", "run.sh": None, "a/b": b""})
        assert world.trees[sha] == {".github/CODEOWNERS": b"* @someone\n", "train.py": b"\xff new\n", "a/b": b""}
        assert world.commits[sha].parents == (BASE,)
        assert world.branches == {"main": BASE}


def test_failures_on_the_way_make_no_second_commit(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (server, github):
        server.inject(
            status("create blob", 502), cut("create tree", done=True), status("create commit", 503, done=True)
        )
        sha = github.publishing.commit(BASE, "Fix", {"train.py": b"new\n"})
        assert set(world.commits) == {BASE, HEAD, "c" * 40, "e" * 40, sha}


def test_a_branch_is_made_once_and_never_taken_over(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (server, github):
        assert github.publishing.branch_sha("fix") is None
        server.inject(status("create ref", 502, done=True))
        github.publishing.create_branch("fix", BASE)
        assert github.publishing.branch_sha("fix") == BASE
        github.publishing.create_branch("fix", BASE)
        with pytest.raises(GitHubError, match="something else"):
            github.publishing.create_branch("fix", HEAD)
        assert world.branches["fix"] == BASE


def test_a_branch_moves_forward_only(tmp_path: Path) -> None:
    world = make_world()
    world.branches["fix"] = BASE
    with served(world, tmp_path) as (_, github):
        github.publishing.move_branch("fix", HEAD)
        assert world.branches["fix"] == HEAD
        with pytest.raises(ApiError, match="not a fast forward"):
            github.publishing.move_branch("fix", BASE)
