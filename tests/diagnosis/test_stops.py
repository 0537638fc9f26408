"""A time limit that ends a job: the cause of what was cut short, the consequence of what had gone wrong before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from triage.diagnosis import diagnose
from triage.model.log import Line
from triage.model.signature import Rank

BEGAN = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
EXIT = "##[error]Process completed with exit code 124."


def family(log, signature: str, name: str) -> None:
    log.signatures[signature] = replace(log.signatures[signature], family=name)


def at(log, text: str, seconds: float, number: int = 0) -> Line:
    line = replace(log.says(text, at=number), time=BEGAN + timedelta(seconds=seconds))
    log.lines[-1] = line
    return line


def limit(log, seconds: float, explains: tuple[str, ...] = (), number: int = 0) -> None:
    line = at(log, EXIT, seconds, number)
    log.matched(line, "limit", explains=explains)
    family(log, "limit", "ci-timeout")
    log.probe(line, "runner_error")


def test_a_watchdog_that_spoke_before_the_limit_is_the_cause(log, job):
    log.matched(at(log, "Watchdog caught collective operation timeout: WorkNCCL", 60), "watchdog", Rank.SYMPTOM)
    limit(log, 120)
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "watchdog"
    assert "the job was stopped only after it" in cause.reason
    assert [each.signature for each in cause.consequences] == ["limit"]


def test_an_edge_of_a_limit_does_not_reach_back(log, job):
    log.matched(at(log, "KeyError: 'mask'", 60), "error", Rank.SYMPTOM)
    limit(log, 120, explains=("error",))
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "error"


@pytest.mark.parametrize("seconds", [112, 125])
def test_what_a_process_says_as_it_is_ended_follows_from_the_limit(log, job, seconds: int):
    if seconds > 120:
        limit(log, 120, explains=("error",))
    log.matched(at(log, "AttributeError: 'NoneType' object has no attribute 'close'", seconds), "error", Rank.SYMPTOM)
    if seconds < 120:
        limit(log, 120, explains=("error",))
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "limit"


def test_a_job_that_went_on_for_long_was_not_held_up(log, job):
    log.matched(at(log, "Connection reset by peer", 60), "reset", Rank.SYMPTOM)
    limit(log, 7200, number=900)
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "limit"


@pytest.mark.parametrize("name", ["pytest-failure", "ci-cancelled"])
def test_failed_tests_and_interruptions_hold_up_nothing(log, job, name: str):
    log.matched(at(log, "FAILED tests/test_a.py::test_a", 60), "check", Rank.SYMPTOM)
    family(log, "check", name)
    limit(log, 120, explains=("check",))
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "limit"


def test_a_root_of_another_kind_comes_first_as_ever(log, job):
    log.matched(at(log, "CUDA out of memory. Tried to allocate 2.00 GiB", 60), "oom")
    limit(log, 120)
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "oom"


def test_after_an_exception_that_nothing_knows_the_limit_is_not_named(log, job):
    at(log, "Traceback (most recent call last):", 59)
    at(log, '  File "serve.py", line 3, in run', 59)
    error = at(log, "StoreGoneError: the store is gone", 60)
    log.traceback(error, "StoreGoneError", "the store is gone")
    limit(log, 120)
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert said.unexplained is not None
    assert said.unexplained.line.number == error.number


def test_an_exception_of_the_end_leaves_the_limit_its_name(log, job):
    at(log, "Traceback (most recent call last):", 118)
    at(log, '  File "serve.py", line 3, in run', 118)
    log.traceback(at(log, "StoreGoneError: the store is gone", 118), "StoreGoneError", "the store is gone")
    limit(log, 120)
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "limit"
