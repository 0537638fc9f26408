"""The line to look at when no signature matched, and the hint beside it."""

from __future__ import annotations

from triage.diagnosis import diagnose, novel_form
from triage.model.log import StepSpan


def line_of(said):
    assert said.unexplained is not None
    return said.unexplained.line.text


def test_the_first_exception_of_a_chain_is_better_than_its_last(log, job):
    log.traceback(log.says("ValueError: bad shard", at=5), "ValueError")
    log.traceback(log.says("RuntimeError: worker died", at=10), "RuntimeError", chain="cause")
    log.exits()
    said = diagnose(log.reading, log.catalogue, job())
    assert line_of(said) == "ValueError: bad shard"
    assert "the end of a traceback" in said.unexplained.why


def test_a_line_that_only_says_that_something_failed_loses(log, job):
    log.says("fatal: could not read the index")
    log.exits()
    assert line_of(diagnose(log.reading, log.catalogue, job())) == "fatal: could not read the index"


def test_the_failed_steps_error_beats_a_green_steps(log, job):
    green, red = StepSpan(1, "Prepare", 1, 4, "success"), StepSpan(2, "Train", 5, 9, "failure")
    log.traceback(log.says("ValueError: harmless", step=green, at=4), "ValueError")
    log.traceback(log.says("ValueError: deadly", step=red, at=8), "ValueError")
    assert line_of(diagnose(log.reading, log.catalogue, job("failure"))) == "ValueError: deadly"


def test_what_the_green_log_has_too_is_not_the_cause(log, job):
    log.says("ERROR 17 peers could not be reached after 30 s")
    log.says("error: shard 12 has a bad checksum")
    green = {novel_form("ERROR 16 peers could not be reached after 31 s")}
    said = diagnose(log.reading, log.catalogue, job("failure"), green=green)
    assert line_of(said) == "error: shard 12 has a bad checksum"
    assert "the last green log does not have it" in said.unexplained.why


def test_the_nearest_signature_is_a_hint(log, job):
    log.matched(log.says("Free memory on device is less than desired GPU memory utilization"), "free-memory")
    log.matches.clear()
    log.lines.clear()
    log.says("ValueError: Free memory on device cuda:0 was less than the desired GPU memory utilization")
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert said.unexplained is not None
    assert said.unexplained.nearest is not None
    assert said.unexplained.nearest.signature == "free-memory"
    assert said.causes == ()


def test_a_failed_log_without_any_error_shape_shows_where_it_stopped(log, job):
    log.says("INFO vLLM is using nccl==2.26.2")
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert line_of(said) == "INFO vLLM is using nccl==2.26.2"
    assert said.unexplained.why == "the last line before the failure"
    assert diagnose(log.reading, log.catalogue, job()).unexplained is None
