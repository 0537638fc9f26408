"""How far the work had come when its time was over."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.diagnosis.progress import progress_of, time_signs
from triage.model.log import Line

START = datetime.fromisoformat("2026-11-20T04:00:00+00:00")


def lines(*said: tuple[float, str]) -> list[Line]:
    """Minutes and text; without a stamp below 0."""
    stamps = (START + timedelta(minutes=at) if at >= 0 else None for at, _ in said)
    return [Line(number, text, time=time) for number, ((_, text), time) in enumerate(zip(said, stamps, strict=True), 1)]


@pytest.mark.parametrize(
    ("text", "done", "total"),
    [
        ("========================= Step 18/30 =========================", 18, 30),
        ("iteration 40 of 200", 40, 200),
        ("(TaskRunner pid=7) Training Progress:   0%|          | 10/7000 [31:50<371:42:11, 191.4s/it]", 10, 7000),
        ("epoch: 1 step: 12/400 loss: 0.3", 12, 400),
    ],
)
def test_a_line_that_counts_steps_is_read(text: str, done: int, total: int) -> None:
    found = progress_of(lines((-1, text)))
    assert found is not None
    assert (found.done, found.total, found.left) == (done, total, -1)


@pytest.mark.parametrize(
    "text",
    ["#14 [stage 4/31] RUN apt update", "Loading checkpoint shards: 3/30", "tests 3/30", "step 31/30", "Step 0/30"],
)
def test_what_counts_no_steps_is_no_progress(text: str) -> None:
    assert progress_of(lines((0, text))) is None


def test_the_speed_is_that_of_the_steps_between_two_lines() -> None:
    found = progress_of(lines((10, "Step 1/30"), (30, "Step 11/30"), (31, "loss 0.1")))
    assert found is not None
    assert found.left == pytest.approx(38)


def signs(minutes: float, *said: tuple[float, str]) -> set[str]:
    before = lines(*said)
    return set(time_signs(lines((minutes, "over"))[0], before, progress_of(before), minutes))


def test_a_job_that_printed_nothing_for_most_of_its_time_was_silent() -> None:
    assert signs(60, (20, "collected 3 items")) == {"silent"}
    assert signs(60, (50, "collected 3 items")) == set()
    # A last flush at the end is no sign of work.
    assert signs(60, (20, "collected 3 items"), (59.9, "still running")) == {"silent"}
    # What only waits does no work.
    waits = "(APIServer pid=1890) DEBUG Waiting for 1 local, 0 remote core engine proc(s) to start."
    assert signs(60, (20, "collected 3 items"), (35, waits), (50, waits)) == {"silent"}
    assert signs(60, (20, waits), (35, waits), (50, "test_a PASSED")) == set()
    assert signs(12, (5, "short jobs are often quiet")) == set()
    assert signs(60, (-1, "no stamps")) == set()


def test_a_limit_that_is_not_githubs_is_one_of_its_own() -> None:
    def limited(text: str) -> bool:
        return "own-limit" in time_signs(lines((1, text))[0], (), None, 0)

    assert limited("##[error]The action 'Run test' has timed out after 40 minutes.")
    assert limited("The job running on runner a-1 has exceeded the maximum execution time of 1h0m0s")
    assert not limited("The job running on runner a-1 has exceeded the maximum execution time of 6h0m0s")
    assert not limited("##[error]The action 'Run test' has timed out after 360 minutes.")
    assert not limited("the server did not answer")


def test_little_was_done_when_half_as_much_time_again_would_not_be_enough() -> None:
    assert signs(60, (40, "Step 10/100"), (58, "Step 28/100")) == {"little-done"}
    assert signs(60, (40, "Step 70/100"), (58, "Step 88/100")) == set()
    # The last of several trainings began late: more time is enough.
    assert signs(60, (56, "Step 1/10"), (58, "Step 3/10")) == set()
    assert signs(60, (58, "Step 1/10")) == set()
    assert signs(0, (-1, "Step 3/10")) == {"little-done"}


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ("tests/test_a.py::test_one[big] FAILED                [ 40%]", True),
        ("tests/test_a.py::test_one ERROR", True),
        ("ERROR", True),
        ("FAILED tests/test_a.py::test_one - AssertionError", True),
        ("E       RuntimeError: the server did not start", True),
        ("tests/test_a.py::test_one PASSED", False),
        ("INFO | ERROR level is on", False),
        ("0 FAILED", False),
    ],
)
def test_a_test_that_had_failed_by_then_is_what_is_wrong(said: str, failed: bool) -> None:
    assert ("failed-before" in signs(60, (40, said), (58, "collecting"))) is failed


def test_a_test_that_ran_into_its_own_limit_failed_for_that() -> None:
    before = lines((40, "tests/test_a.py::test_one FAILED"))
    assert "failed-before" not in time_signs(lines((60, "E   Failed: Timeout (>60.0s)"))[0], before, None, 60)


def test_a_package_that_was_compiled_until_the_end_took_the_time() -> None:
    building = "  Building wheel for fast_kernels (setup.py): still running..."
    assert signs(60, (58, building)) == {"compiling"}
    assert signs(60, (58, building), (60, "##[error]The operation was canceled.")) == {"compiling"}
    assert signs(60, (50, building), (58, "Successfully built fast_kernels")) == set()


@given(st.text(), st.integers(1, 10**8 - 1), st.integers(1, 10**8 - 1))
def test_no_line_breaks_the_reading(text: str, done: int, total: int) -> None:
    found = progress_of(lines((0, text), (1, f"Step {done}/{total}"), (2, text)))
    assert (found is not None) or done > total
