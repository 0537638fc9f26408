from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.pipeline.fakes import TextLog, a_job, a_run, built_in, job_log
from tests.pipeline.test_evidence import FakeEvidence, other_run
from triage.diagnosis.codeowners import owners_of
from triage.flakiness.intervals import rate
from triage.model.configuration import Configuration, RerunCaps, RunnerLabel
from triage.model.diagnosis import Verdict, VerdictValue
from triage.model.evidence import Record
from triage.model.result import CauseGroup, TriageResult
from triage.pipeline.group import group_causes
from triage.pipeline.price import price
from triage.pipeline.rerun import RerunPlan, Surroundings, look_around, plan_rerun
from triage.pipeline.triage import FailedJob, Knowledge, examine

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MISSING = "ModuleNotFoundError: No module named 'transfer_queue'"
DROPPED = "requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


def result_of(knowledge: Knowledge, *texts: str, **group: object) -> TriageResult:
    """One failed job for each text."""
    failures = []
    for number, text in enumerate(texts, start=1):
        job = replace(
            a_job(number, f"train-{number}"),
            labels=("L20x8",),
            started_at=NOW,
            completed_at=NOW + timedelta(minutes=15),
        )
        (found,) = examine(FailedJob(job, TextLog("log", job_log(text)), run=a_run()), knowledge)
        failures.append(replace(found, id=f"job-{number}"))
    groups = group_causes(failures, knowledge.catalogue, knowledge.configuration)
    judged = [replace(one, verdict=Verdict(VerdictValue.INFRA)) for one in groups]
    return TriageResult("example/train", (a_run(),), tuple(failures), tuple(replace(one, **group) for one in judged))  # type: ignore[arg-type]


def planned(
    knowledge: Knowledge, result: TriageResult, around: Surroundings = Surroundings(), **caps: int
) -> RerunPlan:
    configuration = Configuration(rerun=RerunCaps(**caps), runners=(RunnerLabel("L20*", "cuda", 8, 2.5),))  # type: ignore[arg-type]
    return plan_rerun(a_run(), result, around, knowledge.catalogue, configuration)


def the_cause(result: TriageResult) -> CauseGroup:
    return result.causes[0]


def test_a_dropped_connection_is_worth_its_price(knowledge: Knowledge) -> None:
    plan = planned(knowledge, result_of(knowledge, DROPPED))
    (one,) = plan.jobs
    assert plan.whole
    assert str(one.price) == "at least 2.0 GPU-hours (8 x 15 minutes), 5.00 in money"
    assert one.expected == ""


def test_a_deterministic_cause_is_never_rerun(knowledge: Knowledge) -> None:
    plan = planned(knowledge, result_of(knowledge, MISSING, retry=True))
    assert plan.jobs == ()
    assert plan.refused[0].why == "python-module-not-found is deterministic: it would fail again"


def test_beside_a_job_that_stays_only_one_is_asked_for(knowledge: Knowledge) -> None:
    plan = planned(knowledge, result_of(knowledge, DROPPED, MISSING))
    assert [one.job.name for one in plan.asked] == ["train-1"]
    assert not plan.whole
    assert [one.job for one in plan.refused] == ["train-2"]
    three = planned(knowledge, result_of(knowledge, DROPPED, MISSING, DROPPED))
    assert len(three.jobs) == 2
    assert len(three.asked) == 1
    assert "wait for the next attempt" in three.notes[0]


def test_a_job_without_a_named_cause_is_left(knowledge: Knowledge) -> None:
    plan = planned(knowledge, result_of(knowledge, "fatal: the flux capacitor is empty"))
    assert plan.refused[0].why == "no cause is named, so nobody can say that it would pass"


@pytest.mark.parametrize("value", [VerdictValue.YOURS, VerdictValue.TRUNK])
def test_what_is_the_change_s_or_the_trunk_s_is_left(knowledge: Knowledge, value: VerdictValue) -> None:
    plan = planned(knowledge, result_of(knowledge, DROPPED, verdict=Verdict(value)))
    assert f"is judged {value.value}" in plan.refused[0].why


def test_the_cap_counts_all_reruns_of_the_commit(knowledge: Knowledge) -> None:
    result = result_of(knowledge, DROPPED)
    assert planned(knowledge, result, Surroundings(spent=1)).jobs
    capped = planned(knowledge, result, Surroundings(spent=2))
    assert capped.refused[0].why == "2 reruns at this commit already, and the cap is 2"
    assert not planned(knowledge, result, per_sha=0).jobs


