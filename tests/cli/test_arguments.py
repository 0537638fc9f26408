"""What a person typed has an effect, or is refused with the reason: no argument is dropped without a word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.command import Ran, triage
from triage.demo.runs import REPO, build_world
from triage.demo.server import Server, World
from triage.model.run import Commit

Capture = pytest.CaptureFixture[str]
RUN, HEAD = 7001, "a" * 40


@pytest.fixture
def world() -> World:
    world = build_world(HEAD, "b" * 40)
    world.commits |= {sha: Commit(sha, "A made-up repository") for sha in (HEAD, "b" * 40)}
    return world


@pytest.fixture
def server(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("GH_TOKEN", "t0ken")
    monkeypatch.chdir(tmp_path)
    with Server(world) as running:
        yield running


def asked(capsys: Capture, server: Server, *arguments: str) -> Ran:
    return triage(capsys, *arguments, "--api-url", server.api_url, "--repo", REPO)


def url(server: Server, rest: str) -> str:
    return f"http://{server.api_url.rpartition('/')[2]}/{REPO}/{rest}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "7001", "--branch", "main"), "--branch is for a search, but a run is named."),
        (("run", "7001", "--workflow", "model.yml"), "--workflow is for a search, but a run is named."),
        (("run", "7001", "--event", "push"), "--event is for a search, but a run is named."),
        (("run", "7001", "--pr", "41"), "--pr is for a search, but a run is named."),
        (("run", "7001", "--no-evidence", "--evidence-requests", "3"), "--evidence-requests means nothing with --no-e"),
        (("run", "7001", "--no-evidence", "--db", "x.db"), "--db means nothing with --no-evidence."),
        (("pr", "41", "--evidence-requests", "0", "--db", "x.db"), "--db means nothing with --evidence-requests 0."),
        (("pr", "70010000000"), "'70010000000' names no pull request."),
        (("comment", "7001", "--pr", "41", "--dry-run"), "a run or another pull request is named, and --pr too."),
        (("comment", "7001", "--out", "p.json", "--check"), "--check makes nothing while --out writes"),
        (("comment", "--pr", "41", "--no-evidence", "--db", "x.db"), "--db means nothing with --no-evidence."),
        (("comment", "7001", "--from", "p.json"), "--from posts what was made already: a run comes too late."),
        (("comment", "--from", "p.json", "--no-evidence"), "--from posts what was made already: --evidence comes"),
        (("history", "sync", "--from-dir", ".", "--token", "x"), "--from-dir asks no GitHub."),
    ],
)
def test_what_has_no_meaning_is_refused(capsys: Capture, server: Server, arguments: tuple[str, ...], said: str) -> None:
    ran = asked(capsys, server, *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert server.calls == [] or arguments[0] == "comment"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report", "--token", "x"), "--token means nothing without --issue."),
        (("verify", "--offline", "--api-url", "https://x.example"), "--api-url means nothing with --offline."),
        (("verify", "--db", "mine.db", "record", "one"), "--db stands before record, which does not see it."),
        (("explain", "gpu-oom", "--family", "--rule"), "gpu-oom is a family: --rule shows one signature."),
        (("explain", "no-space-left", "--family"), "no signature is of the family 'no-space-left'."),
        (("explain", "ci-timeout", "--rule"), "ci-timeout is a family: --rule shows one signature."),
    ],
)
def test_what_has_no_meaning_is_refused_without_github_too(
    capsys: Capture, arguments: tuple[str, ...], said: str
) -> None:
    ran = triage(capsys, *arguments)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("path", "arguments", "said"),
    [
        ("actions/runs/7001/attempts/1", ("--attempt", "2"), "the URL names attempt 1, but --attempt 2."),
        ("actions/runs/7001/attempts/1", ("--attempt", "all"), "the URL names attempt 1, but --attempt all."),
        ("actions/runs/7001/job/70010", ("--attempt", "1"), "--attempt is for a run: a job is of one attempt."),
        ("actions/runs/7001/job/70010", ("--job", "train"), "--job is for a run, but the URL names a job."),
        ("pull/41", ("--pr", "42"), "the URL is of #41, but --pr names #42."),
    ],
)
def test_what_a_url_says_already_is_not_said_otherwise(
    capsys: Capture, server: Server, path: str, arguments: tuple[str, ...], said: str
) -> None:
    ran = asked(capsys, server, "run", url(server, path), *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert server.calls == []


@pytest.mark.parametrize("narrowed", [("--event", "push"), ("--branch", "another")])
def test_a_search_among_a_pull_requests_runs_is_narrowed(
    capsys: Capture, server: Server, narrowed: tuple[str, str]
) -> None:
    assert asked(capsys, server, "run", "--pr", "41", *narrowed).code == 3


@pytest.mark.parametrize("workflow", ["model.yml", ".github/workflows/model.yml"])
def test_a_workflow_is_found_by_its_path_too(capsys: Capture, server: Server, workflow: str) -> None:
    ran = asked(capsys, server, "run", "--pr", "41", "--workflow", workflow, "--no-evidence")
    assert "run 7003" in ran.out


def flaky(world: World) -> None:
    """Two jobs of the run failed, each of what a rerun may help against."""
    lost = b"2026-08-18T06:41:59.0Z ##[error]The self-hosted runner: gpu-7 lost communication with the server.\n"
    first, second = world.jobs[RUN, 1]
    world.jobs[RUN, 1] = [first, replace(second, conclusion="failure", steps=first.steps)]
    world.logs |= {first.id: lost, second.id: lost}


def test_the_rerun_of_one_job_reruns_no_other(capsys: Capture, server: Server, world: World) -> None:
    flaky(world)
    ran = asked(capsys, server, "rerun", url(server, "actions/runs/7001/job/70011"), "--no-dry-run")
    assert ran.code == 0, ran.err
    assert world.reruns == ["7001 rerun job cleanup"]


def test_an_older_attempt_is_not_rerun(capsys: Capture, server: Server, world: World) -> None:
    flaky(world)
    ran = asked(capsys, server, "rerun", url(server, "actions/runs/7001/attempts/2"), "--no-dry-run")
    assert ran.code == 2
    assert "attempt 1 is the latest of run 7001, and GitHub reruns no other: not attempt 2." in ran.err
    assert world.reruns == []


def test_a_dry_run_of_a_plan_posts_nothing(capsys: Capture, server: Server, world: World) -> None:
    made = asked(capsys, server, "comment", "--pr", "41", "--out", "p.json", "--dry-run", "--no-evidence")
    assert made.code == 0, made.err
    assert "wrote p.json" in made.err
    shown = asked(capsys, server, "comment", "--from", "p.json", "--dry-run")
    assert shown.code == 0, shown.err
    assert shown.out == made.out
    assert "custom all-reduce" in shown.out
    assert world.comments == {}
