"""An exception that no signature knows, where nothing else is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from triage.diagnosis import diagnose
from triage.model.log import Confidence, Frame
from triage.model.signature import Rank


@pytest.fixture
def known(log):
    """The catalogue knows what the code's own errors and failed tests are called; nothing matched them."""
    for name in ("python-code-error", "pytest-test-failed", "settings-refused", "feature-not-on-this-gpu"):
        log.matched(log.says(name), name, Rank.SYMPTOM)
    log.matches.clear()
    log.lines.clear()
    return log


def test_it_is_an_error_of_the_code_with_low_confidence(known, job):
    known.traceback(known.says("ValueError: Can not map tensor 'mlp.0.bias'", at=5), "ValueError")
    known.exits()
    said = diagnose(known.reading, known.catalogue, job())
    (cause,) = said.causes
    assert (cause.signature, cause.line.number, cause.confidence) == ("python-code-error", 5, Confidence.LOW)
    assert cause.captures["error"] == "ValueError"
    assert said.unexplained is None


def test_in_a_report_of_pytest_it_is_a_failed_test(known, job):
    line = known.says("json.decoder.JSONDecodeError: Unterminated string", at=5)
    known.traceback(line, "json.decoder.JSONDecodeError")
    shown = replace(known.tracebacks[0], first=5, frames=(Frame("json/decoder.py", 354, ""),))
    known.tracebacks[:] = [shown]
    known.exits()
    (cause,) = diagnose(known.reading, known.catalogue, job()).causes
    assert cause.signature == "pytest-test-failed"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("RuntimeError", "the device ran out of memory"),
        ("RuntimeError", "Engine process stopped"),
        ("ValueError", "cannot import the plugin"),
        ("ValueError", "the backend gave no answer"),
        ("ClientPayloadError", "not enough data"),
        ("RuntimeError", "failed to compile the kernel"),
        ("RuntimeError", "peer closed the connection"),
        ("OSError", "bad magic"),
        ("TimeoutError", "gave up"),
        ("ValueError", "the answer was not found in the package"),
        ("RuntimeError", "failed to fetch https://files.example/a"),
        ("RuntimeError", "Please set the port: connection refused by peer"),
        ("RuntimeError", "Not enough memory. Please set a smaller fraction"),
        ("ValueError", "Please set a token: permission denied"),
    ],
)
def test_what_is_about_something_else_stays_unknown(known, job, error, message):
    known.traceback(known.says(f"{error}: {message}", at=5), error)
    known.tracebacks[:] = [replace(known.tracebacks[0], message=message)]
    known.exits()
    said = diagnose(known.reading, known.catalogue, job())
    assert not said.causes
    assert said.unexplained is not None


def said_of(known, job, error, message, frames=()):
    known.traceback(known.says(f"{error}: {message}", at=5), error)
    known.tracebacks[:] = [replace(known.tracebacks[0], message=message, frames=frames)]
    known.exits()
    return diagnose(known.reading, known.catalogue, job()).causes


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("ValueError", "--steps must be positive"),
        ("AssertionError", "Does not support prefix-enabled attention."),
        ("ValueError", "The connector requires CACHE_LAYOUT=NHD in the environment"),
        ("RuntimeError", "Please enable dp attention when lm head is split"),
        ("ValueError", "Unknown MoE backend: fancy"),
        ("ml.errors.MisconfigurationException", "no loader was given"),
        ("ValueError", "Unknown lr scheduler: linearr"),
        ("ValueError", "The dispatcher_type alltoalll is invalid"),
        ("ValueError", "Net does not support this attention. Ask for it: https://hub.example/issues/28005."),
        ("ValueError", "Invalid value for 'cache_dtype': fp9"),
        ("ValueError", "load_format must be either 'dummy' or 'auto', but got 'safetensorss'"),
        ("AssertionError", "cannot both be set: chunked context and legacy order"),
        ("ValueError", "Either `train_files` or `train_dataset` must be given."),
        ("AssertionError", "Adapter rank 64 is greater than max_adapter_rank 16."),
        ("ValueError", "No pad token. Set `tokenizer.pad_token = tokenizer.eos_token`"),
        ("ValueError", "Please set the memory fraction, or exit early by subprocess_mode"),
        ("ValueError", "Cannot use the package cache with a read-only hub"),
    ],
)
def test_what_was_asked_for_is_refused(known, job, error, message):
    (cause,) = said_of(known, job, error, message)
    assert (cause.signature, cause.confidence) == ("settings-refused", Confidence.LOW)


