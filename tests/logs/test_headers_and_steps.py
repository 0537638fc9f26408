from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from triage.model.log import Confidence, LineKind, LogReading
from triage.model.run import Job, Step

Read = Callable[..., LogReading]
Stamp = Callable[[str], str]

LOG = """\
Current runner version: '2.336.0'
##[group]GITHUB_TOKEN Permissions
Contents: read
##[endgroup]
##[group]Run actions/checkout@v4
with:
  fetch-depth: 0
##[endgroup]
[command]/usr/bin/git log -1 --format=%H
8f4b7f84864484a7bf31766abe9204da3cbe65b3
##[group]Run set -x
\x1b[36;1mset -x\x1b[0m
\x1b[36;1mpytest tests || echo fatal: failed\x1b[0m
shell: bash -e {0}
env:
  HF_HOME: /cache
##[endgroup]
+ pytest tests
FAILED tests/test_a.py::test_a - ValueError
##[error]Process completed with exit code 1.
Post job cleanup.
Cleaning up orphan processes
"""


def at(second: int) -> datetime:
    return datetime(2026, 8, 20, 3, second // 60, second % 60, tzinfo=UTC)


def job(*steps: Step) -> Job:
    return Job(1, 1, 1, "gpu", "completed", "failure", steps=steps)


STEPS = (
    Step(1, "Set up job", "completed", "success", at(0), at(4)),
    Step(2, "Run actions/checkout@v4", "completed", "success", at(4), at(10)),
    Step(3, "Only on main", "completed", "skipped", at(10), at(10)),
    Step(4, "End-to-end tests", "completed", "failure", at(10), at(20)),
    Step(7, "Post Run actions/checkout@v4", "completed", "success", at(20), at(21)),
    Step(8, "Complete job", "completed", "success", at(21), at(21)),
)


def test_steps_without_the_api_are_what_the_text_says(read: Read, stamped: Stamp) -> None:
    steps = read(stamped(LOG)).steps
    assert [(s.name, s.first, s.last, s.conclusion) for s in steps] == [
        ("Set up job", 1, 4, None),
        ("Run actions/checkout@v4", 5, 10, None),
        ("Run set -x", 11, 20, "failure"),
        ("Post job cleanup", 21, 21, None),
        ("Complete job", 22, 22, None),
    ]
    assert {step.number for step in steps} == {0}


def test_steps_are_fitted_to_the_api_by_name_and_by_time(read: Read, stamped: Stamp) -> None:
    steps = read(stamped(LOG), job(*STEPS)).steps
    assert [(s.number, s.first, s.last, s.confidence) for s in steps] == [
        (1, 1, 4, Confidence.HIGH),
        (2, 5, 10, Confidence.HIGH),
        (4, 11, 20, Confidence.HIGH),
        (7, 21, 21, Confidence.HIGH),
        (8, 22, 22, Confidence.HIGH),
    ]
    assert steps[2].name == "End-to-end tests"
    assert steps[2].conclusion == "failure"


def test_steps_inside_a_composite_action_stay_inside(read: Read, stamped: Stamp) -> None:
    inner = LOG.replace(
        "+ pytest tests\n",
        "##[group]Run echo inner\n\x1b[36;1mecho inner\x1b[0m\n##[endgroup]\ninner\n+ pytest tests\n",
    )
    steps = read(stamped(inner), job(*STEPS[:4])).steps
    assert [(s.number, s.first) for s in steps] == [(1, 1), (2, 5), (4, 11)]
    assert steps[-1].last == len(inner.splitlines())


def test_suspects_know_their_step_and_the_script_is_none(read: Read, stamped: Stamp) -> None:
    (suspect,) = read(stamped(LOG), job(*STEPS)).suspects
    assert suspect.text.startswith("FAILED tests/test_a.py")
    assert suspect.step is not None
    assert suspect.step.number == 4


def test_commands_say_where_they_come_from(read: Read, stamped: Stamp) -> None:
    reading = read(stamped(LOG))
    assert [(c.line.kind, c.text) for c in reading.commands] == [
        (LineKind.HEADER, "actions/checkout@v4"),
        (LineKind.HEADER, "set -x"),
        (LineKind.SCRIPT, "set -x"),
        (LineKind.SCRIPT, "pytest tests || echo fatal: failed"),
        (LineKind.HEADER, "HF_HOME=/cache"),
        (LineKind.XTRACE, "pytest tests"),
    ]
    assert reading.tested_sha == "8f4b7f84864484a7bf31766abe9204da3cbe65b3"


def test_the_tail_ends_at_the_failure(read: Read, stamped: Stamp) -> None:
    reading = read(stamped(LOG))
    assert [line.number for line in reading.tail][-3:] == [18, 19, 20]
    assert reading.tail[-1].time == at(19)
    assert reading.is_job_log


def test_a_header_that_never_ends_is_output(read: Read) -> None:
    reading = read("##[group]Run a program that prints this\nValueError: boom\nlast line")
    assert [line.text for line in reading.suspects] == ["ValueError: boom"]
    assert reading.steps == ()
    assert not reading.is_job_log


def test_plain_text_has_neither_steps_nor_times(read: Read) -> None:
    reading = read("Run pytest\nenv:\n  A: 1\nValueError: boom\n")
    assert (reading.steps, reading.commands, reading.lines) == ((), (), 5)
    assert reading.suspects[0].time is None
    assert [line.text for line in reading.tail] == ["Run pytest", "env:", "  A: 1", "ValueError: boom"]
