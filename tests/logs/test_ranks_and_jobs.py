from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from triage.logs.ranks import rank_of
from triage.matching import compile_patterns, scan
from triage.model.log import FailedRank, LogReading

Read = Callable[..., LogReading]
STAMP = "2026-08-20T03:11:42.1425265Z "

SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-30_16:27:21
  host      : node-a
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 1043)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 1043
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-30_16:27:20
  host      : node-b
  rank      : 3 (local_rank: 1)
  exitcode  : 1 (pid: 1044)
  error_file: <N/A>
============================================================
"""


@pytest.mark.parametrize(
    ("stream", "rank"),
    [
        ("rank3", 3),
        ("default1", 1),
        ("VllmWorker rank=2 pid=9", 2),
        ("Worker_TP1 pid=9", 1),
        ("DP0 TP1", 0),
        ("WorkerDict pid=77", None),
        ("", None),
        ("ranker", None),
    ],
)
def test_a_streams_rank(stream: str, rank: int | None) -> None:
    assert rank_of(stream) == rank


def test_the_summary_of_torchrun(read: Read) -> None:
    first, root = read(SUMMARY).failed_ranks
    assert first == FailedRank(0, -15, False, "node-a", 1043, datetime(2026, 11, 30, 16, 27, 21), 10)
    assert root == FailedRank(3, 1, True, "node-b", 1044, datetime(2026, 11, 30, 16, 27, 20), 19)


def test_lines_like_the_summarys_elsewhere_are_none(read: Read) -> None:
    assert read("  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 7)\n").failed_ranks == ()


def columned(job: str, step: str, *texts: str) -> str:
    return "".join(f"{job}\t{step}\t{STAMP if at == 0 else ''}{text}\n" for at, text in enumerate(texts))


def test_gh_columns_give_jobs_and_steps(held) -> None:
    text = "".join(
        [
            columned("build (3.12)", "Install", "pip install x"),
            columned("build (3.12)", "Install", "a message", "of two\tlines"),
            columned("build (3.12)", "Test", "ValueError: boom"),
            columned("gpu", "UNKNOWN STEP", "KeyError: 'x'"),
        ]
    )
    build, gpu = scan(held("all.log", text.encode()), compile_patterns([], {}))
    assert (build.name, gpu.name) == ("build (3.12)", "gpu")
    assert [(s.name, s.first, s.last) for s in build.steps] == [("Install", 1, 3), ("Test", 4, 4)]
    assert (build.lines, gpu.lines) == (4, 2)
    assert build.suspects[0].step is build.steps[1]
    assert [(line.number, line.text) for line in gpu.suspects] == [(5, "KeyError: 'x'")]
    assert gpu.steps == ()
    assert [line.number for line in build.tail] == [1, 2, 3, 4]


def test_columns_that_a_job_printed_are_its_text(held) -> None:
    """A step that prints another job's log: what the runner stamped is a line of the job that printed it."""
    printed = columned("gpu", "Train", "KeyError: 'x'") + columned("lint", "Check", "ValueError: boom")
    text = "".join(f"{STAMP}{line}\n" for line in ["Current runner version: '2.336.0'", *printed.splitlines()])
    (found,) = scan(held("job.log", text.encode()), compile_patterns([], {}))
    assert (found.name, found.lines) == ("job.log", 4)
    inside = columned("build", "Report", f"gpu\tTrain\t{STAMP}KeyError: 'x'")
    assert [one.name for one in scan(held("all.log", inside.encode()), compile_patterns([], {}))] == ["build"]


def test_attempts_in_one_file_are_readings_apart(held) -> None:
    attempt = f"{STAMP}Current runner version: '2.336.0'\n{STAMP}ValueError: attempt %d\n"
    text = f"{STAMP}Requested labels: gpu\n" + attempt % 1 + attempt % 2
    first, second = scan(held("job.log", text.encode()), compile_patterns([], {}))
    assert (first.name, second.name) == ("job.log", "job.log (2)")
    assert [line.text for line in first.suspects] == ["ValueError: attempt 1"]
    assert [(line.number, line.text) for line in second.suspects] == [(5, "ValueError: attempt 2")]
    assert (first.lines, second.lines) == (3, 3)


def test_an_empty_log_is_a_reading(read: Read) -> None:
    reading = read(b"")
    assert (reading.lines, reading.size, reading.tail, reading.suspects) == (1, 0, (), ())


def test_an_error_glued_to_a_bar_is_a_suspect(read: Read) -> None:
    text = "Training:  10%|#  | 1/10 [00:01<00:09, 1.0s/it]RuntimeError: glued\n"
    text += "fetched 10%\rfetched 20%\rKeyError: 'returned'\n"
    assert [line.text for line in read(text).suspects] == ["RuntimeError: glued", "fetched 20% KeyError: 'returned'"]


def test_suspects_are_capped_at_both_ends(read: Read) -> None:
    reading = read("".join(f"ValueError: {n}\n" for n in range(1000)))
    assert reading.suspects[0].text == "ValueError: 0"
    assert reading.suspects[-1].text == "ValueError: 999"
    assert len(reading.suspects) == 300
    assert "suspects" in reading.capped
