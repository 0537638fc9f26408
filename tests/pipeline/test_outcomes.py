from dataclasses import replace
from datetime import timedelta

import pytest

from tests.pipeline.made_up_github import REPO, START
from triage.model.configuration import Configuration, RunnerLabel
from triage.model.outcome import Pool
from triage.model.run import Job, Run
from triage.pipeline.outcomes import Place, needs_log, settled_jobs
from triage.pipeline.windows import due
from triage.storage.listing import Window

DAY = 86_400
RUN = Run(1, 1, REPO, "e2e", "w.yml", "push", "completed", "success", "0" * 40, "main", head_repo=REPO)
JOB = Job(1, 1, 1, "ppo", "completed", "failure", started_at=START, completed_at=START + timedelta(minutes=5))


@pytest.mark.parametrize(
    ("labels", "pool"),
    [
        (("self-hosted", "L20x8"), Pool("L20x8", gpus=8)),
        (("self-hosted", "linux", "8gpu"), Pool("8gpu", gpus=8)),
        (("gpu-4",), Pool("gpu-4", gpus=4)),
        (("linux", "h100-2-gpus"), Pool("h100-2-gpus", gpus=2)),
        (("ubuntu-22.04",), Pool("ubuntu-22.04")),
        (("macos-14",), Pool("macos-14")),
        (("linux-aarch64-a2-8",), Pool("linux-aarch64-a2-8")),
        (("self-hosted",), Pool("self-hosted")),
        ((), Pool("")),
    ],
)
def test_labels_say_how_many_gpus_only_when_they_do(labels: tuple[str, ...], pool: Pool) -> None:
    assert Place("main").pool(labels) == pool


def test_the_configuration_says_what_a_label_means() -> None:
    known = Configuration(runners=(RunnerLabel("linux-aarch64-a2-*", "npu", 8), RunnerLabel("*", "cpu")))
    assert Place("main", known).pool(("self-hosted", "linux-aarch64-a2-8")) == Pool("linux-aarch64-a2-8", "npu", 8)
    assert Place("main", known).pool(("ubuntu-latest",)) == Pool("ubuntu-latest", "cpu", 0)
    made = Configuration(runners=(RunnerLabel("L20x8", "cuda", 8, held_while_queued=True),))
    assert Place("main", made).pool(("L20x8",)).held_while_queued


@pytest.mark.parametrize(
    ("change", "on_base", "branch"),
    [
        ({}, True, "main"),
        ({"event": "pull_request"}, False, "main"),
        ({"head_repo": "bo/train"}, False, "bo:main"),
        ({"head_branch": "topic"}, False, "topic"),
        ({"head_repo": ""}, True, "main"),
    ],
)
def test_what_runs_on_the_base_branch(change: dict[str, str], on_base: bool, branch: str) -> None:
    run = replace(RUN, **change)  # type: ignore[arg-type]
    assert (Place("main").on_base(run), Place("main").branch(run)) == (on_base, branch)


def test_only_jobs_that_ran_and_ended_are_kept() -> None:
    others = [replace(JOB, id=2, conclusion="skipped"), replace(JOB, id=3, status="in_progress", conclusion=None)]
    assert settled_jobs([*others, JOB]) == (JOB,)


def test_shards_of_one_name_that_never_started_are_not_taken_for_one() -> None:
    lost = [replace(JOB, id=number, started_at=None, completed_at=None, conclusion="cancelled") for number in (1, 2)]
    assert settled_jobs(lost) == tuple(lost)


@pytest.mark.parametrize(
    ("conclusion", "minutes", "wanted"),
    [
        ("failure", 1, True),
        ("timed_out", 1, True),
        ("cancelled", 5, False),
        ("cancelled", 45, True),
        ("success", 99, False),
    ],
)
def test_which_logs_are_worth_a_request(conclusion: str, minutes: int, wanted: bool) -> None:
    assert needs_log(replace(JOB, conclusion=conclusion, completed_at=START + timedelta(minutes=minutes))) is wanted


@pytest.mark.parametrize(
    ("stop", "listed", "now", "again"),
    [
        (DAY // 2, DAY // 2, DAY // 2 + 1, True),  # the day was not over when it was listed
        (DAY - 1, DAY, DAY + 60, True),  # just over: runs of it may still go on
        (DAY - 1, 3 * DAY, 3 * DAY + 3600, False),
        (DAY - 1, 3 * DAY, 4 * DAY, True),
        (DAY - 1, 20 * DAY, 21 * DAY, False),
        (DAY - 1, 20 * DAY, 23 * DAY, True),
        (DAY - 1, 33 * DAY, 300 * DAY, False),  # no run of it can be rerun any more
    ],
)
def test_a_day_is_listed_again_often_while_young_and_never_when_old(
    stop: int, listed: int, now: int, again: bool
) -> None:
    assert due(Window(0, stop, 5, listed), now) is again
