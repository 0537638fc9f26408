from dataclasses import replace
from pathlib import Path

import pytest

from tests.github.worlds import RUN_ID, make_job, make_run, make_world, served
from triage.github import ApiError


def test_failed_jobs_start_again_and_the_others_keep_their_attempt(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        github.reruns.failed_jobs(github.run(RUN_ID))
        run = github.run(RUN_ID)
        assert (run.attempt, run.status, run.conclusion) == (2, "queued", None)
        assert run.created_at == make_run().created_at
        jobs = github.jobs(run)
        assert [(job.attempt, job.status) for job in jobs] == [(2, "queued")] * 3 + [(1, "completed")] * 2
        assert not {job.id for job in jobs[:3]} & {1, 2, 3}


def test_one_job_and_the_whole_run(tmp_path: Path) -> None:
    world = make_world()
    world.runs.append(make_run(50))
    world.jobs[50, 1] = [make_job(51, run_id=50)]
    with served(world, tmp_path) as (_, github):
        github.reruns.job(make_job(2))
        assert [job.attempt for job in github.jobs(github.run(RUN_ID))] == [1, 2, 1, 1, 1]
        github.reruns.whole(github.run(50))
        assert world.reruns == [f"{RUN_ID} rerun job train (2)", "50 rerun"]


def test_github_says_why_not(tmp_path: Path) -> None:
    world = make_world()
    world.runs = [replace(make_run(), status="in_progress", conclusion=None)]
    with served(world, tmp_path) as (server, github):
        with pytest.raises(ApiError, match=r"GitHub refuses the rerun .* \(403: This workflow is already running\)"):
            github.reruns.failed_jobs(world.runs[0])
        assert server.calls == ["rerun failed jobs"]
        with pytest.raises(ApiError, match="cannot find"):
            github.reruns.whole(make_run(7))
