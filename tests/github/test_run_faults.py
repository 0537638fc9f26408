"""The same faults at each call of the real `triage run`: the same result, or one that says what is missing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.github.test_faults import LASTING, PASSING
from tests.github.worlds import TOKEN, served
from triage.cli.knowledge import know_of
from triage.demo.runs import build_world
from triage.demo.server import Fault, LogState
from triage.errors import GitHubError
from triage.github.connection import Timeouts
from triage.model.result import TriageResult
from triage.pipeline.run import triage_run
from triage.pipeline.trees import trees_of_run
from triage.pipeline.triage import Knowledge

CALLS = ("run", "contents", "attempt jobs", "job log", "blob", "tarball")
VITAL = ("run", "contents", "attempt jobs")
RUN_ID = 7001


@dataclass(frozen=True)
class Ended:
    result: TriageResult | None
    said: str


def run_with(fault: Fault | None, folder: Path, knowledge: Knowledge, expired: bool = False) -> Ended:
    world = build_world("a" * 40, "b" * 40)
    world.token = TOKEN
    if expired:
        world.logs = dict.fromkeys(world.logs, LogState.EXPIRED)
    with served(world, folder, timeouts=Timeouts(connect=2.0, read=0.4, whole=0.8)) as (server, github):
        if fault is not None:
            server.inject(fault)
        try:
            run = github.run(RUN_ID)
            github.contents.read(".github/triage.toml")
            triaged = triage_run(github, run, knowledge, trees_of_run(github, run))
        except GitHubError as ended:
            return Ended(None, str(ended))
    return Ended(replace(triaged.result, runs=()), "")


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    with served(build_world("a" * 40, "b" * 40), tmp_path_factory.mktemp("cache")) as (_, github):
        return know_of(github, None, None)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, knowledge: Knowledge) -> TriageResult:
    ended = run_with(None, tmp_path_factory.mktemp("cache"), knowledge)
    assert ended.result is not None
    assert ended.result.causes
    return ended.result


def at_every_call(make: Callable[[str], Fault], folder: Path, knowledge: Knowledge) -> dict[str, Ended]:
    with ThreadPoolExecutor(len(CALLS)) as pool:
        tried = {call: pool.submit(run_with, make(call), folder / call, knowledge) for call in CALLS}
        return {call: future.result(30) for call, future in tried.items()}


# Proving the patch again takes a second each time; test_faults has the others.
@pytest.mark.parametrize("name", ["a burst of 503", "cut in the body"])
def test_what_passes_changes_nothing(
    name: str, tmp_path: Path, knowledge: Knowledge, undisturbed: TriageResult
) -> None:
    for call, ended in at_every_call(PASSING[name], tmp_path, knowledge).items():
        assert _without_urls(ended.result) == _without_urls(undisturbed), f"{name} at {call}: {ended}"


def _without_urls(result: TriageResult | None) -> tuple[object, ...]:
    """What a reader sees; addresses differ with the server's port."""
    assert result is not None
    causes = [(cause.id, cause.verdict, cause.fixes) for cause in result.causes]
    failures = [(one.id, [c.line for c in one.diagnosis.causes], one.diagnosis.unavailable) for one in result.failures]
    return causes, failures, [(patch.state, patch.diff) for patch in result.patches], result.notices


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_said(name: str, tmp_path: Path, knowledge: Knowledge, undisturbed: TriageResult) -> None:
    for call, ended in at_every_call(LASTING[name], tmp_path, knowledge).items():
        told = f"{ended}"
        assert TOKEN not in told
        assert "sig=" not in told
        if _loses_nothing(name, call):
            assert _without_urls(ended.result) == _without_urls(undisturbed), f"{name} at {call}: {ended}"
        elif call in VITAL:
            assert len(ended.said) > 20, f"{name} at {call}"
        else:
            _check_loss(ended.result, call)


def _loses_nothing(name: str, call: str) -> bool:
    redirect = call in ("job log", "tarball") and name in ("a body that stalls", "always cut in the body")
    return redirect or (call == "contents" and name == "404")


def _check_loss(result: TriageResult | None, call: str) -> None:
    assert result is not None
    lost = [one.diagnosis.unavailable for one in result.failures]
    if call == "tarball":
        assert lost == [None]
        assert result.causes
        # Without the tree nothing can be proved: advice at most, and the reason is given.
        assert {patch.state for patch in result.patches} == {"advice"}
        assert all("tree" in patch.reason for patch in result.patches if patch.recipe != "advise")
    else:
        assert [one.detail for one in lost if one] != []
        assert not result.patches


@pytest.mark.parametrize("name", ["502 for good", "a proxy's page", "Retry-After beyond --max-wait", "always cut"])
def test_annotations_that_cannot_be_read_stop_nothing(name: str, tmp_path: Path, knowledge: Knowledge) -> None:
    result = run_with(LASTING[name]("annotations"), tmp_path, knowledge, expired=True).result
    assert result is not None
    assert [one.diagnosis.unavailable is not None for one in result.failures] == [True]
    assert any("annotations of" in note for note in result.notices)
