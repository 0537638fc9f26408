from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.command import Ran, triage
from tests.cli.test_comment import world_of_a_red_pull
from tests.github.worlds import BASE, REPO, RUN_ID, TOKEN
from tests.pipeline.fakes import MISSING, job_log
from tests.pipeline.test_rerun import DROPPED
from triage.demo.server import Server, status


@pytest.fixture
def server() -> Iterator[Server]:
    world = world_of_a_red_pull()
    world.logs[1] = job_log(DROPPED).encode()
    with Server(world) as running:
        yield running


def ask(capsys: pytest.CaptureFixture[str], server: Server, *arguments: str) -> Ran:
    return triage(
        capsys, "rerun", str(RUN_ID), *arguments, "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN
    )


def test_a_person_reruns_what_is_worth_it(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(capsys, server)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("rerun   train (1): ")
    assert "costs at least 8 minutes of a machine" in ran.out
    assert server.world.reruns == [f"{RUN_ID} rerun-failed-jobs"]


def test_in_ci_it_only_says_so_until_the_configuration_enables_it(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    assert "a dry run: nothing was rerun" in ask(capsys, server).err
    assert server.world.reruns == []
    server.world.trees[BASE] = {".github/triage.toml": b"[rerun]\nenabled = true\n"}
    assert "asked GitHub to rerun train (1)" in ask(capsys, server).err
    assert len(server.world.reruns) == 1


def test_a_dry_run_is_dry(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, server, "--dry-run").code == 0
    assert server.world.reruns == []


def test_a_deterministic_cause_is_not_rerun(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.world.logs[1] = job_log(MISSING).encode()
    ran = ask(capsys, server)
    assert ran.out == "leave   train (1): python-module-not-found is deterministic: it would fail again\n"
    assert server.world.reruns == []


def test_githubs_refusal_is_told_and_not_repeated(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.inject(status("rerun failed jobs", 403, "This workflow is already running", times=9))
    ran = ask(capsys, server)
    assert ran.code == 4
    assert "already running" in ran.err
    assert server.calls.count("rerun failed jobs") == 1


def test_without_a_run_it_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    ran = triage(capsys, "rerun", "--repo", REPO)
    assert ran.code == 2
    assert "Give a run's number or URL." in ran.err
