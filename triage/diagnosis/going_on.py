"""Signs that nothing failed, whatever was printed before: what the CI says of the whole job, and work that went on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.diagnosis.clocks import Order
from triage.model.log import COMPLETE, SETUP, Line, LogReading

# What GitHub's web page shows of a step that failed, where the log was copied from it.
_EXITED = "Process completed with exit code"
# The CI's verdict is its last word; what it still prints behind it is shorter.
_AFTERWORDS = 20
# A counted unit of training, and a figure that only a working model has: a loss that is a number, a rate.
_UNIT = re.compile(r"(?i)\b(?:step|iter|iteration|epoch|batch)s?\b['\"\]]?[ :=\[#]{0,4}([0-9]{1,9}(?:\.[0-9]{1,4})?)\b")
_FIGURE = re.compile(
    r"(?i)loss\b['\"]?[ :=]{1,3}(?:np\.float[0-9]{2}\(|tensor\()?-?[0-9]"
    r"|\b(?:acc(?:uracy)?|reward|score/mean|grad_norm|lr|learning_rate|ppl)\b['\"]?[ :=]{1,3}-?[0-9]"
    r"|[0-9] ?(?:it/s|s/it|tokens?/s(?:ec)?)\b"
)
# The figures that Transformers' Trainer logs, without the step.
_LOGGED = re.compile(r"\{'(?:loss|eval_loss|reward)': '?-?[0-9]")
# Siblings of a process that died still print the step that they are in, and a client the bar that it has.
_ENOUGH = 5


def ended_well(reading: LogReading) -> bool:
    """Whether the log holds the whole job up to the CI's own end, and the CI reports no failure.

    GitHub's runner ends each step that failed with a line of its own, also where the job goes on in spite of it.
    """
    probes = {hit.probe for hit in reading.probed}
    if [step.name for step in (*reading.steps[:1], *reading.steps[-1:])] == [SETUP, COMPLETE]:
        exits = (hit.line.text for hit in reading.probed if hit.probe == "exit_code")
        return "runner_error" not in probes and not any(_EXITED in text for text in exits)
    last = max((line.number for line in reading.tail[-1:]), default=0)
    end = max(reading.lines, last)
    return any(hit.probe == "verdict" and end - hit.line.number <= _AFTERWORDS for hit in reading.probed)


def worked_on(reading: LogReading, order: Order, last_trouble: int) -> bool:
    """Whether steps of training with figures that go on stand behind the last trouble, at the end of the log."""
    return len(set(_work(reading, order, last_trouble))) >= _ENOUGH


def trained_on(reading: LogReading, last: Line) -> bool:
    """Whether the same process and step of the job trained on behind the line. Another process may not know yet that
    one died, and what a later step prints may be the file in which the training logged."""
    own = (line for line in reading.tail if line.number > last.number and _side(line) == _side(last))
    units = [found[1] for line in own if (found := _UNIT.search(text := line.text[-1000:])) and _FIGURE.search(text)]
    return len(set(units)) >= _ENOUGH


def _side(line: Line) -> tuple[str, int]:
    return line.stream, line.step.first if line.step is not None else 0


def _work(reading: LogReading, order: Order, last_trouble: int) -> Iterator[str]:
    for line in reading.tail:
        if order.place(line.number) <= last_trouble:
            continue
        text = line.text[-1000:]
        unit = _UNIT.search(text)
        if _LOGGED.search(text):
            yield text
        elif unit and _FIGURE.search(text):
            yield unit[1]
