from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.github.worlds import NOW, make_world, served
from triage.demo.server import Fault, cut, secondary_limit, status
from triage.errors import GitHubError
from triage.github import ApiError
from triage.model.run import Comment

MARK = "<!-- triage:v1 key=12 -->"
BODY = f"{MARK}\nIt is yours."


def ours(comments: list[Comment]) -> list[Comment]:
    return [one for one in comments if MARK in one.body and one.author == "triage[bot]"]


def test_three_hundred_are_read_in_order(tmp_path: Path) -> None:
    world = make_world()
    world.comments[12] = [Comment(number, f"Comment {number}", "someone", "", NOW, NOW) for number in range(1, 301)]
    with served(world, tmp_path) as (server, github):
        assert [one.id for one in github.comments.list(12)] == list(range(1, 301))
        assert server.calls.count("list comments") == 3


@pytest.mark.parametrize(
    "fault",
    [
        status("create comment", 502, done=True),
        status("create comment", 502),
        cut("create comment", done=True),
        cut("create comment"),
        cut("create comment", 10),
        secondary_limit("create comment", 1),
    ],
    ids=["502 after", "502 before", "cut after", "cut before", "cut in the answer", "limit"],
)
def test_there_is_one_comment_in_the_end(tmp_path: Path, fault: Fault) -> None:
    world = make_world()
    # A person who quotes the marker is not us.
    world.comments[12].append(Comment(800, f"> {BODY}", "someone", "", NOW, NOW))
    with served(world, tmp_path) as (server, github):
        server.inject(fault)
        made = github.comments.create(12, BODY, MARK)
        assert [one.id for one in ours(world.comments[12])] == [made.id]


def test_a_comment_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("create comment", 403, "Resource not accessible by integration", times=9))
        with pytest.raises(ApiError, match="No permission for a comment on #12"):
            github.comments.create(12, BODY, MARK)
        with pytest.raises(GitHubError, match="own marker"):
            github.comments.create(12, "no marker", MARK)


def test_editing_is_repeated_and_a_deleted_one_is_noticed(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        made = github.comments.create(12, BODY, MARK)
        server.inject(status("edit comment", 502), cut("edit comment"))
        changed = github.comments.edit(made.id, f"{BODY} Changed.")
        assert changed is not None
        assert changed.body.endswith("Changed.")
        server.inject(status("delete comment", 502, done=True))
        github.comments.delete(made.id)
        assert ours(server.world.comments[12]) == []
        assert github.comments.edit(made.id, BODY) is None


def test_too_long_is_an_error_and_not_cut(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github), pytest.raises(ApiError, match="too long"):
        github.comments.create(12, MARK + "x" * 65_536, MARK)


def test_minimising_may_be_repeated(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        made = github.comments.create(12, BODY, MARK)
        server.inject(status("graphql", 502, done=True))
        github.comments.minimise(made)
        assert server.world.minimised == {made.id}
        assert github.comments.viewer() == "triage[bot]"
        github.comments.delete(made.id)
        with pytest.raises(GitHubError, match="minimising"):
            github.comments.minimise(made)


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github), ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: github.comments.create(12, f"<!-- {number} -->", f"<!-- {number} -->"), range(16)))
        bodies = [one.body for one in server.world.comments[12]]
        assert {f"<!-- {number} -->" for number in range(16)} <= set(bodies)
        assert len(bodies) == 3 + 16
        assert len({one.id for one in server.world.comments[12]}) == len(bodies)