@pytest.mark.parametrize(
    ("path", "function"),
    [("train/server_args.py", "f"), ("train/config/model.py", "f"), ("train/loop.py", "__post_init__")],
)
def test_the_function_that_looks_settings_over_tells(known, job, path, function):
    frames = (Frame("train/main.py", 3, "main"), Frame(path, 9, function))
    (cause,) = said_of(known, job, "ValueError", "threads below 1", frames)
    assert cause.signature == "settings-refused"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("ValueError", "unsupported format character"),
        ("ValueError", "Unknown activation function: sofmax"),
        ("RuntimeError", "[22:44:40] /project/cpp/support/guard.h:33: Guard: recursion depth exceeded. Depth: 10001"),
        ("ValueError", "Invalid batch: 7 rows"),
        ("ValueError", "Expected a torch.device with a specified index or an integer, but got:cuda"),
        ("ValueError", "pool memory leak detected! available_size=7"),
        ("RuntimeError", "GET was unable to find an engine to execute this computation"),
        ("RuntimeError", 'a == b INTERNAL ASSERT FAILED at "c10d/Store.cpp":4, please report a bug to PyTorch. ping'),
        ("pydantic_core.ValidationError", "1 validation error for Score"),
    ],
)
def test_what_no_one_asked_for_is_no_setting(known, job, error, message):
    (cause,) = said_of(known, job, error, message)
    assert cause.signature == "python-code-error"


@pytest.mark.parametrize("function", ["check_accuracy", "verify_outputs", "_validate_loss", "check_logprobs_equal"])
def test_a_function_that_looks_results_over_is_about_no_setting(known, job, function):
    frames = (Frame("tools/compare.py", 3, "main"), Frame("tools/compare.py", 9, function))
    (cause,) = said_of(known, job, "AssertionError", "0.41 is below 0.8", frames)
    assert cause.signature == "python-code-error"


@pytest.mark.parametrize(
    "message",
    [
        "the fused gemm requires SM100/SM103",
        "SplitKV not supported on SM 8.0",
        "the kernel is only available on Hopper",
        "compute capability 7.5 is not supported by this format",
    ],
)
def test_what_this_gpu_cannot_do(known, job, message):
    (cause,) = said_of(known, job, "RuntimeError", message)
    assert cause.signature == "feature-not-on-this-gpu"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("ValueError", "Incompatible shapes for broadcasting: shapes=[(640, 3), (640,)]"),
        ("AssertionError", "the backend's tensors must be contiguous"),
        ("AssertionError", "tensor model parallel group is not initialized"),
        ("engine.steering.SteeringVectorError", "payload is no dict"),
        ("NotImplementedError", "write me"),
    ],
)
def test_what_tensors_hold_is_no_setting(known, job, error, message):
    (cause,) = said_of(known, job, error, message)
    assert cause.signature == "python-code-error"


def test_pytest_shows_the_place_far_below_the_error(known, job):
    known.probe(known.says("==== FAILURES ====", at=2), "pytest_section", section="FAILURES")
    known.traceback(known.says("checks.CheckFailed:", at=5), "checks.CheckFailed")
    known.tracebacks[:] = [replace(known.tracebacks[0], first=5, frames=())]
    known.exits()
    (cause,) = diagnose(known.reading, known.catalogue, job()).causes
    assert cause.signature == "pytest-test-failed"


def test_a_client_that_waited_in_vain_is_a_matter_of_the_network(known, job):
    known.matched(known.says("connection-failed"), "connection-failed", Rank.ROOT)
    known.matches.clear()
    known.lines.clear()
    frames = (Frame("/opt/env/lib/python3.11/site-packages/aiohttp/helpers.py", 671, "__exit__"),)
    (cause,) = said_of(known, job, "TimeoutError", "", frames)
    assert (cause.signature, cause.confidence) == ("connection-failed", Confidence.LOW)


def test_nothing_is_named_where_nothing_says_that_the_job_failed(known, job):
    known.traceback(known.says("ValueError: Can not map tensor", at=5), "ValueError")
    assert not diagnose(known.reading, known.catalogue, job("success")).causes


@pytest.fixture
def with_files(known):
    known.matched(known.says("data-file-missing"), "data-file-missing", Rank.ROOT)
    known.matches.clear()
    known.lines.clear()
    return known


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("the rows of run 7 are gone from /data/run7/rows.bin", "/data/run7/rows.bin"),
        ("cannot proceed without 'pool/meta/rows.idx'.", "pool/meta/rows.idx"),
    ],
)
def test_a_file_that_the_program_misses_is_missing_data(with_files, job, message, path):
    with_files.traceback(with_files.says(f"FileNotFoundError: {message}", at=5), "FileNotFoundError")
    with_files.tracebacks[:] = [replace(with_files.tracebacks[0], message=message)]
    with_files.exits()
    (cause,) = diagnose(with_files.reading, with_files.catalogue, job()).causes
    assert (cause.signature, cause.confidence) == ("data-file-missing", Confidence.LOW)
    assert cause.captures == {"path": path}


@pytest.mark.parametrize("message", ["no module at train/main.py", "nothing at /usr/bin/strange", "it went wrong"])
def test_a_program_that_is_missing_is_no_data(with_files, job, message):
    with_files.traceback(with_files.says(f"FileNotFoundError: {message}", at=5), "FileNotFoundError")
    with_files.tracebacks[:] = [replace(with_files.tracebacks[0], message=message)]
    with_files.exits()
    assert diagnose(with_files.reading, with_files.catalogue, job()).causes == ()


def test_what_python_ignored_is_no_cause(known, job):
    known.traceback(known.says("ValueError: Can not map tensor 'mlp.0.bias'", at=5), "ValueError")
    known.tracebacks[:] = [replace(known.tracebacks[0], ignored=True)]
    known.exits()
    assert diagnose(known.reading, known.catalogue, job()).causes == ()
