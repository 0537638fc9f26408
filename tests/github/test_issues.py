from pathlib import Path

import pytest

from tests.github.worlds import make_world, served
from triage.demo.server import cut, status
from triage.demo.server.world import Issue
from triage.errors import GitHubError
from triage.github.replies import UncertainWrite

MARK = "<!-- report -->"


def test_one_issue_is_kept(tmp_path: Path) -> None:
    world = make_world()
    world.issues = [Issue(1, "Quotes it", f"> {MARK}", "someone"), Issue(2, "Closed", MARK, "triage[bot]", "closed")]
    with served(world, tmp_path) as (_, github):
        first = github.issues.keep(MARK, "Week 1", f"{MARK} one")
        assert github.issues.keep(MARK, "Week 2", f"{MARK} two") == first
        assert [(one.title, one.body) for one in world.issues[2:]] == [("Week 2", f"{MARK} two")]
        assert world.issues[0].title == "Quotes it"


def test_a_lost_answer_opens_no_second_issue(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (server, github):
        server.inject(status("open issue", 502, done=True))
        github.issues.keep(MARK, "Week 1", f"{MARK} one")
        assert len(world.issues) == 1


def test_one_that_was_not_opened_is_an_error(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(cut("open issue"))
        with pytest.raises(UncertainWrite):
            github.issues.keep(MARK, "Week 1", f"{MARK} one")
        with pytest.raises(GitHubError, match="own marker"):
            github.issues.keep(MARK, "Week 1", "none")
