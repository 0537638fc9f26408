import re
from pathlib import Path

import pytest

from tests.github.worlds import BASE, HEAD, MERGE, REPO, make_pull, make_run, make_world, served
from triage.demo.server import cut, status
from triage.errors import GitHubError
from triage.github import ApiError
from triage.model.run import NoPullRequest, PullRequest, Run

UNNAMED = {"pull_requests": ()}


@pytest.mark.parametrize(
    ("run", "pulls", "found"),
    [
        (make_run(), [make_pull()], 12),
        (make_run(**UNNAMED), [make_pull()], 12),
        (make_run(**UNNAMED, head_sha=MERGE), [make_pull()], 12),
        (make_run(**UNNAMED, head_branch="renamed"), [make_pull()], 12),
        (make_run(**UNNAMED, head_repo=""), [make_pull(head_repo="")], 12),
        (make_run(**UNNAMED), [make_pull(), make_pull(13, state="closed")], 12),
        (make_run(**UNNAMED), [make_pull(13, state="closed", merged=True)], 13),
        (make_run(**UNNAMED), [make_pull(repo="other/train"), make_pull(14)], 14),
    ],
    ids=["named", "by branch", "by merge commit", "by commit", "deleted fork", "open first", "merged", "ours only"],
)
def test_the_pull_request_of_a_run(tmp_path: Path, run: Run, pulls: list[PullRequest], found: int) -> None:
    world = make_world()
    world.runs, world.pulls = [run], pulls
    with served(world, tmp_path) as (_, github):
        pull = github.pulls.of(github.run(run.id))
        assert isinstance(pull, PullRequest)
        assert pull == next(one for one in pulls if one.number == found)
        assert github.pull_request_of(run) == pull


def test_one_that_moved_on_is_returned_with_its_new_head(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [make_run(**UNNAMED, head_sha="f" * 40)]
    with served(world, tmp_path) as (_, github):
        pull = github.pulls.of(github.run(world.runs[0].id))
        assert isinstance(pull, PullRequest)
        assert pull.head_sha == HEAD


@pytest.mark.parametrize(
    ("run", "pulls", "says"),
    [
        (make_run(**UNNAMED), [], "No pull request has"),
        (make_run(event="schedule"), [make_pull()], "started by schedule"),
        (make_run(**UNNAMED), [make_pull(12), make_pull(13, base_ref="dev")], r"Several .*#12, #13"),
        (make_run(**UNNAMED, head_sha="f" * 40), [make_pull(12), make_pull(13, base_ref="dev")], "Several"),
        (make_run(**UNNAMED, head_branch="x"), [make_pull(repo="other/train")], "No pull request has"),
    ],
)
def test_none_is_guessed(tmp_path: Path, run: Run, pulls: list[PullRequest], says: str) -> None:
    world = make_world()
    world.runs, world.pulls = [run], pulls
    with served(world, tmp_path) as (_, github):
        found = github.pulls.of(run)
        assert isinstance(found, NoPullRequest)
        assert re.search(says, found.detail)
        assert github.pull_request_of(run) is None


def test_opening_one_twice_gives_the_same(tmp_path: Path) -> None:
    world = make_world()
    world.branches["triage/fix"] = HEAD
    with served(world, tmp_path) as (server, github):
        first = github.pulls.open("Fix", "Body", "triage/fix", "main")
        assert (first.head_ref, first.base_ref, first.base_sha) == ("triage/fix", "main", BASE)
        assert github.pulls.open("Fix", "Body", "triage/fix", "main") == first
        assert [pull.number for pull in server.world.pulls] == [12, 13]


def test_a_lost_answer_does_not_open_a_second_one(tmp_path: Path) -> None:
    world = make_world()
    world.branches["triage/fix"] = HEAD
    with served(world, tmp_path) as (server, github):
        server.inject(status("open pull", 502, done=True))
        assert github.pulls.open("Fix", "Body", "triage/fix", "main").number == 13
        assert len(server.world.pulls) == 2


def test_one_that_was_not_opened_is_an_error(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        with pytest.raises(ApiError, match="head or base does not exist"):
            github.pulls.open("Fix", "Body", "no-such-branch", "main")
        server.inject(cut("open pull"))
        with pytest.raises(GitHubError, match="may have happened"):
            github.pulls.open("Fix", "Body", "no-such-branch", "main")


def test_files_and_reviews(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (_, github):
        assert list(github.pulls.files(12)) == world.changed_files[12]
        github.pulls.review(12, HEAD, "See", [("train.py", 1, 1, "```suggestion\nb\n```")])
        assert world.reviews == [(12, "```suggestion\nb\n```")]
        with pytest.raises(GitHubError, match="at least one"):
            github.pulls.review(12, HEAD, "See", [])


def test_numbers_of_other_repositories_do_not_count(tmp_path: Path) -> None:
    world = make_world()
    world.pulls.append(make_pull(99, repo="other/train"))
    world.runs = [make_run(pull_requests=(12, 99))]
    with served(world, tmp_path) as (_, github):
        assert github.run(world.runs[0].id).pull_requests == (12,)
        assert github.repo == REPO
