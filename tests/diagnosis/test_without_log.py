"""No log: annotations, steps and times tell a lost runner, a time limit, a cancellation and a newer run apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import process_time

import pytest

from triage.diagnosis import diagnose, diagnose_without_log
from triage.matching import compile_patterns
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
    Scope,
    Sequence,
    Severity,
    Signature,
    Status,
)
from triage.pipeline.annotated import said_in
from triage.sources.catalogue import load

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


def said(note, job, catalogue):
    return said_in((note,), compile_patterns(catalogue.signatures.values(), {}), job)


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
    failed = ran(job, "failure")
    cause = only(diagnose_without_log(failed, GONE, (note,), catalogue, said=said(note, failed, catalogue)))
    assert (cause.signature, cause.captures, cause.line.number) == ("runner-lost", {"runner": "gpu-7"}, 0)
    assert cause.reason == "an annotation says so"


@pytest.mark.parametrize("condition", [AnyOf((Contains("x y"), Contains("lost"))), Contains("lost")])
def test_wrappers_never_name_a_cause(job, condition):
    catalogue = Catalogue({"wrap": signature("wrap", "code-error", condition, Rank.WRAPPER)})
    note = Annotation("failure", "lost")
    failed = ran(job, "failure")
    found = diagnose_without_log(failed, GONE, (note,), catalogue, said=said(note, failed, catalogue))
    assert found.causes == ()


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
    cancelled = ran(job, "cancelled")
    cause = only(diagnose_without_log(cancelled, GONE, (note,), EMPTY, said=said(note, cancelled, EMPTY)))
    assert (cause.family, cause.reason) == ("ci-cancelled", "the annotation says that a newer run superseded it")


def test_no_jobs_means_a_broken_workflow_file(job):
    nothing = Unavailable(UnavailableReason.NO_JOBS, "the run has no jobs")
    assert only(diagnose_without_log(job("failure"), nothing, (), EMPTY)).family == "workflow-syntax"


def test_the_catalogue_names_the_cause_where_it_can(job):
    catalogue = Catalogue({"runner-lost": LOST})
    steps = (Step(2, "Train", "in_progress", None),)
    assert only(diagnose_without_log(ran(job, "failure", steps=steps), GONE, (), catalogue)).signature == "runner-lost"


@pytest.mark.parametrize(
    ("signature", "conclusion", "steps"),
    [
        ("operation-canceled", "cancelled", ()),
        ("time-limit-exceeded", "timed_out", ()),
        ("workflow-not-valid", "startup_failure", ()),
        ("runner-lost", "failure", (Step(2, "Train", "in_progress", None),)),
    ],
)
def test_what_github_says_of_a_job_is_no_other_systems_signature(job, signature, conclusion, steps):
    cause = only(diagnose_without_log(ran(job, conclusion, steps=steps), GONE, (), load()))
    assert (cause.signature, cause.captures) == (signature, {})


def test_other_signatures_of_the_family_stand_for_nothing(job):
    other = signature("another-service-canceled", "ci-cancelled", Contains("received cancellation signal"))
    cause = only(diagnose_without_log(ran(job, "cancelled"), GONE, (), Catalogue({other.id: other})))
    assert (cause.signature, cause.title) == ("ci-cancelled", "The job was cancelled")


def test_a_step_that_failed_before_another_never_ended_is_no_lost_runner(job):
    steps = (Step(2, "Train", "completed", "failure"), Step(3, "Upload", "in_progress", None))
    assert diagnose_without_log(ran(job, "failure", steps=steps), GONE, (), EMPTY).causes == ()


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
    failed = ran(job, "failure")
    found = diagnose(log.reading, catalogue, failed, (note,), said=said(note, failed, catalogue))
    assert only(found).signature == "runner-lost"


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


def test_the_scope_of_a_signature_holds_for_annotations_too(job):
    on_rocm = replace(signature("on-rocm", "code-error", Contains("engine died")), scope=Scope(platform=("rocm",)))
    catalogue = Catalogue({"on-rocm": on_rocm})
    note = Annotation("failure", "the engine died")
    for label, named in (("rocm-mi300", ["on-rocm"]), ("nvidia-h100", [])):
        failed = ran(job, "failure", labels=(label,))
        found = diagnose_without_log(failed, GONE, (note,), catalogue, said=said(note, failed, catalogue))
        assert [cause.signature for cause in found.causes] == named


@pytest.mark.parametrize(("level", "named"), [("failure", ["died"]), ("warning", []), ("notice", [])])
def test_what_only_warns_ended_nothing(job, level, named):
    catalogue = Catalogue({"died": signature("died", "code-error", Contains("engine died"))})
    note, failed = Annotation(level, "the engine died"), ran(job, "failure")
    found = diagnose_without_log(failed, GONE, (note,), catalogue, said=said(note, failed, catalogue))
    assert [cause.signature for cause in found.causes] == named


def test_lines_that_follow_each_other_are_not_one_line(job):
    lines = Sequence((Contains("first"), Contains("second")), 3)
    catalogue = Catalogue({"two": signature("two", "code-error", lines)})
    failed = ran(job, "failure")
    for text, matches in (("second and first", 0), ("first\nsecond", 1)):
        (one,) = said(Annotation("failure", text), failed, catalogue)
        assert len(one.matches) == matches


def test_an_error_is_read_as_the_runner_prints_it(job):
    catalogue = Catalogue({"taken": signature("taken", "code-error", Regex(r"^##\[error\]it is taken$"))})
    (one,) = said(Annotation("failure", "it is taken"), ran(job, "failure"), catalogue)
    assert [match.signature for match in one.matches] == ["taken"]


def test_hundreds_of_long_annotations_take_no_time(job):
    notes = tuple(Annotation("failure", f"train {n} cuda error " * 3000) for n in range(500))
    patterns = compile_patterns(load().signatures.values(), {})
    started = process_time()
    found = said_in(notes, patterns, ran(job, "failure"))
    assert process_time() - started < 10
    assert len(found) == 50


def test_a_root_that_an_annotation_names_stands_before_the_status_and_a_symptom_behind_it(job):
    root = signature("root", "code-error", Contains("engine died"))
    symptom = signature("symptom", "code-error", Contains("exit code 9"), Rank.SYMPTOM)
    catalogue = Catalogue({"root": root, "symptom": symptom})
    cancelled = ran(job, "cancelled")
    for text, named in (("the engine died", "root"), ("exit code 9", "ci-cancelled")):
        note = Annotation("failure", text)
        noted = said(note, cancelled, catalogue)
        assert only(diagnose_without_log(cancelled, GONE, (note,), catalogue, said=noted)).signature == named


def test_a_job_that_no_runner_took_did_not_run_into_a_limit(job) -> None:
    """GitHub ends what waited for a day; its "start" is when it was queued."""
    never = Unavailable(UnavailableReason.NEVER_STARTED, "The job was cancelled before a runner took it.")
    found = diagnose_without_log(ran(job, "cancelled", 24 * 60), never, (), EMPTY)
    assert [(cause.family, cause.line.text) for cause in found.causes] == [
        ("ci-cancelled", "cancelled before a runner took it")
    ]
