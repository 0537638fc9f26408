from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.logs.lines import LONGEST_TEXT, Seen, last_stamp, parse, time_of
from triage.model.log import LineKind

STAMP = b"2026-08-20T03:11:42.1425265Z "


@given(st.binary(max_size=200))
def test_the_text_is_a_part_of_the_line(line: bytes) -> None:
    assert parse(line).text in line


@pytest.mark.parametrize(
    ("line", "stream", "text"),
    [
        (b"(WorkerDict pid=123, ip=10.0.0.1) boom", "WorkerDict pid=123, ip=10.0.0.1", b"boom"),
        (b"(raylet) node died", "raylet", b"node died"),
        (b"(raylet, ip=10.0.0.1) x", "raylet, ip=10.0.0.1", b"x"),
        (b"(autoscaler +12s) Adding", "", b"Adding"),
        (b"(client +5.2s) Job submitted", "", b"Job submitted"),
        (b"(client) [job-logs] ValueError: x", "client", b"ValueError: x"),
        (b"(optional) a note", "", b"(optional) a note"),
        (
            b"4.974       ModuleNotFoundError: No module named 'torch'",
            "",
            b"      ModuleNotFoundError: No module named 'torch'",
        ),
        (b"63.72 ERROR: Failed to build", "", b"ERROR: Failed to build"),
        (b"0.953 accuracy of the second run", "", b"0.953 accuracy of the second run"),
        (b"4.974 12.31 0.125", "", b"4.974 12.31 0.125"),
        (
            b"2026-11-25 12:44:20,291 - engine - INFO - Traceback (most recent call last):",
            "",
            b"Traceback (most recent call last):",
        ),
        (b"2026-11-25 12:44:20,291 - INFO - child: IndexError: out of range", "", b"IndexError: out of range"),
        (b"2026-11-25 12:44:20,291 - train - INFO - step 3", "", b"2026-11-25 12:44:20,291 - train - INFO - step 3"),
        (b"(pid=77) x", "pid=77", b"x"),
        (b"(VllmWorker rank=1 pid=23) x", "VllmWorker rank=1 pid=23", b"x"),
        (
            b"(EngineCore_DP0 pid=34) ERROR 07-31 15:52:26 [core.py:708] Traceback",
            "EngineCore_DP0 pid=34",
            b"Traceback",
        ),
        (b"(main pid=1) (EngineCore_0 pid=2) x", "main pid=1 EngineCore_0 pid=2", b"x"),
        (b"(PolicyWorker[rank=3] pid=12) boom", "PolicyWorker[rank=3] pid=12", b"boom"),
        (b"(WorkerDict pid=1) [rank3]: x", "WorkerDict pid=1 rank3", b"x"),
        (b"ERROR 07-31 15:52:26 core.py:708] x", "", b"x"),
        (b"ERROR: 07-31 is no date", "", b"ERROR: 07-31 is no date"),
        (b"[rank0]: ValueError: x", "rank0", b"ValueError: x"),
        (b"[RLTrainer-0/2] ValueError: x", "RLTrainer-0/2", b"ValueError: x"),
        (b"[Epoch-1/3] loss 1", "", b"[Epoch-1/3] loss 1"),
        (b"[rank1]:[E1130 16:26:06 a.cpp:1] x", "rank1", b"[E1130 16:26:06 a.cpp:1] x"),
        (b"[default7]:text", "default7", b"text"),
        (b"[2026-01-31 10:00:00 TP1] Scheduler hit", "TP1", b"Scheduler hit"),
        (b"[2026-01-31 10:00:00 DP0 TP1] x", "DP0 TP1", b"x"),
        (b"#10 1.515 ERROR: x", "#10", b"ERROR: x"),
        (b"[2026-05-23T04:39:51Z] NotImplementedError: x", "", b"NotImplementedError: x"),
        (b"[2026-05-23] x", "", b"[2026-05-23] x"),
        (b"[2026-01-31 10:00:00] NotImplementedError", "", b"NotImplementedError"),
        (b"[2026-01-31 10:00:00,123] x", "", b"x"),
        (b"[2026-01-31 10:00:00,123 E 41 42] x", "", b"[2026-01-31 10:00:00,123 E 41 42] x"),
        (b"  | [2026-05-23T04:39:51Z] E           KeyError: x", "", b"KeyError: x"),
        (b"\xc2\xa0 | [2026-05-23T04:39:51Z] x", "", b"x"),
        (b"  | x", "", b"  | x"),
        (b"Apr  3 17:38:57 serve[140343]: x", "serve[140343]", b"x"),
        (b"Apr  3 17:38:57 node-52 serve[140343]: (Worker rank=3 pid=1) x", "serve[140343] Worker rank=3 pid=1", b"x"),
        (b"Apr  3 17:38:57 x: y", "", b"x: y"),
        (b"engine-1  | [rank0]: x", "engine-1 rank0", b"x"),
        (b"engine | x", "", b"engine | x"),
        (b"stderr: [rank0]: x", "stderr rank0", b"x"),
        (b"stderr:x", "", b"stderr:x"),
        (b"21:14:00 FAIL: test_copy", "", b"FAIL: test_copy"),
        (b"21:14:00,123 x", "", b"21:14:00,123 x"),
        (b"E       AssertionError: x", "", b"AssertionError: x"),
        (b"f() (not a prefix) x", "", b"f() (not a prefix) x"),
        (b"(see the notes) x", "", b"(see the notes) x"),
        (b"oops [repeated 5x across cluster] (Ray deduplicates logs by default.)", "", b"oops"),
        (b"Loading:  50%|##  | 2/4 [00:01<00:01, 1.2it/s]Killed", "", b"Killed"),
    ],
)
def test_prefixes_become_streams(line: bytes, stream: str, text: bytes) -> None:
    parsed = parse(STAMP + line)
    assert (parsed.stream, parsed.text) == (stream, text)
    assert parse(line).text == text


