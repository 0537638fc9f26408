"""What the server encodes, the adapter decodes to the same value; what is broken is an error and not a crash."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.github.worlds import make_job, make_pull, make_run, make_world
from triage.demo.server import payloads
from triage.demo.server.pull_payloads import pull_request
from triage.errors import GitHubError
from triage.github import decode, fields
from triage.model.run import Step

BASE = "https://api.github.example"
TEXT = st.text(max_size=30)
TIMES = st.none() | st.datetimes(
    min_value=datetime(2020, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC)
).map(lambda moment: moment.replace(microsecond=0))
CONCLUSIONS = st.none() | st.sampled_from(["success", "failure", "startup_failure", "something new"])


@given(TEXT, CONCLUSIONS, TIMES, st.lists(st.tuples(st.integers(1, 99), TEXT, CONCLUSIONS, TIMES), max_size=4))
def test_jobs_survive_the_way(
    name: str, conclusion: str | None, end: datetime | None, steps: list[tuple[int, str, str | None, datetime | None]]
) -> None:
    made = tuple(Step(number, text, "completed", result, end, at) for number, text, result, at in steps)
    job = make_job(7, name or "x", conclusion=conclusion, completed_at=end, steps=made)
    assert decode.job(payloads.job(BASE, make_world(), job)) == job


@given(TEXT, TEXT, CONCLUSIONS, st.integers(1, 9))
def test_runs_survive_the_way(title: str, branch: str, conclusion: str | None, attempt: int) -> None:
    run = make_run(display_title=title, head_branch=branch, conclusion=conclusion, attempt=attempt, head_repo="")
    assert decode.run(payloads.run(BASE, make_world(), run)) == run


def test_pull_requests_survive_the_way() -> None:
    for whole in (True, False):
        for pull in (make_pull(), make_pull(head_repo=""), make_pull(state="closed", merged=True)):
            assert decode.pull_request(pull_request(BASE, make_world(), pull, whole)) == pull


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-04T05:06:07Z", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),
        ("2026-03-04T06:06:07.000+01:00", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("soon", None),
        ("", None),
        (None, None),
        (17, None),
    ],
)
def test_times(text: object, moment: datetime | None) -> None:
    found = fields.time(text)
    assert found == moment
    assert found is None or found - datetime(2026, 1, 1, tzinfo=UTC) > timedelta(0)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"id": None}, {"id": "x"}, {"id": 1, "steps": 5}])
def test_what_is_no_job_is_an_error(value: Any) -> None:
    with pytest.raises(GitHubError, match="job 7"):
        decode.decoded(decode.job, value, "job 7")


def test_nulls_and_gaps_become_defaults() -> None:
    job = decode.decoded(decode.job, {"id": 5, "labels": None, "steps": None, "runner_name": None}, "job 5")
    assert (job.id, job.attempt, job.labels, job.steps, job.runner_name) == (5, 1, (), (), "")
    run = decode.decoded(decode.run, {"id": 5, "head_repository": None, "actor": None, "pull_requests": None}, "run 5")
    assert (run.head_repo, run.actor, run.pull_requests) == ("", "", ())


def test_a_reusable_workflows_path_loses_its_ref() -> None:
    assert decode.run({"id": 1, "path": ".github/workflows/ci.yml@refs/heads/main"}).workflow_path == (
        ".github/workflows/ci.yml"
    )
