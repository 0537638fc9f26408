"""No log: annotations, steps and times tell a lost runner, a time limit, a cancellation and a newer run apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from triage.diagnosis import diagnose, diagnose_without_log
from triage.model.run import Annotation, Step, Unavailable, UnavailableReason
from triage.model.signature import (
    AllOf,
    AnyOf,
    Catalogue,
    Category,
    Contains,
    Explain,
    NoneOf,
    Rank,
    Regex,
    Severity,
    Signature,
    Status,
)

START = datetime(2026, 8, 20, 3, 0, tzinfo=UTC)
GONE = Unavailable(UnavailableReason.EXPIRED, "expired after 90 days")
EMPTY = Catalogue({})


def signature(name, family, condition, rank=Rank.ROOT):
    return Signature(
        name,
        name,
        "infra",
        family,
        Category.INFRA,
        Severity.HIGH,
        rank,
        Status.STABLE,
        condition,
        Explain("what"),
    )


def ran(job, conclusion, minutes=10, steps=(), **more):
    return job(conclusion, started_at=START, completed_at=START + timedelta(minutes=minutes), steps=steps, **more)


def only(said):
    (cause,) = said.causes
    return cause


LOST = signature(
    "runner-lost",
    "ci-runner-lost",
    AllOf((Regex(r"runner:? ?(?P<runner>\S+)? lost communication"), NoneOf((Contains("never"),)))),
)


def test_an_annotation_is_matched_like_a_log(job):
    catalogue = Catalogue({"runner-lost": LOST})
    note = Annotation("failure", "The self-hosted runner: gpu-7 lost communication with the server.", path=".github")
    cause = only(diagnose_without_log(ran(job, "failure"), GONE, (note,), catalogue))
    assert (cause.signature, cause.captures, cause.line.number) == ("runner-lost", {"runner": "gpu-7"}, 0)
    assert cause.reason == "an annotation says so"


@pytest.mark.parametrize("condition", [AnyOf((Contains("x y"), Contains("lost"))), Contains("lost")])
def test_wrappers_never_name_a_cause(job, condition):
    catalogue = Catalogue({"wrap": signature("wrap", "code-error", condition, Rank.WRAPPER)})
    note = Annotation("failure", "lost")
    assert diagnose_without_log(ran(job, "failure"), GONE, (note,), catalogue).causes == ()


def test_a_step_that_never_ended_is_a_lost_runner(job):
    steps = (Step(1, "Set up", "completed", "success"), Step(2, "Train", "in_progress", None))
    said = diagnose_without_log(ran(job, "failure", steps=steps), GONE, (), EMPTY)
    assert only(said).family == "ci-runner-lost"
    assert said.step == "Train"
    assert only(said).line.text == "step 2 'Train' never ended"


def test_a_cancellation_at_githubs_limit_is_a_time_limit(job):
    cause = only(diagnose_without_log(ran(job, "cancelled", minutes=360), GONE, (), EMPTY))
    assert cause.family == "ci-timeout"
    assert cause.line.text == "cancelled after 360 minutes"


def test_timed_out_is_a_time_limit(job):
    assert only(diagnose_without_log(ran(job, "timed_out", minutes=30), GONE, (), EMPTY)).family == "ci-timeout"


def test_a_newer_run_supersedes(job):
    cancelled = ran(job, "cancelled")
    newer = cancelled.completed_at - timedelta(seconds=20)
    cause = only(diagnose_without_log(cancelled, GONE, (), EMPTY, newer))
    assert (cause.family, cause.reason) == ("ci-cancelled", "a newer run superseded it")
    plain = only(diagnose_without_log(cancelled, GONE, (), EMPTY, cancelled.completed_at - timedelta(hours=1)))
    assert plain.reason == "the conclusion says so, and no limit was near"


def test_the_annotation_of_a_superseded_run(job):
    note = Annotation("failure", "Canceling since a higher priority waiting request for 'ci-main' exists")
    cause = only(diagnose_without_log(ran(job, "cancelled"), GONE, (note,), EMPTY))
    assert (cause.family, cause.reason) == ("ci-cancelled", "the annotation says that a newer run superseded it")


def test_no_jobs_means_a_broken_workflow_file(job):
    nothing = Unavailable(UnavailableReason.NO_JOBS, "the run has no jobs")
    assert only(diagnose_without_log(job("failure"), nothing, (), EMPTY)).family == "workflow-syntax"


def test_the_catalogue_names_the_cause_where_it_can(job):
    catalogue = Catalogue({"runner-lost": LOST})
    steps = (Step(2, "Train", "in_progress", None),)
    assert only(diagnose_without_log(ran(job, "failure", steps=steps), GONE, (), catalogue)).signature == "runner-lost"


def test_a_plain_failure_without_a_log_stays_without_a_cause(job):
    steps = (Step(2, "Train", "completed", "failure"),)
    said = diagnose_without_log(ran(job, "failure", steps=steps), GONE, (), EMPTY)
    assert (said.causes, said.unavailable, said.step) == ((), GONE, "Train")


def test_the_log_of_a_job_at_its_time_limit_says_canceled_and_the_times_say_why(job, log):
    line = log.matched(log.says("##[error]The operation was canceled."), "operation-canceled")
    log.signatures["operation-canceled"] = replace(log.signatures["operation-canceled"], family="ci-cancelled")
    cause = only(diagnose(log.reading, log.catalogue, ran(job, "cancelled", minutes=360)))
    assert (cause.family, cause.line) == ("ci-timeout", line)
    assert only(diagnose(log.reading, log.catalogue, ran(job, "cancelled", minutes=3))).family == "ci-cancelled"


def test_an_annotation_tells_what_the_log_does_not(job, log):
    log.says("step 400: loss 0.1")
    note = Annotation("failure", "The self-hosted runner: gpu-7 lost communication with the server.")
    catalogue = Catalogue({"runner-lost": LOST})
    assert only(diagnose(log.reading, catalogue, ran(job, "failure"), (note,))).signature == "runner-lost"


def test_a_root_in_the_log_stands_before_the_cancellation_that_ended_the_job(job, log):
    log.matched(log.says("torch.OutOfMemoryError: CUDA out of memory"), "oom")
    causes = diagnose(log.reading, log.catalogue, ran(job, "cancelled")).causes
    assert [cause.signature for cause in causes] == ["oom"]


def test_a_newer_run_supersedes_a_job_whose_log_is_there_too(job, log):
    cancelled = ran(job, "cancelled")
    log.says("##[error]The operation was canceled.")
    reading = log.reading
    newer = cancelled.completed_at - timedelta(seconds=20)
    found = diagnose(reading, EMPTY, cancelled, newer_run_at=newer)
    assert found.causes[0].reason == "a newer run superseded it"
    assert diagnose(reading, EMPTY, cancelled).causes[0].reason == "the conclusion says so, and no limit was near"
