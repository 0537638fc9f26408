"""The line to look at when no signature matched, and the hint beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triage.diagnosis import diagnose, novel_form
from triage.model.log import StepSpan
from triage.model.signature import Rank


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


def test_what_ray_wraps_yields_to_the_remote_traceback_below(log, job):
    log.traceback(log.says("ray.exceptions.RayTaskError(Exception): ray::Runner.run()", at=5), "x", wraps="Exception")
    log.traceback(log.says("Exception: the kernel is too old", at=8), "Exception")
    log.exits()
    assert line_of(diagnose(log.reading, log.catalogue, job())) == "Exception: the kernel is too old"


def test_what_a_server_says_of_its_load_is_not_why_a_request_failed(log, job):
    log.traceback(log.says("asyncio.exceptions.CancelledError: scope 7f", at=5), "asyncio.exceptions.CancelledError")
    log.says("INFO 01-27 01:20:24 engine.py:871] Avg prompt throughput: 0.0 tokens/s", at=9)
    assert line_of(diagnose(log.reading, log.catalogue, job("failure"))).startswith("asyncio")


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


def test_a_signature_is_no_hint_for_what_its_own_near_misses_say(log, job):
    log.matched(log.says("CUDA out of memory. Tried to allocate"), "gpu-oom")
    miss = ("got the expected error: CUDA out of memory. Tried to allocate 32768.00 GiB",)
    log.signatures["gpu-oom"] = replace(log.signatures["gpu-oom"], examples_no_match=miss)
    log.matches.clear()
    log.lines.clear()
    log.says("got the expected error: CUDA out of memory. Tried to allocate 2048.00 GiB")
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert said.unexplained is not None
    assert said.unexplained.nearest is None


def test_what_only_says_that_something_failed_is_no_hint(log, job):
    log.matched(log.says("Process completed with exit code"), "runner-process-exit", rank=Rank.WRAPPER)
    log.matches.clear()
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert said.unexplained is None or said.unexplained.nearest is None


def test_a_failed_log_without_any_error_shape_shows_where_it_stopped(log, job):
    log.says("INFO vLLM is using nccl==2.26.2")
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert line_of(said) == "INFO vLLM is using nccl==2.26.2"
    assert said.unexplained.why == "the last line before the failure"
    assert diagnose(log.reading, log.catalogue, job()).unexplained is None


@pytest.mark.parametrize(
    "text",
    [
        "error: Extra 'vllm' is not defined in the project's optional-dependencies table",
        "cc: error: arm1176jzf-s does not take any feature options",
        "E: Unable to correct problems, you have held broken packages.",
        "ops.cpp:3007: OPS_ASSERT(n_dims == src0->ne[0]) failed",
        "  ● wizard CLI › should create a new project",
        "FAIL: test_copy (test_cuda.TestCuda)",
        "ggml_sycl: can't malloc 3278637056 Bytes memory on device",
        "thread 'main' panicked at src/main.rs:4:5:",
        "D:\\build\\a.cpp(21675): error C2664: cannot convert argument 1",
    ],
)
def test_a_cut_log_shows_what_a_tool_announced_as_a_hint(log, job, text):
    log.says("Reading package lists... Done")
    log.says(text)
    log.says("main: error: unable to load model")
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert line_of(said) == text


@pytest.mark.parametrize(
    "text",
    [
        "WARNING: error: cache entry could not be found, ignoring",
        "Adding tests that failed before: none",
        "tests/test_a.py::test_error_message PASSED",
        "0 errors, 3 warnings",
    ],
)
def test_a_cut_log_without_an_announced_error_stays_silent(log, job, text):
    log.says(text)
    assert diagnose(log.reading, log.catalogue, job()).unexplained is None


def test_a_cut_log_that_went_on_for_long_after_an_error_stays_silent(log, job):
    log.says("error: could not reach the cache")
    log.says("step 1000 loss 2.1", at=90)
    assert diagnose(log.reading, log.catalogue, job()).unexplained is None


def test_an_error_beside_which_a_loop_waits_was_survived(log, job):
    log.says("Found a job of that name, sleeping for 30 seconds...")
    log.says("error: no name was specified")
    log.says("No job exists any more.")
    assert diagnose(log.reading, log.catalogue, job()).unexplained is None


def test_where_the_runner_reached_its_end_without_reporting_an_error_none_is_shown(log, job):
    tests = StepSpan(1, "Run tests", 1, 2)
    end = StepSpan(2, "Complete job", 3, 3)
    log.says("error: no test driver configured", step=tests, at=1)
    log.says("Cleaning up orphan processes", step=end, at=3)
    assert diagnose(replace(log.reading, steps=(tests, end)), log.catalogue, job()).unexplained is None
    assert diagnose(replace(log.reading, steps=(tests,)), log.catalogue, job()).unexplained is not None


@pytest.mark.parametrize("after", ["the loss left its corridor", "cannot go on: the loss left its corridor"])
def test_pips_heading_over_conflicts_is_never_the_best_line(log, job, after):
    log.says(
        "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed."
    )
    log.says("Successfully installed train-1.0")
    log.says(after)
    log.exits()
    assert "resolver" not in line_of(diagnose(log.reading, log.catalogue, job()))


def test_what_deepspeed_tries_out_is_not_the_best_line(log, job):
    log.says("/usr/bin/ld: cannot find -laio: No such file or directory")
    log.says("collect2: error: ld returned 1 exit status")
    log.says("the loss left its corridor: cannot go on")
    log.exits()
    assert line_of(diagnose(log.reading, log.catalogue, job())) == "the loss left its corridor: cannot go on"


@pytest.mark.parametrize(
    ("hollow", "cause"),
    [
        ("exceptiongroup.ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)", "OSError: bad shard"),
        ("npm error code EINVALIDTAGNAME", 'npm error Invalid tag name "a > b" of package "a > b"'),
    ],
)
def test_a_heading_over_what_went_wrong_loses(log, job, hollow, cause):
    log.says(hollow)
    log.says(cause)
    log.exits()
    assert line_of(diagnose(log.reading, log.catalogue, job())) == cause


def test_an_error_without_its_traceback_beats_a_traceback_that_ends_in_a_hollow_one(log, job):
    log.says("KeyError: 'layers.23.wqkv'", at=1)
    log.traceback(log.says("RuntimeError: Engine process failed to start", at=9), "RuntimeError")
    log.exits()
    assert line_of(diagnose(log.reading, log.catalogue, job())) == "KeyError: 'layers.23.wqkv'"