@pytest.mark.parametrize(
    ("latest", "said"),
    [
        (replace(a_run(), attempt=2), "attempt 2 of the run exists already"),
        (a_run(None, "in_progress"), "the run is still in_progress"),
    ],
)
def test_a_run_that_was_started_again_meanwhile_is_left(knowledge: Knowledge, latest: object, said: str) -> None:
    plan = planned(knowledge, result_of(knowledge, DROPPED), Surroundings(latest=latest))  # type: ignore[arg-type]
    assert plan.refused[0].why == said


def test_an_outage_stops_reruns(knowledge: Knowledge) -> None:
    result = result_of(knowledge, DROPPED)
    cause = the_cause(result).id
    assert planned(knowledge, result, Surroundings(hit=((cause, 2),))).jobs
    stopped = planned(knowledge, result, Surroundings(hit=((cause, 3),)))
    assert stopped.refused[0].why.startswith("an outage: 3 pull requests failed with")


def test_what_reruns_came_to_decides_where_it_is_known(knowledge: Knowledge) -> None:
    good = Record(28, 20, 3, rate(0, 20), rate(16, 20), 3600)
    (one,) = planned(knowledge, result_of(knowledge, DROPPED, record=good)).jobs
    assert one.expected.startswith("reruns that passed: 16 of 20 (80 %")
    assert str(one.price).startswith("about 8.0 GPU-hours (8 x 60 minutes)")
    hopeless = replace(good, reruns=rate(1, 20))
    assert "only 1 of 20" in planned(knowledge, result_of(knowledge, DROPPED, record=hopeless)).refused[0].why
    few = replace(good, reruns=rate(0, 3))
    assert planned(knowledge, result_of(knowledge, DROPPED, record=few)).jobs


def test_around_it_the_last_hour_counts_by_change(knowledge: Knowledge) -> None:
    recent = [other_run(number, updated_at=NOW - timedelta(minutes=number)) for number in (20, 30, 40)]
    old = other_run(50, updated_at=NOW - timedelta(hours=2))
    same_change = replace(recent[0], id=21)
    source = FakeEvidence(others=[*recent, old, same_change], log_text=DROPPED)
    result = result_of(knowledge, DROPPED)
    # The made-up runs have one job, "train".
    failures = tuple(
        replace(one, diagnosis=replace(one.diagnosis, job=replace(one.diagnosis.job, name="train")))
        for one in result.failures
    )
    around = look_around(
        source, knowledge, a_run(), replace(result, failures=failures), [replace(a_run(), attempt=2)], NOW
    )
    assert around.spent == 1
    assert dict(around.hit)[the_cause(result).id] == 3
    assert len(source.logs_read) <= 6


def test_without_knowing_of_an_outage_nothing_is_rerun(knowledge: Knowledge) -> None:
    class Broken(FakeEvidence):
        def attempts(self, run: object) -> object:  # type: ignore[override]
            from triage.errors import GitHubError

            raise GitHubError("attempts broke.")

    result = result_of(knowledge, DROPPED)
    around = look_around(Broken(), knowledge, a_run(), result, [a_run()], NOW)
    plan = planned(knowledge, result, around)
    assert plan.jobs == ()
    assert plan.notes == ("what goes on elsewhere could not be looked up: attempts broke.",)


def test_a_price_without_gpus_is_minutes() -> None:
    job = replace(a_job(1, "lint"), labels=("ubuntu-latest",), started_at=NOW, completed_at=NOW + timedelta(minutes=4))
    assert str(price(job, Configuration())) == "at least 4 minutes of a machine"


def test_a_price_is_told_in_the_configured_currency() -> None:
    job = replace(a_job(1, "e2e"), labels=("self-hosted", "L20x8"))
    configuration = Configuration(runners=(RunnerLabel("L20*", "cuda", 8, 2.5),), currency="EUR")
    assert str(price(job, configuration, 1800)) == "about 4.0 GPU-hours (8 x 30 minutes), 10.00 EUR"


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        (".github/workflows/e2e.yml", ("@example/ci",)),
        ("train/queue.py", ("@ada",)),
        ("docs/a/b.md", ("@docs",)),
        ("docs/a.txt", ("@everyone",)),
        ("x/build/y.py", ("@builders",)),
        ("apps/one.py", ("@apps",)),
        ("apps/deep/one.py", ("@everyone",)),
        ("secret/x", ()),
    ],
)
def test_the_last_rule_that_fits_owns(path: str, owners: tuple[str, ...]) -> None:
    text = "* @everyone\n# comment\n/train/ @ada # ada\n*.md @docs\n.github/workflows/ @example/ci\nbuild/ @builders\n/apps/* @apps\n/secret/\n"
    assert owners_of(path, text) == owners
