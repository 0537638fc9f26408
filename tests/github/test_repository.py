import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.github.worlds import BASE, FIRST, HEAD, NOW, make_world, served
from triage.demo.server import cut
from triage.errors import GitHubError
from triage.github import ApiError
from triage.model.run import Commit, Repository, Unavailable


def test_the_snapshot_holds_the_tree_of_the_commit(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (server, github):
        server.inject(cut("blob", 100))
        path = github.snapshot(HEAD)
        assert isinstance(path, Path)
        with tarfile.open(path) as archive:
            members = {member.name.partition("/")[2]: archive.extractfile(member) for member in archive}
            assert {name: file.read() for name, file in members.items() if file} == world.trees[HEAD]
            assert archive.pax_headers["comment"] == HEAD
        assert github.snapshot(HEAD) == path
        # Once more after the cut, and not for the second look.
        assert server.calls.count("tarball") == 2


def test_a_commit_that_is_not_there_is_a_value(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        found = github.snapshot("9" * 40)
        assert isinstance(found, Unavailable)
        assert "999999999999" in found.detail


def test_files_folders_and_owners_come_from_the_default_branch(tmp_path: Path) -> None:
    world = make_world()
    large = bytes(range(256)) * 8192
    world.trees[BASE] = {**world.trees[BASE], "large.bin": large, "docs/a.md": b"a", "docs/b/c.md": b"c"}
    with served(world, tmp_path) as (_, github):
        contents = github.contents
        assert contents.repository() == replace(Repository(github.repo, "main"), url=contents.repository().url)
        assert contents.codeowners() == "* @someone\n"
        assert contents.read("train.py") == b"print('x')\n"
        assert contents.read("docs/faster.md", HEAD) == b"# Faster\n"
        assert contents.read("large.bin") == large
        assert contents.read("nothing.md") is None
        assert contents.folder("docs") == ("docs/a.md", "docs/b/")
        assert contents.folder("nothing") == ()
        with pytest.raises(GitHubError, match="is no file"):
            contents.read("docs")


def test_no_owners_file_means_no_owners(tmp_path: Path) -> None:
    world = make_world()
    world.trees[BASE] = {"train.py": b""}
    with served(world, tmp_path) as (_, github):
        assert github.contents.codeowners() == ""


def test_commits_of_a_path_and_between_two(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        assert [one.sha for one in github.contents.commits("train.py", HEAD)] == [HEAD, FIRST]
        assert [one.sha for one in github.contents.commits("docs", HEAD)] == [HEAD]
        assert [one.sha for one in github.contents.commits("", HEAD, limit=2)] == [HEAD, FIRST]
        between = github.contents.compare(BASE, HEAD)
        assert (between.status, between.merge_base, between.truncated) == ("ahead", BASE, False)
        assert [one.title for one in between.commits] == ["Write it", "Make it faster"]
        assert [one.path for one in between.files] == ["docs/faster.md", "train.py"]
        assert github.contents.compare(HEAD, BASE).status == "behind"
        assert github.contents.commit("main").sha == BASE
        with pytest.raises(ApiError):
            github.contents.compare(BASE, "no-such-branch")


def test_a_long_range_is_read_over_pages_and_says_when_it_is_cut(tmp_path: Path) -> None:
    world = make_world()
    shas = [f"{number:040x}" for number in range(1, 251)]
    for parent, sha in zip([BASE, *shas], shas, strict=False):
        world.commits[sha] = Commit(sha, f"Commit {sha[-3:]}", "someone", NOW, (parent,))
    with served(world, tmp_path) as (_, github):
        whole = github.contents.compare(BASE, shas[-1])
        assert [one.sha for one in whole.commits] == shas
        assert not whole.truncated
        assert github.contents.compare(BASE, shas[-1], most=150).truncated
