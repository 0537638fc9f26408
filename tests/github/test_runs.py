from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.github.worlds import NOW, REPO, RUN_ID, make_job, make_run, make_world, served
from triage.errors import GitHubError
from triage.github import RunFilter

SECOND = timedelta(seconds=1)


def test_a_run_and_its_jobs_come_back_as_they_are(tmp_path: Path) -> None:
    world = make_world()
    with served(world, tmp_path) as (_, github):
        run = github.run(RUN_ID)
        assert run == world.runs[0]
        assert list(github.jobs(run)) == world.jobs[RUN_ID, 1]
        assert github.runs.job(2) == world.jobs[RUN_ID, 1][1]
        assert [(one.name, one.size) for one in github.runs.artifacts(run)] == [("wheels", 1024)]


def test_attempts_show_what_a_rerun_hid(tmp_path: Path) -> None:
    world = make_world()
    green = replace(world.runs[0], attempt=2, conclusion="success")
    world.runs.append(green)
    kept, again = make_job(4, failed=False), make_job(91, "train (1)", failed=False, attempt=2)
    world.jobs[RUN_ID, 2] = [kept, again]
    with served(world, tmp_path) as (_, github):
        run = github.run(RUN_ID)
        assert run == green
        assert [one.conclusion for one in github.runs.attempts(run)] == ["failure", "success"]
        assert github.run(RUN_ID, 1) == world.runs[0]
        assert list(github.jobs(run)) == [kept, again]
        executions = github.runs.all_jobs(run)
        assert {(job.name, job.attempt) for job in executions} >= {("train (1)", 1), ("train (1)", 2)}
        assert len({job.id for job in executions}) == len(executions)


def test_the_window_reaches_beyond_a_thousand(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [make_run(number, created_at=NOW + number * SECOND) for number in range(1, 1501)]
    with served(world, tmp_path) as (server, github):
        found = [run.id for run in github.runs.list(RunFilter(since=NOW, until=NOW + timedelta(hours=1)))]
        assert found == list(range(1500, 0, -1))
        # One page each of the two windows that are too large, then fifteen full ones and their ends.
        assert server.calls.count("list runs") <= 20


def test_more_than_a_thousand_without_a_window_is_an_error_and_not_a_part(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [make_run(number, created_at=NOW) for number in range(1, 1101)]
    with served(world, tmp_path) as (_, github):
        with pytest.raises(GitHubError, match="no window to divide"):
            list(github.runs.list(RunFilter(branch="faster")))
        with pytest.raises(GitHubError, match="in the same second"):
            list(github.runs.list(RunFilter(since=NOW, until=NOW)))


def test_a_limit_asks_for_no_more_than_it_needs(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [make_run(number, created_at=NOW + number * SECOND) for number in range(1, 1501)]
    with served(world, tmp_path) as (server, github):
        assert [run.id for run in github.runs.list(RunFilter(status="failure"), 3)] == [1500, 1499, 1498]
        assert server.calls == ["list runs"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RunFilter(branch="faster"), {1, 3}),
        (RunFilter(event="push"), {2}),
        (RunFilter(status="success"), {2}),
        (RunFilter(workflow="ci.yml", status="failure"), {1}),
        (RunFilter(workflow="78"), {3}),
        (RunFilter(workflow=".github/workflows/lint.yml"), {3}),
        (RunFilter(actor="nobody"), set()),
        (RunFilter(head_sha="a" * 40), {2}),
    ],
)
def test_filters(tmp_path: Path, wanted: RunFilter, found: set[int]) -> None:
    world = make_world()
    world.runs = [
        make_run(1),
        make_run(2, head_branch="main", event="push", conclusion="success", head_sha="a" * 40),
        make_run(3, workflow_path=".github/workflows/lint.yml", workflow_id=78),
    ]
    with served(world, tmp_path) as (_, github):
        assert {run.id for run in github.runs.list(wanted, 10)} == found


def test_pages_for_those_who_count_themselves(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [make_run(number, created_at=NOW + number * SECOND) for number in range(1, 1201)]
    with served(world, tmp_path) as (_, github):
        first = github.run_page(NOW, NOW + timedelta(hours=1), 1)
        assert (first.total, len(first.runs), first.runs[0].id) == (1200, 100, 1200)
        assert github.run_page(NOW, NOW + timedelta(hours=1), 11).runs == ()


def test_a_forks_branch_of_the_same_name_is_not_the_base(tmp_path: Path) -> None:
    world = make_world()
    base = {"head_branch": "main", "head_repo": REPO, "event": "push", "pull_requests": ()}
    world.runs += [
        make_run(10, **base),
        make_run(11, **(base | {"head_repo": "someone/train"})),
        make_run(12, **(base | {"event": "pull_request"})),
        make_run(13, **(base | {"status": "in_progress", "conclusion": None})),
        make_run(14, **base),
        make_run(15, **base, workflow_id=78, workflow_path=".github/workflows/lint.yml"),
    ]
    with served(world, tmp_path) as (_, github):
        assert {run.id for run in github.runs.on_base(github.run(RUN_ID), "main")} == {10, 14}


def test_what_the_job_did_on_the_base_branch(tmp_path: Path) -> None:
    world = make_world()
    base = {"head_branch": "main", "head_repo": REPO, "event": "push"}
    for number in (20, 21, 22):
        world.runs.append(make_run(number, created_at=NOW + number * SECOND, **base))
    world.jobs[22, 1] = [make_job(220, "train (1)", run_id=22)]
    world.jobs[21, 1] = [make_job(210, "train (1)", run_id=21, conclusion="skipped")]
    world.jobs[20, 1] = [make_job(200, "train (1)", False, run_id=20), make_job(201, "other", run_id=20)]
    with served(world, tmp_path) as (server, github):
        found = github.runs.job_on_base(github.run(RUN_ID), "train (1)", "main")
        run, job = next(found)
        assert (run.id, job.id) == (22, 220)
        assert server.calls.count("attempt jobs") == 1
        assert [(run.id, job.conclusion) for run, job in found] == [(20, "success")]
