from pathlib import Path

import pytest

from tests.github.worlds import HEAD, make_job, make_world, served
from triage.demo.server import status
from triage.github import ApiError
from triage.github.replies import UncertainWrite
from triage.model.run import Annotation


def test_annotations_of_a_job(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (_, github):
        assert list(github.annotations(make_job(1))) == world.annotations[1]
        assert list(github.annotations(make_job(2))) == []


def test_a_whole_file_in_an_annotation_is_shortened(tmp_path: Path) -> None:
    world = make_world()
    world.annotations[1] = [Annotation("failure", "x" * 60_000)]
    with served(world, tmp_path) as (_, github):
        (note,) = github.annotations(make_job(1))
    assert note.message == "x" * 4000 + "…"


@pytest.mark.parametrize("code", [403, 404])
def test_annotations_that_may_not_be_read_are_none(tmp_path: Path, code: int) -> None:
    """Fine-grained tokens cannot have the permission at all."""
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("annotations", code, "Resource not accessible by personal access token"))
        assert list(github.annotations(make_job(1))) == []


def test_a_check_run_takes_more_annotations_than_fit_into_one_request(tmp_path: Path) -> None:
    world = make_world()
    notes = [Annotation("warning", f"note {number}", "", "train.py", number) for number in range(1, 121)]
    with served(world, tmp_path) as (server, github):
        made = github.checks.create("triage", HEAD, "failure", "Title", "Summary", notes)
        assert world.annotations[made.id] == notes
        assert server.calls.count("update check") == 2
        assert [check.name for check in github.checks.of(HEAD)] == ["train (1)", "triage"]


def test_a_lost_answer_makes_no_second_check(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("create check", 502, done=True))
        with pytest.raises(UncertainWrite):
            github.checks.create("triage", HEAD, "failure", "Title", "Summary")
        assert len(server.world.check_runs) == 2


def test_without_permission_it_says_so(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("create check", 403, "Resource not accessible by integration"))
        with pytest.raises(ApiError, match="No permission for check run 'triage'"):
            github.checks.create("triage", HEAD, "failure", "Title", "Summary")
