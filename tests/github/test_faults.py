"""Each fault at each call of what `triage run` asks of GitHub: right in the end, or it says what is missing.

Never a hang, a log under another job's name, or a secret in a message.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest

from tests.github.worlds import HEAD, RUN_ID, TOKEN, log_of, make_world, served
from triage.demo.server import Fault, cut, garbage, primary_limit, secondary_limit, slow, status
from triage.errors import GitHubError
from triage.github import GitHub
from triage.github.connection import Timeouts
from triage.model.run import Unavailable

T = TypeVar("T")
# What one call may take at most with the tests' limits: four tries of `whole` seconds, and the waits.
LIMIT = 25.0
CALLS = ("run", "attempt jobs", "job log", "blob", "annotations", "tarball", "pull")
# The run and its jobs are vital: without them there is nothing to triage, and the command ends with exit code 4.
VITAL = ("run", "attempt jobs")


@dataclass
class Outcome:
    """What a `triage run` would have in hand."""

    error: str = ""
    logs: dict[int, bytes | Unavailable] = field(default_factory=dict)
    annotations: int | str = 0
    tree: Path | Unavailable | str = ""
    pull: int | str = 0


def triage_like(github: GitHub) -> Outcome:
    """The calls of a run's pipeline, in its order, each failure kept as the pipeline keeps it."""
    outcome = Outcome()
    try:
        run = github.run(RUN_ID)
        jobs = [job for job in github.jobs(run) if job.failed]
    except GitHubError as fault:
        outcome.error = str(fault)
        return outcome
    for job, log in github.fetch_logs(jobs):
        if isinstance(log, Unavailable):
            outcome.logs[job.id] = log
        else:
            with log.open() as stream:
                outcome.logs[job.id] = stream.read()
    outcome.annotations = _or_words(lambda: len(github.annotations(jobs[0])))
    outcome.tree = _or_words(lambda: github.snapshot(HEAD))
    outcome.pull = _or_words(lambda: getattr(github.pull_request_of(run), "number", 0))
    return outcome


def _or_words(ask: Callable[[], T]) -> T | str:
    try:
        return ask()
    except GitHubError as fault:
        return str(fault)


PASSING: dict[str, Callable[[str], Fault]] = {
    "one 502": lambda call: status(call, 502),
    "a burst of 503": lambda call: status(call, 503, times=3),
    "cut before the answer": lambda call: cut(call, 0),
    "cut twice": lambda call: cut(call, 0, times=2),
    "cut in the body": lambda call: cut(call, 100),
    "429 with Retry-After": lambda call: secondary_limit(call, 1, code=429),
    "403 secondary with Retry-After": lambda call: secondary_limit(call, 1),
    "403 primary, soon over": lambda call: primary_limit(call, 1),
}
LASTING: dict[str, Callable[[str], Fault]] = {
    "502 for good": lambda call: status(call, 502, times=999),
    "always cut": lambda call: cut(call, 0, times=999),
    "always cut in the body": lambda call: cut(call, 50, times=999),
    "403 secondary without Retry-After": lambda call: secondary_limit(call, None, times=999),
    "429 without Retry-After": lambda call: secondary_limit(call, None, times=999, code=429),
    "403 primary for an hour": lambda call: primary_limit(call, 3600, times=999),
    "Retry-After beyond --max-wait": lambda call: secondary_limit(call, 3600, times=999),
    "403 without permission": lambda call: status(call, 403, "Resource not accessible by integration", times=999),
    "404": lambda call: status(call, 404, "Not Found", times=999),
    "410": lambda call: status(call, 410, "Server Error", times=999),
    "a proxy's page": lambda call: garbage(call, times=999),
    "a body that stalls": lambda call: slow(call, 0.2, times=999),
}


def run_with(fault: Fault, folder: Path) -> tuple[Outcome, float]:
    timeouts = Timeouts(connect=2.0, read=0.4, whole=0.8)
    with served(make_world(), folder, timeouts=timeouts) as (server, github):
        server.inject(fault)
        started = time.monotonic()
        outcome = triage_like(github)
        return outcome, time.monotonic() - started


def at_every_call(make: Callable[[str], Fault], folder: Path) -> dict[str, Outcome]:
    """The calls are independent and mostly wait, so that they are tried side by side."""
    with ThreadPoolExecutor(len(CALLS)) as pool:
        tried = {call: pool.submit(run_with, make(call), folder / call) for call in CALLS}
        outcomes = {call: future.result() for call, future in tried.items()}
    assert {call: spent for call, (_, spent) in outcomes.items() if spent > LIMIT} == {}
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("triage")] == []
    return {call: outcome for call, (outcome, _) in outcomes.items()}


def check_always(outcome: Outcome) -> None:
    """Whatever happens: no log of another job, and no secret in any text."""
    for number, log in outcome.logs.items():
        assert isinstance(log, Unavailable) or log == log_of(number)
    shown = f"{outcome.error} {[log for log in outcome.logs.values() if isinstance(log, Unavailable)]}"
    shown += f"{outcome.annotations} {outcome.tree} {outcome.pull}"
    for secret in (TOKEN, "sig=", "se="):
        assert secret not in shown


def is_complete(outcome: Outcome) -> bool:
    whole = all(isinstance(log, bytes) for log in outcome.logs.values()) and len(outcome.logs) == 3
    return whole and not outcome.error and outcome.annotations == 1 and isinstance(outcome.tree, Path)


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_leaves_no_trace(name: str, tmp_path: Path) -> None:
    for call, outcome in at_every_call(PASSING[name], tmp_path).items():
        check_always(outcome)
        assert is_complete(outcome), f"{name} at {call}: {outcome}"
        assert outcome.pull == 12


# Where a lasting fault does not lose anything, and why.
HARMLESS = {
    ("a body that stalls", "job log"): "a redirect has no body",
    ("always cut in the body", "job log"): "a redirect has no body",
    ("a body that stalls", "tarball"): "a redirect has no body",
    ("always cut in the body", "tarball"): "a redirect has no body",
    ("403 without permission", "annotations"): "annotations are not vital: none are shown",
    ("404", "annotations"): "annotations are not vital: none are shown",
}


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_said(name: str, tmp_path: Path) -> None:
    for call, outcome in at_every_call(LASTING[name], tmp_path).items():
        check_always(outcome)
        if (name, call) in HARMLESS:
            assert not outcome.error
            continue
        assert says_what_is_missing(outcome, call), f"{name} at {call}: {outcome}"


def says_what_is_missing(outcome: Outcome, call: str) -> bool:
    if call in VITAL:
        return len(outcome.error) > 20
    if outcome.error:
        return False
    match call:
        case "job log" | "blob":
            lost = [log for log in outcome.logs.values() if isinstance(log, Unavailable)]
            tree_is_lost = call == "job log" or not isinstance(outcome.tree, Path)
            return len(lost) == 3 and all(log.detail for log in lost) and tree_is_lost
        case "annotations":
            return isinstance(outcome.annotations, str)
        case "tarball":
            return isinstance(outcome.tree, Unavailable | str)
        case _:
            return isinstance(outcome.pull, str)
