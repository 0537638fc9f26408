"""What shows that nothing failed, whatever was printed before it; and that a failure stays one beside such signs."""

from __future__ import annotations

import pytest

OOM = """Traceback (most recent call last):
  File "/app/train.py", line 88, in find_batch
    loss = model(x).loss
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of \
which 1.10 GiB is free.
"""
STEPS = "".join(f"step {n}/200 loss {3 - n / 100:.2f} lr 1e-4\n" for n in range(1, 21))
LOGGED = "".join(f"{{'loss': 1.{n}, 'grad_norm': 0.5, 'epoch': 0.{n}}}\n" for n in range(10, 30))


def stamped(*lines):
    return "".join(f"2026-01-01T10:00:{n:02}.0000000Z {line}\n" for n, line in enumerate(lines))


JOB = (
    "Current runner version: '2.320.0'",
    "##[group]Run pytest || true",
    "pytest || true",
    "##[endgroup]",
    "FAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2",
    "=== 1 failed, 3 passed in 1.2s ===",
    "Post job cleanup.",
)
DONE = "Cleaning up orphan processes"


def silent(found):
    return all(one.causes == () and one.unexplained is None for one in found)


@pytest.mark.parametrize(
    "text",
    [
        OOM + "OOM at batch size 64, trying 32\n" + STEPS,
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n" + LOGGED,
        "ModuleNotFoundError: No module named 'apex'\nApex not found, using AdamW\n" + STEPS,
        "OSError: [Errno 98] Address already in use\nport 29500 is taken, trying 29501\n" + STEPS,
        "+ nvidia-smi\nbash: nvidia-smi: command not found\n+ python train.py\nFinished: SUCCESS\n",
        "$ pytest || true\n1 failed, 3 passed in 1.2s\nUploading artifacts...\nJob succeeded\n",
        'Traceback (most recent call last):\n  File "x.py", line 3, in f\nKeyError: 1\nCircleCI received exit code 0\n',
        "#5 2.0 cp: cannot stat 'x': No such file or directory\n#6 naming to docker.io/library/x done\n",
        "".join(f'  echo "Error: unknown machine {n}" >&2\n  exit 1\n;;\n' for n in range(3)) + "make: ok\n" * 90,
        stamped(*JOB, DONE),
        "".join(f"train\tUNKNOWN STEP\t\u00b4\u2557\u2510{line}\n" for line in stamped(*JOB, DONE).splitlines()),
    ],
)
def test_a_log_that_goes_on_or_ends_well_is_silent(whole, text):
    assert silent(whole(text))


@pytest.mark.parametrize(
    "text",
    [
        STEPS + OOM,
        # Another process prints the steps that it is in, and nothing comes after.
        OOM + "step 7/200 loss 2.93 lr 1e-4\n" * 20,
        OOM + "".join(f"step {n}/200 loss nan lr nan\n" for n in range(20)),
        OOM + "".join(f"Loading checkpoint shards: {n}0%| | {n}/9 [00:0{n}<00:09, 1.2it/s]\n" for n in range(9)),
        OOM + STEPS + OOM,
        STEPS + OOM + "Finished: FAILURE\n",
        "Finished: SUCCESS\n" + "started by an upstream project\n" * 30 + OOM,
        stamped(*JOB),
        stamped(*JOB[1:], DONE),
        stamped(*JOB, "##[error]Process completed with exit code 1.", DONE),
        stamped(*JOB, "Error: Process completed with exit code 1.", DONE),
        "+ exit 1\n",
    ],
)
def test_a_failure_beside_such_signs_is_no_healthy_log(whole, text):
    assert not silent(whole(text))


def test_what_lies_behind_a_request_that_is_tried_again_is_no_cause(whole):
    (found,) = whole(
        "DEBUG Transient request failure for https://host.example/a/, retrying: error sending request\n"
        "  Caused by: client error (Connect)\n"
        "  Caused by: dns error\n"
        "  Caused by: failed to lookup address information: Name or service not known\n"
        "Traceback (most recent call last):\n"
        "ModuleNotFoundError: No module named 'hatchling'\n"
    )
    assert [cause.signature for cause in found.causes] == ["python-module-not-found"]


def test_nor_is_it_spared_where_the_line_above_is_an_error(whole):
    (found,) = whole(
        "error: Failed to fetch: `https://host.example/a/`\n"
        "  Caused by: client error (Connect)\n"
        "  Caused by: dns error: failed to lookup address information: Name or service not known\n"
    )
    assert [cause.family for cause in found.causes] == ["network"]


@pytest.mark.parametrize(("after", "named"), [(STEPS * 30, False), ("srun: error: node2: task 1: Terminated\n", True)])
def test_a_job_that_slurm_ended_is_none_of_the_next_job_in_its_file(whole, after, named):
    ended = "slurmstepd: error: *** JOB 17 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n"
    assert silent(whole(STEPS + ended + after)) is not named


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("\u2716 17 problems (0 errors, 17 warnings)", False),
        ("\u2716 17 problems (2 errors, 15 warnings)", True),
        ('2026-01-01 10:00:05.564 UTC [74] FATAL:  role "root" does not exist', False),
        ('psql: error: connection to server failed: FATAL:  role "train" does not exist', True),
    ],
)
def test_warnings_and_the_log_of_a_service_name_no_cause(whole, line, named):
    (found,) = whole(f"{line}\nthe next command\nError: Process completed with exit code 1.\n")
    assert bool([cause for cause in found.causes if cause.confidence != "low"]) is named