def test_one_stamp_is_taken_off_and_no_more() -> None:
    parsed = parse(STAMP + STAMP + b"x")
    assert parsed.text == STAMP + b"x"
    assert parsed.stamp == STAMP.rstrip()


def test_the_blank_after_the_stamp_goes_and_the_indent_stays() -> None:
    assert parse(STAMP + b"  File").text == b"  File"
    assert parse(STAMP.rstrip()).text == b""


def test_a_bar_is_progress_and_a_sentence_with_a_percentage_is_not() -> None:
    assert parse(b" 50%|##  | 2/4 [00:01<00:01, 1.2it/s]").progress
    assert parse(b"Receiving objects:  50% (1/2)").progress
    assert not parse(b"GPU memory at 50%, giving up").progress


def test_times_are_utc_and_impossible_ones_are_none() -> None:
    assert time_of(b"2026-08-20T03:11:42.1425265Z") == datetime(2026, 8, 20, 3, 11, 42, 142526, UTC)
    assert time_of(b"2026-99-99T03:11:42Z") is None
    assert time_of(b"") is None


def test_the_last_stamp_is_found_above_lines_without_one() -> None:
    shown = STAMP + b"message\nmore Z of it\nand more\n"
    assert last_stamp(shown, 0, len(shown)) == STAMP.rstrip()
    assert last_stamp(b"no\nstamp\n", 0, 9) == b""


def test_what_is_kept_of_a_long_text_holds_the_place() -> None:
    text = b"x" * 50_000 + b"HERE" + b"y" * 50_000
    kept = Seen(1, 0, parse(text)).kept(50_000)
    assert b"HERE" in kept.parsed.text
    assert len(kept.parsed.text) == LONGEST_TEXT


def test_marker_lines_are_markers() -> None:
    assert Seen(1, 0, parse(b"##[error]boom")).kind is LineKind.MARKER
    assert Seen(1, 0, parse(b"boom")).kind is LineKind.OUTPUT


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"..F.sFatal Python error: Segmentation fault", b"Fatal Python error: Segmentation fault"),
        (b".terminate called after throwing", b"terminate called after throwing"),
        (b"xFatal things", b"xFatal things"),
        (
            b"collecting ... ERROR: not found: /w/tests/test_a.py::test_b",
            b"ERROR: not found: /w/tests/test_a.py::test_b",
        ),
        (b"collecting ... collected 5 items / 1 error", b"collecting ... collected 5 items / 1 error"),
        (b"tests/test_a.py ..sFatal Python error: Aborted", b"Fatal Python error: Aborted"),
        (b"tests/test_a.py::test_b[two words-1] Fatal Python error: Aborted", b"Fatal Python error: Aborted"),
        (b"test_b (tests.test_a.TestA) ... Segmentation fault (core dumped)", b"Segmentation fault (core dumped)"),
        (b"test_b (tests.test_a.TestA) ... ERROR", b"test_b (tests.test_a.TestA) ... ERROR"),
        (b"tests/test_a.py::test_b ERROR    [ 50%]", b"tests/test_a.py::test_b ERROR    [ 50%]"),
        (b"F.s                     [ 12%]", b"F.s                     [ 12%]"),
    ],
)
def test_what_a_test_runner_wrote_before_is_not_part_of_what_a_dying_process_says(line: bytes, text: bytes) -> None:
    assert parse(line).text == text


def test_the_mark_of_a_test_that_could_not_be_set_up_is_no_error_of_pytest() -> None:
    assert not parse(b"E                                   [100%]").pytest
    assert not parse(b"E                                   [  7%]").pytest
    assert parse(b"E       [100] != [101]").pytest


def test_the_level_of_a_parent_that_relays_its_child_is_no_level_of_the_line() -> None:
    relayed = parse(b"2026-11-25 12:44:20,291 - engine - INFO - ERROR 11-25 12:44:20 core.py:3] boom")
    assert relayed.prefix.strip() == b"ERROR 11-25 12:44:20 core.py:3]"


def test_date_and_clock_that_a_relay_sets_before_each_line_are_no_part_of_it() -> None:
    assert parse(b"Jan 07 20:36:55 AssertionError: 11 != 0").text == b"AssertionError: 11 != 0"
    assert parse(b"Jan  7 20:36:55     self.run()").text == b"    self.run()"
    assert parse(b"Jan 07 20:36:55").text == b""
    by_syslog = parse(b"Jan 07 20:36:55 node-1 trainer[77]: boom")
    assert (by_syslog.text, by_syslog.stream) == (b"boom", "trainer[77]")
    assert parse(b"Jan 07 2026 begins a year").text == b"Jan 07 2026 begins a year"
