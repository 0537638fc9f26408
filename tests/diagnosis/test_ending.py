"""A log in which nothing failed yields nothing; a log that failed is never taken for a healthy one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triage.diagnosis import diagnose
from triage.diagnosis.ending import mild
from triage.model.log import Confidence, Frame, Line, StepSpan
from triage.model.signature import Rank


def silent(said):
    return said.causes == () and said.unexplained is None


def test_a_job_that_succeeded_is_silent_whatever_it_printed(log, job):
    log.matched(log.says("RuntimeError: CUDA out of memory"), "oom")
    assert silent(diagnose(log.reading, log.catalogue, job("success")))


def test_errors_before_a_successful_install_are_silent(log, job):
    log.says("ERROR: pip's dependency resolver does not currently take into account all the packages")
    log.matched(log.says("trainer 1.0 requires numpy<2"), "resolver")
    log.probe(log.says("Successfully installed numpy-2.1.0"), "installed", list="numpy-2.1.0")
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_a_failure_after_the_install_is_not(log, job):
    log.probe(log.says("Successfully installed numpy-2.1.0"), "installed", list="numpy-2.1.0")
    log.matched(log.says("ModuleNotFoundError: No module named 'cv2'"), "module")
    log.traceback(log.lines[-1], "ModuleNotFoundError", before=0)
    assert diagnose(log.reading, log.catalogue, job()).causes


def test_an_ignored_import_error_of_a_healthy_start_is_silent(log, job):
    log.matched(log.says("Ignore import error when loading models.glm: No module named 'glm'"), "module")
    log.says("Loading safetensors checkpoint shards")
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_a_complaint_that_a_long_healthy_log_follows_is_silent(log, job):
    log.matched(log.says("npu-smi: command not found"), "command")
    log.says("No job exists.", at=400)
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_the_same_complaint_at_the_end_is_named(log, job):
    log.matched(log.says("nvcc: command not found", at=399), "command")
    log.says("", at=400)
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "command"


@pytest.mark.parametrize(("length", "expected"), [(40, Confidence.HIGH), (200, Confidence.MEDIUM)])
def test_an_exception_that_a_long_log_outlived_is_not_sure_to_have_ended_it(log, job, length, expected):
    log.traceback(log.matched(log.says("ModuleNotFoundError: No module named 'timm'", at=20), "module"), "ImportError")
    log.says("fetched 110 of 110", at=length)
    assert diagnose(log.reading, log.catalogue, job()).causes[0].confidence is expected


def test_the_runners_error_says_that_an_outlived_exception_ended_it(log, job):
    log.traceback(log.matched(log.says("ModuleNotFoundError: No module named 'timm'", at=20), "module"), "ImportError")
    log.probe(log.says("##[error]Process completed with exit code 1.", at=200), "runner_error")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].confidence is Confidence.HIGH


def test_a_server_that_came_up_survived_the_exceptions_before_it(log, job):
    log.traceback(log.matched(log.says("ModuleNotFoundError: No module named 'timm'", at=20), "module"), "ImportError")
    log.probe(log.says("To see the GUI go to: http://127.0.0.1:8188", at=40), "served")
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_a_server_that_came_up_does_not_hide_what_is_no_exception(log, job):
    log.matched(log.says("ERROR: [Errno 98] address already in use"), "port")
    log.probe(log.says("Uvicorn running on http://0.0.0.0:8080"), "served")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "port"


def test_captured_output_of_a_passing_test_is_no_evidence(log, job):
    log.probe(log.says("=== FAILURES ==="), "pytest_section", section="FAILURES")
    log.traceback(log.says("E   AssertionError: Tensor-likes are not close!", at=4), "AssertionError")
    log.probe(log.says("=== PASSES ==="), "pytest_section", section="PASSES")
    log.matched(log.says("got the error: CUDA out of memory. Tried to allocate 9.00 GiB"), "oom")
    log.probe(log.says("=== short test summary info ==="), "pytest_section", section="short test summary info")
    log.probe(log.says("=== 1 failed, 2 passed in 5.60s ==="), "tests_failed", failed="1")
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert said.unexplained is not None
    assert said.unexplained.line.number == 4


def test_what_fails_behind_the_end_of_a_green_session_is_no_warning_of_it(log, job):
    log.probe(log.says("=== warnings summary ==="), "pytest_section", section="warnings summary")
    log.probe(log.says("3604 passed, 61 skipped, 214 warnings in 611.40s (0:10:11)"), "succeeded")
    log.traceback(log.matched(log.says("ModuleNotFoundError: No module named 'timm'"), "module"), "ModuleNotFoundError")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "module"


def test_a_nonzero_exit_code_inside_a_warning_is_no_failure(log, job):
    line = log.says("##[warning]The process '/usr/bin/git' failed with exit code 128")
    log.probe(line, "exit_code", code="128")
    log.matched(log.says("INFO HF_HUB_OFFLINE is True"), "offline", Rank.ROOT)
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_exit_code_zero_is_no_failure(log, job):
    log.probe(log.says("Process exited with code 0"), "exit_code", code="0")
    assert silent(diagnose(log.reading, log.catalogue, job()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WARNING 04-16 23:50:04 utils.py:50] something broke", True),
        ("##[warning]Cache service failed", True),
        ("[W226 12:24:24.546735073 ProcessGroupNCCL.cpp:1496] destroy_process_group() was not called", True),
        ("UserWarning: resource_tracker: There appear to be 1 leaked objects", True),
        ("error: could not reach the mirror, retrying in 5 seconds", True),
        ("ModuleNotFoundError: No module named 'retrying'", False),
        ("Skipping import of cpp extensions: undefined symbol", True),
        ("/usr/bin/ld: cannot find -laio: No such file or directory", True),
        ("LINK : fatal error LNK1181: cannot open input file 'cufile.lib'", True),
        ("ERROR: pip's dependency resolver does not currently take into account all the packages", True),
        ("/usr/bin/ld: cannot find -lcuda: No such file or directory", False),
        ("LINK : fatal error LNK1181: cannot open input file 'cudart.lib'", False),
        ("ERROR 04-16 23:50:04 [core.py:386] ValueError: no memory", False),
        ("host:1:2 [0] misc/socket.cc NCCL WARN Cuda failure 700", False),
        ("##[error]Process completed with exit code 1.", False),
        ("torch.OutOfMemoryError: CUDA out of memory", False),
        ("RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)", False),
        ("ValueError: falling back to eager mode is not supported", False),
        ("Exception ignored in: <function S3Connector.__del__ at 0x7f>", True),
        ("/opt/" + "deep/" * 30 + "training.py:64: FutureWarning: `tokenizer` is deprecated and removed", True),
    ],
)
def test_mild_words(text, expected):
    assert bool(mild(Line(1, text))) is expected


def test_only_the_last_of_several_runs_in_one_file_counts(log, job):
    log.matched(log.says("SyntaxError: invalid syntax"), "syntax")
    log.probe(log.says("tail: api.log: file truncated"), "run_separator")
    log.matched(log.says("ERROR: [Errno 98] address already in use"), "port")
    said = diagnose(log.reading, log.catalogue, job())
    assert [cause.signature for cause in said.causes] == ["port"]
    assert said.notices == ("the log holds several runs: only what follows line 2 counts",)


def test_the_same_failure_in_every_run_is_shown_where_the_last_run_met_it(log, job):
    first = log.says("ERROR: [Errno 98] address already in use")
    log.probe(log.says("tail: api.log: file truncated"), "run_separator")
    last = log.says("ERROR: [Errno 98] address already in use")
    log.matched(first, "port")
    log.matches[0] = replace(log.matches[0], occurrences=(first, last), hits=2)
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.line.number == 3


def test_scripts_that_died_of_many_different_errors_were_many_runs(log, job):
    for name in ("KeyError", "ValueError", "TypeError", "OSError", "NameError", "IndexError"):
        log.says("Traceback (most recent call last):")
        error = log.matched(log.says(f"{name}: no"), name.lower())
        log.traceback(error, name, before=1, frames=(Frame("train.py", 3, "<module>"),))
    assert [cause.signature for cause in diagnose(log.reading, log.catalogue, job()).causes] == ["indexerror"]


def test_the_runners_errors_tell_which_steps_failed(log, job):
    lint, tests = StepSpan(0, "Run flake8", 1, 2), StepSpan(0, "Run pytest", 3, 9)
    log.extra["steps"] = (lint, tests)
    log.matched(log.says("main.py:2:1: D400", step=lint), "lint")
    log.matched(log.says("FAILED tests/test_core.py::test_urls", step=tests, at=3), "tests")
    log.exits()
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "tests"


def test_a_warning_is_not_named_as_the_cause_of_a_failure_that_nothing_explains(log, job):
    log.matched(log.says("WARNING: Ignore import error: No module named 'glm'"), "module")
    log.says("step 1 done")
    log.exits()
    assert diagnose(log.reading, log.catalogue, job("failure")).causes == ()


def test_what_was_tried_again_until_it_failed_is_named(log, job):
    log.matched(log.says("WARNING: Retrying (Retry(total=0)) after connection broken"), "index", explains=("dist",))
    log.matched(log.says("ERROR: No matching distribution found for x"), "dist")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (cause.signature, cause.confidence.value) == ("index", "medium")


def test_what_reports_no_trouble_is_named_where_that_is_what_its_signature_is_about(log, job):
    stuck = log.matched(log.says("INFO generating GPU P2P access cache in /root/.cache"), "stuck")
    log.exits()
    assert diagnose(log.reading, log.catalogue, job("failure")).causes == ()
    log.signatures["stuck"] = replace(log.signatures["stuck"], examples_match=(stuck.text,))
    assert [cause.signature for cause in diagnose(log.reading, log.catalogue, job("failure")).causes] == ["stuck"]


@pytest.mark.parametrize(
    "text",
    [
        "##[warning]You are running out of disk space. The runner will stop working. Free space left: 0 MB",
        "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "INFO dynamo_engine_vllm::worker: VLLM: Failed: /workspace/csrc/custom_all_reduce.cuh:368 'invalid argument'",
        "INFO worker: Failed: Cuda error /workspace/csrc/custom_all_reduce.cuh:368 'invalid argument'",
    ],
)
def test_neither_advice_nor_who_relays_it_makes_an_error_mild(text):
    assert mild(Line(1, text)) == ""


def test_a_hang_is_named_when_the_log_stops_there_and_not_when_it_goes_on(log, job):
    log.matched(log.says("INFO vLLM is using nccl==2.26.2"), "stuck", Rank.SYMPTOM)
    log.signatures["stuck"] = replace(log.signatures["stuck"], family="hang")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "stuck"
    log.says("INFO step 400: loss 0.1", at=400)
    assert silent(diagnose(log.reading, log.catalogue, job()))


def test_an_install_that_went_well_says_nothing_of_what_follows_it(log, job):
    log.probe(log.says("Successfully installed numpy-2.1.0"), "installed", list="numpy-2.1.0")
    log.matched(log.says("RuntimeError: NCCL error: unhandled system error"), "nccl")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "nccl"


@pytest.mark.parametrize("end", ["(expected)", "(expected by the test)", "(this is expected)"])
def test_an_exception_that_a_test_provoked_is_mild(end):
    assert mild(Line(1, f"ray.exceptions.ActorDiedError: The actor died unexpectedly. {end}"))


def test_an_exception_that_speaks_of_what_was_expected_is_not():
    assert not mild(Line(1, "ValueError: wrong number of columns (expected 3)"))
    assert not mild(Line(1, "ValueError: the value (expected) is absent"))


def test_an_exception_of_another_name_is_known_by_the_module_that_defines_it():
    told = "current transaction is aborted, commands ignored until end of transaction block"
    assert not mild(Line(1, f"store.errors.InFailedTransaction: {told}"))
    assert not mild(Line(1, "torch._inductor.exc.TritonMissing: no triton, falling back is impossible"))
    assert mild(Line(1, "store.errors: optional table is absent, ignored"))


def test_tests_that_pass_do_not_outweigh_the_coverage_that_they_miss(log, job):
    missed = log.says("FAIL Required test coverage of 90% not reached. Total coverage: 35.31%")
    log.probe(missed, "tests_failed")
    log.matched(missed, "coverage", rank=Rank.SYMPTOM)
    log.probe(log.says("=============== 14 passed, 33 deselected in 14.08s ==============="), "succeeded")
    assert [each.signature for each in diagnose(log.reading, log.catalogue, job()).causes] == ["coverage"]


def test_what_destructors_raise_at_the_end_of_a_good_run_is_no_failure(log, job):
    for episode in range(40):
        log.says(f"saved episode {episode}")
    log.says("Exception ignored in: <function Context.__del__ at 0x7f>")
    log.traceback(log.says("egl.errors.EGLError: not initialized"), "egl.errors.EGLError", ignored=True)
    for _ in range(70):
        log.says("cleaning up")
    log.says("[2026-06-14 02:51:05] [finished]")
    assert silent(diagnose(log.reading, log.catalogue, job()))
