"""Roots, symptoms, wrappers, edges, ranks and steps: which one is named first, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.replay.running import knowledge
from triage.diagnosis import diagnose
from triage.diagnosis.doubts import SAYS_WHY
from triage.diagnosis.ranking import cause_id
from triage.model.log import Confidence, FailedRank, StepSpan
from triage.model.signature import Rank, Scope, Status

TRAIN = StepSpan(4, "Train", 10, 90, "failure")
PREPARE = StepSpan(3, "Prepare", 1, 9, "success")


def test_a_root_comes_before_an_earlier_symptom(log, job):
    log.matched(log.says("Watchdog caught collective operation timeout"), "watchdog", Rank.SYMPTOM)
    log.matched(log.says("CUDA out of memory. Tried to allocate 2.00 GiB"), "oom")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "oom"
    assert cause.reason == "a root comes before symptoms"
    assert [each.signature for each in cause.consequences] == ["watchdog"]


def test_a_wrapper_alone_is_no_cause_but_leaves_a_place_to_look(log, job):
    log.matched(log.says("RuntimeError: Engine core initialization failed."), "engine-dead", Rank.WRAPPER)
    log.exits()
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert said.unexplained is not None


def test_a_client_that_lost_its_server_follows_from_what_the_server_had_raised(whole):
    server = (
        "Traceback (most recent call last):\n"
        '  File "/w/serve/step.py", line 9, in step\n    assert edge.byte is not None\nAssertionError\n\n'
    )
    client = (
        "Traceback (most recent call last):\n"
        '  File "/w/bench.py", line 3, in ask\n    raise RemoteDisconnected("closed")\n'
        "http.client.RemoteDisconnected: Remote end closed connection without response\n"
    )
    (said,) = whole(server + client)
    cause = said.causes[0]
    assert (cause.signature, cause.line.number) == ("python-code-error", 4)
    assert cause.reason.startswith("a client lost its server only after it")
    (said,) = whole(client + "\n" + server)
    assert said.causes[0].signature == "connection-failed"


def test_the_earlier_of_two_roots_is_first(log, job):
    log.matched(log.says("Bus error"), "bus")
    log.matched(log.says("OSError: address already in use"), "port")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "bus"
    assert cause.reason == "it is the earliest of those that matched"


def test_an_edge_beats_place_and_rank(log, job):
    log.matched(log.says("NCCL error: unhandled system error"), "nccl")
    log.matched(log.says("uncorrectable ECC error encountered"), "ecc", explains=("nccl",))
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "ecc"
    assert cause.reason == "it explains nccl (line 1)"


def test_edges_are_followed_through_signatures_that_did_not_match(log, job):
    log.matched(log.says("never printed"), "middle", explains=("nccl",))
    log.matches.clear()
    log.matched(log.says("NCCL error: unhandled system error"), "nccl")
    log.matched(log.says("uncorrectable ECC error encountered"), "ecc", explains=("middle",))
    log.exits()
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "ecc"


def test_the_same_fingerprint_over_ranks_is_one_cause_that_lists_them(log, job):
    for rank in (3, 0, 1):
        line = log.says("CUDA out of memory. Tried to allocate 2.00 GiB", stream=f"rank{rank}")
        log.matched(line, "oom", captures={"asked": "2.00 GiB"})
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.ranks == (0, 1, 3)
    assert cause.line.stream == "rank3"
    assert "the same on ranks 0, 1, 3" in cause.reason


def test_another_rank_that_fails_differently_later_is_a_consequence(log, job):
    log.matched(log.says("CUDA out of memory", stream="rank0"), "oom")
    log.matched(log.says("Connection reset by peer", stream="rank1"), "reset")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert [each.signature for each in cause.consequences] == ["reset"]


def test_two_tests_that_fail_for_their_own_reasons_are_two_causes(log, job):
    log.says("Traceback (most recent call last):")
    first = log.says("ModuleNotFoundError: No module named 'einops'")
    log.traceback(log.matched(first, "module"), "ModuleNotFoundError", before=1)
    log.says("Traceback (most recent call last):")
    second = log.says("torch.OutOfMemoryError: CUDA out of memory")
    log.traceback(log.matched(second, "oom"), "torch.OutOfMemoryError", before=1)
    log.exits()
    module, oom = diagnose(log.reading, log.catalogue, job()).causes
    assert (module.signature, oom.signature) == ("module", "oom")
    assert oom.reason == "it is independent of the first cause"


def test_a_later_link_of_one_chain_is_no_cause_of_its_own(log, job):
    log.says("Traceback (most recent call last):")
    root = log.says("ImportError: undefined symbol: _ZN3c10")
    log.traceback(log.matched(root, "abi"), "ImportError", before=1)
    log.says("Traceback (most recent call last):")
    end = log.says("AssertionError: flash is registered twice")
    log.traceback(log.matched(end, "assertion"), "AssertionError", chain="context", before=1)
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "abi"


def test_a_line_inside_a_traceback_does_not_come_before_its_error(log, job):
    scoped = Scope(platform=("rocm",))
    log.says("Traceback (most recent call last):")
    log.matched(log.says('  File "custom_all_reduce.py", line 12, in __init__'), "frame")
    error = log.says("AssertionError: libcudart is not loaded in the current process")
    log.traceback(log.matched(error, "error", scope=scoped), "AssertionError", before=2)
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "error"


def test_the_narrower_scope_wins_on_one_line(log, job):
    line = log.says("Failed: Cuda error custom_all_reduce.cuh:455 'invalid argument'")
    log.matched(line, "any-platform")
    log.matched(line, "on-rocm", scope=Scope(platform=("rocm",)))
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.signature == "on-rocm"
    assert cause.consequences == ()


def test_a_known_platform_vetoes_and_says_so(log, job):
    log.probe(log.says("INFO: Automatically detected platform cuda."), "platform_said", platform="cuda")
    log.matched(log.says("HIP error: invalid argument"), "on-rocm", scope=Scope(platform=("rocm",)))
    log.exits()
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert said.notices == ("on-rocm matched line 2, but the platform is cuda",)


def test_a_root_in_a_green_step_wins_over_its_echo_in_the_failed_one(log, job):
    log.matched(log.says("CUDA out of memory", step=PREPARE), "oom", explains=("missing",))
    log.matched(log.says("results file is missing", step=TRAIN), "missing")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert cause.signature == "oom"


def test_a_root_in_a_green_step_that_explains_nothing_loses_to_a_symptom_in_the_failed_one(log, job):
    log.matched(log.says("main.py:2:1: D400 First line should end with a period", step=PREPARE), "lint")
    log.matched(log.says("FAILED tests/test_core.py::test_urls", step=TRAIN), "tests", Rank.SYMPTOM)
    log.exits()
    assert diagnose(log.reading, log.catalogue, job("failure")).causes[0].signature == "tests"


def test_a_root_in_a_green_step_is_not_lost_when_the_failed_one_says_nothing(log, job):
    log.matched(log.says("CUDA out of memory", step=PREPARE), "oom")
    log.says("checking results", step=TRAIN)
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (cause.signature, cause.confidence, cause.reason) == (
        "oom",
        Confidence.LOW,
        "although its step did not fail",
    )


def test_a_root_in_the_failed_step_wins_over_an_earlier_one_in_a_green_step(log, job):
    log.matched(log.says("No matching distribution found for extras", step=PREPARE), "dist")
    log.matched(log.says("CUDA out of memory", step=TRAIN), "oom")
    log.exits()
    first = diagnose(log.reading, log.catalogue, job("failure")).causes[0]
    assert first.signature == "oom"
    assert first.reason == "the other matches are weaker: its step did not fail"


def test_what_was_printed_as_a_warning_is_weaker_than_what_was_not(log, job):
    log.matched(log.says("WARNING 04-16 Failed to import: No module named 'flash_attn'"), "module")
    log.matched(log.says("RuntimeError: CUDA error: an illegal memory access"), "ima")
    log.exits()
    assert diagnose(log.reading, log.catalogue, job()).causes[0].signature == "ima"


def test_a_symptom_after_an_unknown_exception_is_not_named(log, job):
    log.traceback(log.says("ValueError: frobnication refused", stream="rank0", at=5), "ValueError")
    log.matched(log.says("Watchdog caught collective operation timeout", stream="rank1"), "watchdog", Rank.SYMPTOM)
    log.exits()
    said = diagnose(log.reading, log.catalogue, job())
    assert said.causes == ()
    assert said.unexplained is not None
    assert said.unexplained.line.text == "ValueError: frobnication refused"


def test_process_clocks_settle_lines_that_arrived_together(log, job):
    stamp = datetime(2026, 8, 20, 3, 11, 44, tzinfo=UTC)
    late = replace(log.says("2026-08-20 03:11:44 peer closed", stream="rank0"), time=stamp)
    early = replace(log.says("2026-08-20 03:11:41 out of memory", stream="rank1"), time=stamp.replace(second=45))
    log.matched(late, "peer")
    log.matched(early, "oom")
    log.exits()
    first = diagnose(log.reading, log.catalogue, job()).causes[0]
    assert first.signature == "oom"
    assert first.reason == "its process's clock is the earliest"


def test_torchrun_settles_what_clocks_cannot(log, job):
    log.matched(log.says("peer closed", stream="rank0"), "peer")
    log.matched(log.says("out of memory", stream="rank1"), "oom")
    log.extra["failed_ranks"] = (FailedRank(0, 1, root=False), FailedRank(1, 1, root=True))
    log.exits()
    first = diagnose(log.reading, log.catalogue, job()).causes[0]
    assert first.signature == "oom"
    assert first.reason == "torchrun names its rank as the first that failed"


def test_in_a_log_that_prints_newest_lines_first_the_root_is_the_last_one(log, job):
    for minute in range(9, 0, -1):
        log.says(f"2026-08-20 03:0{minute}:00 something", at=20 - 2 * minute)
    log.matched(log.says("2026-08-20 03:00:40 NCCL error: remote process exited", at=21), "nccl")
    log.matched(log.says("2026-08-20 03:00:20 CUDA out of memory", at=22), "oom")
    log.extra["suspects"] = tuple(log.lines)
    assert diagnose(log.reading, log.catalogue, job("failure")).causes[0].signature == "oom"


def test_confidence_follows_status_and_certainty(log, job):
    log.matched(log.says("CUDA out of memory"), "oom")
    assert diagnose(log.reading, log.catalogue, job()).causes[0].confidence is Confidence.MEDIUM
    assert diagnose(log.reading, log.catalogue, job("failure")).causes[0].confidence is Confidence.HIGH
    log.matched(log.lines[0], "oom", status=Status.EXPERIMENTAL)
    log.matches.pop()
    assert diagnose(log.reading, log.catalogue, job("failure")).causes[0].confidence is Confidence.MEDIUM


def test_the_id_of_a_cause_is_the_same_in_every_job():
    assert cause_id("module", ()) == "module"
    assert cause_id("module", (("name", "cv2"),)) == cause_id("module", (("name", "cv2"),)) != cause_id("module", ())
    assert cause_id("module", (("name", "cv2"),)) != cause_id("module", (("name", "yaml"),))


def test_a_check_that_failed_in_another_failed_step_is_a_cause_of_its_own(log, job):
    build, tests = StepSpan(3, "Build image", 1, 1, "failure"), StepSpan(4, "Run tests", 2, 9, "failure")
    log.matched(log.says("denied: installation not allowed to create package", step=build), "denied")
    log.matched(log.says("FAILED tests/test_core.py::test_urls", step=tests), "tests", Rank.SYMPTOM)
    log.signatures["tests"] = replace(log.signatures["tests"], family="pytest-failure")
    log.matched(log.says("peer closed", step=tests), "peer", Rank.SYMPTOM)
    log.exits()
    denied, failed = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (denied.signature, failed.signature) == ("denied", "tests")
    assert [each.signature for each in failed.consequences] == ["peer"]


def test_a_check_is_shown_at_the_exception_that_it_caught(log, job):
    log.says("Traceback (most recent call last):")
    error = log.traceback(log.says("AssertionError: 13348.1 not greater than or equal to 13596.0"), "AssertionError")
    log.matched(log.says("FAILED tests/test_core.py::test_urls"), "tests", Rank.SYMPTOM)
    log.signatures["tests"] = replace(log.signatures["tests"], family="pytest-failure")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (cause.signature, cause.line) == ("tests", error)


@pytest.mark.parametrize("verdict", sorted(SAYS_WHY))
def test_a_check_that_says_why_is_not_shown_at_another_tests_exception(log, job, verdict):
    log.says("Traceback (most recent call last):")
    log.traceback(log.says("RuntimeError: scope left in a different task"), "RuntimeError")
    line = log.says("E       fixture 'client' not found")
    log.matched(line, verdict, Rank.SYMPTOM)
    log.signatures[verdict] = replace(log.signatures[verdict], family="pytest-failure")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (cause.signature, cause.line) == (verdict, line)


def test_checks_that_say_why_are_in_the_catalogue():
    signatures = knowledge().catalogue.signatures
    assert {signatures[each].rank for each in SAYS_WHY} == {Rank.SYMPTOM}


def test_an_unknown_error_in_the_failed_step_outweighs_a_known_one_in_a_green_step(log, job):
    log.matched(log.says("CUDA out of memory", step=PREPARE), "oom")
    unknown = log.traceback(log.says("ValueError: frobnication refused", step=TRAIN, at=20), "ValueError", before=1)
    log.exits()
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert (said.causes, said.unexplained.line) == ((), unknown)


def test_an_unknown_error_in_the_same_green_step_does_not(log, job):
    log.matched(log.says("CUDA out of memory", step=PREPARE), "oom")
    log.traceback(log.says("ValueError: frobnication refused", step=PREPARE, at=5), "ValueError", before=1)
    log.says("checking results", step=TRAIN)
    log.exits()
    assert diagnose(log.reading, log.catalogue, job("failure")).causes[0].signature == "oom"


def test_a_check_that_failed_in_an_earlier_step_comes_before_a_later_steps_root(log, job):
    report = StepSpan(5, "Report", 91, 120, "failure")
    log.matched(log.says("FAILED tests/test_a.py::test_x", step=TRAIN, at=40), "tests", Rank.SYMPTOM)
    log.signatures["tests"] = replace(log.signatures["tests"], family="pytest-failure")
    log.matched(log.says("remote: Permission to example/train denied to bot", step=report, at=100), "credentials")
    said = diagnose(log.reading, log.catalogue, job("failure"))
    assert [cause.signature for cause in said.causes] == ["tests", "credentials"]
    assert said.causes[0].reason.startswith("an earlier step had failed because of it")


def test_a_check_is_shown_at_the_exception_that_its_report_prints_after_the_tests_name(log, job):
    line = log.says("tests/test_a.py::test_x FAILED [ 50%]", at=3)
    log.traceback(log.says("TypeError: no dtypes", at=20), "TypeError")
    log.matched(line, "tests", Rank.SYMPTOM)
    summary = log.says("FAILED tests/test_a.py::test_x - TypeError", at=30)
    log.matches[-1] = replace(log.matches[-1], occurrences=(line, summary))
    log.signatures["tests"] = replace(log.signatures["tests"], family="pytest-failure")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert (cause.signature, cause.line.text) == ("tests", "TypeError: no dtypes")


def test_an_exception_that_was_caught_is_not_sure_when_an_unknown_one_ended_the_program(log, job):
    log.matched(log.says("FileNotFoundError: File not found: model/tokenizer.model", at=5), "missing")
    log.traceback(log.lines[-1], "FileNotFoundError")
    log.traceback(log.says("NotImplementedError: unknown tokenizer", at=12), "NotImplementedError", chain="context")
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert (cause.signature, cause.confidence) == ("missing", Confidence.MEDIUM)
    log.tracebacks[-1] = replace(log.tracebacks[-1], chain="cause")
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.confidence is Confidence.HIGH


def test_a_check_that_heads_a_traceback_is_shown_at_its_error(log, job):
    log.matched(log.says("ERROR: test_broadcast (test_groups.GroupTest)", at=3), "tests", Rank.SYMPTOM)
    log.signatures["tests"] = replace(log.signatures["tests"], family="pytest-failure")
    log.traceback(log.says("RuntimeError: Processes 0 2 exited with error code 10", at=12), "RuntimeError", before=7)
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job()).causes
    assert cause.line.number == 12


def test_evidence_that_says_not_which_side_is_wrong_names_no_sure_cause(log, job):
    log.matched(log.says("TypeError: plan() missing 1 argument"), "call", captures={"callable": "plan"})
    log.signatures["call"] = replace(log.signatures["call"], certain=False)
    log.exits()
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert cause.confidence is Confidence.MEDIUM
