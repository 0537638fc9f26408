from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.command import Ran, triage
from tests.github.worlds import BASE, HEAD, NOW, REPO, RUN_ID, TOKEN, make_job, make_pull, make_run, make_world
from tests.histories import OOM, opened, outcome
from tests.output import situations
from tests.pipeline.fakes import MISSING, job_log
from triage.demo.server import Server, World, status
from triage.model.run import ChangedFile, Commit, Job, Run
from triage.pipeline.plan import Plan
from triage.pipeline.pull import PullTriage, offered, saying
from triage.storage.outcomes import put

CONFIG = b'[[known_issues]]\nsignature = "python-module-not-found"\nurl = "https://github.com/example/train/issues/5"\nmute = true\n'


def world_of_a_red_pull() -> World:
    """Pull request 12: two workflows at its head, one red; the base branch passed three times; it edits what fails."""
    world = make_world(failed=1)
    world.comments = {12: []}
    world.logs[1] = job_log(MISSING).encode()
    job = world.jobs[RUN_ID, 1][0]
    world.runs.append(
        make_run(
            4300, workflow="lint", workflow_path=".github/workflows/lint.yml", workflow_id=78, conclusion="success"
        )
    )
    world.jobs[4300, 1] = [make_job(43, "lint", failed=False, run_id=4300)]
    for number in (4000, 4001, 4002):
        world.runs.append(make_run(number, event="push", head_branch="main", head_sha=BASE, head_repo=REPO, conclusion="success", pull_requests=()))  # fmt: skip
        world.jobs[number, 1] = [make_job(number * 10, job.name, failed=False, run_id=number)]
    world.changed_files = {12: [ChangedFile("requirements.txt", "modified")]}
    world.trees.setdefault(BASE, {})
    world.branches["main"] = BASE
    world.commits.setdefault(BASE, Commit(BASE, "base"))
    return world


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(world_of_a_red_pull()) as running:
        yield running


def ask(capsys: pytest.CaptureFixture[str], server: Server, *arguments: str) -> Ran:
    return triage(capsys, *arguments, "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN)


def bodies(server: Server) -> list[str]:
    return [one.body for one in server.world.comments.get(12, [])]


def test_from_a_run_to_one_comment_and_again_to_the_same(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(capsys, server, "comment", str(RUN_ID))
    assert ran.code == 0, ran.err
    (body,) = bodies(server)
    assert body.startswith("<!-- triage:v1 pull=12 generation=1 level=3 ")
    assert "**1 job failed: 1 likely yours**" in body
    assert "the change edits requirements.txt, which says what is installed" in body
    assert "2 workflows" in body
    assert ask(capsys, server, "comment", "--pr", "12").code == 0
    assert len(bodies(server)) == 1


def test_a_dry_run_prints_and_posts_nothing(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(capsys, server, "comment", "--pr", "12", "--dry-run")
    assert ran.out.startswith("**1 job failed: 1 likely yours**")
    assert bodies(server) == []
    assert not [call for call in server.calls if call in {"create comment", "graphql", "review"}]


def test_in_a_workflow_run_job(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, summary = tmp_path / "event.json", tmp_path / "summary.md"
    claimed = {"id": RUN_ID, "head_branch": "@evil", "pull_requests": [{"number": 999}]}
    event.write_text(json.dumps({"workflow_run": claimed}))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert ask(capsys, server, "comment").code == 0
    assert len(bodies(server)) == 1
    assert summary.read_text().startswith("## triage: 1 job failed")
    summary.write_text("x" * (1024 * 1024))
    assert ask(capsys, server, "comment").code == 0
    assert summary.stat().st_size == 1024 * 1024


@pytest.mark.parametrize("where", [".", "no/such/folder", "file/below"])
def test_a_summary_that_cannot_be_written_costs_no_comment(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / where))
    ran = ask(capsys, server, "comment", str(RUN_ID))
    assert (ran.code, len(bodies(server))) == (0, 1)
    assert "without the job's summary" in ran.err


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        (403, "Resource not accessible by integration", "this takes `issues: write` or `pull-requests: write`"),
        (404, "Not Found", "where it lacks `issues: write` or `pull-requests: write`"),
        (409, "Conflict", "Was it changed by somebody meanwhile?"),
        (422, "Validation Failed", "Its words say why"),
    ],
)
def test_a_comment_that_is_refused_is_told_of_as_a_write(
    server: Server, capsys: pytest.CaptureFixture[str], code: int, message: str, said: str
) -> None:
    server.inject(status("create comment", code, message, times=9))
    ran = ask(capsys, server, "comment", str(RUN_ID))
    assert ran.code == 4
    assert said in ran.err
    assert "Check the number" not in ran.err


def test_reading_and_writing_in_separate_jobs(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    assert ask(capsys, server, "comment", str(RUN_ID), "--out", str(plan)).code == 0
    assert bodies(server) == []
    server.calls.clear()
    assert ask(capsys, server, "comment", "--from", str(plan)).code == 0
    assert len(bodies(server)) == 1
    assert not [call for call in server.calls if "log" in call or "job" in call]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"schema": "x"}, "no plan of a comment"),
        ({"saying": {}}, "no plan of a comment"),
        ({"suggestions": [{"path": 1}]}, "no plan of a comment"),
        ({"repo": "other/else"}, "the plan is for other/else"),
    ],
)
def test_a_plan_that_triage_did_not_write_is_refused(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    plan = tmp_path / "plan.json"
    ask(capsys, server, "comment", str(RUN_ID), "--out", str(plan))
    plan.write_text(json.dumps(json.loads(plan.read_text()) | changed))
    ran = ask(capsys, server, "comment", "--from", str(plan))
    assert ran.code == 2
    assert said in ran.err
    assert bodies(server) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        *(({"level": odd}, "holds numbers or digests") for odd in (-5, 4, 10**30)),
        *(({"pull": odd}, "holds numbers or digests") for odd in (-1, 10**30)),
        *(({"suggested": odd}, "holds numbers or digests") for odd in ("x --> <img>", "ab\n", "0" * 13)),
        ({"at": -1}, "holds numbers or digests"),
        ({"at": 10**30}, "holds numbers or digests"),
        ({"at": 10**11}, "of a time to come"),
    ],
)
def test_a_plan_whose_comment_would_not_be_known_again_is_refused(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    """Each posting would make another comment, or none would ever be made again."""
    plan = tmp_path / "plan.json"
    ask(capsys, server, "comment", str(RUN_ID), "--out", str(plan))
    whole = json.loads(plan.read_text())
    whole["saying"] |= changed
    plan.write_text(json.dumps(whole))
    ran = ask(capsys, server, "comment", "--from", str(plan))
    assert (ran.code, bodies(server)) == (2, [])
    assert said in ran.err


def test_a_pull_request_that_has_moved_on_or_is_closed_gets_nothing(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    ask(capsys, server, "comment", str(RUN_ID), "--out", str(plan))
    server.world.pulls = [replace(one, head_sha="9" * 40) if one.number == 12 else one for one in server.world.pulls]
    assert "moved on" in ask(capsys, server, "comment", "--from", str(plan)).err
    server.world.pulls = [replace(one, state="closed") if one.number == 12 else one for one in server.world.pulls]
    assert "is closed" in ask(capsys, server, "comment", "--pr", "12").err
    assert bodies(server) == []


def test_green_is_silent_and_then_one_line(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    world = server.world
    red_runs, red_jobs = list(world.runs), dict(world.jobs)
    _turn_green(world)
    assert ask(capsys, server, "comment", "--pr", "12").code == 0
    assert bodies(server) == []
    world.runs, world.jobs = red_runs, red_jobs
    ask(capsys, server, "comment", "--pr", "12")
    _turn_green(world)
    assert ask(capsys, server, "comment", "--pr", "12").code == 0
    (body,) = bodies(server)
    assert body.split("\n")[1] == f"No job has failed at `{HEAD[:9]}` (2 workflows)."


def _turn_green(world: World) -> None:
    world.runs = [replace(one, conclusion="success") if one.id == RUN_ID else one for one in world.runs]
    world.jobs = {key: [replace(job, conclusion="success") for job in jobs] for key, jobs in world.jobs.items()}


def test_a_pull_request_cannot_change_what_the_bot_says_of_it(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its head mutes the cause; the default branch does not. Only the default branch is heard."""
    server.world.trees[HEAD] = {**server.world.trees.get(HEAD, {}), ".github/triage.toml": CONFIG}
    ask(capsys, server, "comment", "--pr", "12")
    assert "1 likely yours" in bodies(server)[0]
    server.world.comments[12].clear()
    server.world.trees[BASE] = {".github/triage.toml": CONFIG}
    ask(capsys, server, "comment", "--pr", "12")
    assert bodies(server) == [], "muted on the default branch: nothing to say"


def test_no_permission_for_the_check_run_is_no_failure(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, server, "comment", "--pr", "12", "--check").code == 0
    (made,) = server.world.check_runs[-1:]
    assert (made.name, made.conclusion, made.head_sha) == ("triage", "neutral", HEAD)
    server.inject(status("create check", 403, "Resource not accessible by integration", times=9))
    ran = ask(capsys, server, "comment", "--pr", "12", "--check")
    assert ran.code == 0
    assert "permission" in ran.err.lower()


@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "html", "sarif"])
def test_no_line_in_a_job_starts_a_command_of_the_runner(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    evil = "::error::x\r  ::add-mask::y ##[add-mask]z"
    server.world.logs[1] = job_log(
        "::warning::w", "##[error]v", f"ModuleNotFoundError: No module named '{evil[:9]}'"
    ).encode()
    server.world.jobs[RUN_ID, 1] = [_named(job, evil) for job in server.world.jobs[RUN_ID, 1]]
    server.world.runs = [_titled(run, evil) for run in server.world.runs]
    ran = ask(capsys, server, "run", str(RUN_ID), "--format", form)
    assert ran.code == 0, ran.err
    for line in (ran.out + ran.err).replace("\r", "\n").split("\n"):
        assert not line.strip().startswith("::")
        assert "##[" not in line
    if form == "json":
        assert "##[" in json.dumps(json.loads(ran.out))


def _named(job: Job, name: str) -> Job:
    return replace(job, name=f"{name} {job.id}")


def _titled(run: Run, title: str) -> Run:
    return replace(run, display_title=title, head_branch=title if run.id == RUN_ID else run.head_branch)


def test_nothing_named_is_said(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(capsys, server, "comment")
    assert ran.code == 2
    assert "--pr N" in ran.err
    assert NOW.year == 2026


def test_forty_workflows_make_one_comment_and_old_runs_do_not_count(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    world = server.world
    for number in range(40):
        run = make_run(
            5000 + number,
            workflow=f"w{number}",
            workflow_path=f".github/workflows/w{number}.yml",
            workflow_id=900 + number,
        )
        world.runs.append(run)
        world.jobs[run.id, 1] = [make_job(50_000 + number, f"job-{number}", run_id=run.id)]
        world.logs[50_000 + number] = job_log(MISSING).encode()
    # The pull request was closed and opened again: workflow 0 ran anew, and passed.
    world.runs.append(
        make_run(6000, workflow="w0", workflow_path=".github/workflows/w0.yml", workflow_id=900, conclusion="success")
    )
    world.jobs[6000, 1] = [make_job(60_000, "job-0", failed=False, run_id=6000)]
    world.runs.append(
        make_run(6001, event="schedule", workflow="nightly", workflow_path=".github/workflows/n.yml", pull_requests=())
    )
    world.jobs[6001, 1] = [make_job(60_001, "nightly", run_id=6001)]
    assert ask(capsys, server, "comment", "--pr", "12", "--no-evidence").code == 0
    (body,) = bodies(server)
    assert "**40 jobs failed: 40 not classified**" in body
    assert "42 workflows" in body
    assert body.count("ModuleNotFoundError") == 1


def test_a_history_adds_rates_with_n(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ask(capsys, server, "comment", "--pr", "12")
    cause = re.search(r"cause `([^`]+)`", bodies(server)[0])
    assert cause is not None
    hit = replace(OOM, signature="python-module-not-found", fingerprint=cause[1])
    yesterday = datetime.now(UTC) - timedelta(days=1)
    attempts = [
        outcome(
            1, "failure", 1, at=yesterday, causes=(hit,), workflow="ci", job="train (1)", on_base=False, pull_request=7
        )
    ]
    attempts += [outcome(n, "success", n, at=yesterday, workflow="ci", job="train (1)") for n in range(2, 14)]
    with opened(str(tmp_path / "history.db")) as history:
        put(history, attempts)
    ran = ask(capsys, server, "comment", "--pr", "12", "--dry-run", "--db", str(tmp_path / "history.db"))
    assert ran.code == 0, ran.err
    assert "- seen 1 time in 28 days, 1 other pull request among them" in ran.out
    assert "that failed with it: 0 of 12 (0 %, 95 % interval 0 % to 24 %)" in ran.out
    missing = ask(capsys, server, "comment", "--pr", "12", "--db", str(tmp_path / "none.db"))
    assert missing.code == 2
    assert "There is no history" in missing.err


def test_suggestions_are_posted_once_where_the_diff_shows_the_lines(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown = ChangedFile(".github/workflows/e2e.yml", "modified", patch="@@ -40,2 +40,3 @@\n a\n+b\n c")
    found = PullTriage(make_pull(), (), situations.yours(), datetime(2026, 11, 30, tzinfo=UTC))
    suggestions = offered(found, [shown])
    assert [(one.first, one.last) for one in suggestions] == [(41, 41)]
    assert offered(found, [replace(shown, path="other.yml")]) == ()
    assert offered(replace(found, result=situations.trunk()), [shown]) == ()
    plan = tmp_path / "plan.json"
    plan.write_text(Plan(REPO, HEAD, saying(found, suggestions), "title", suggestions).write())
    for _ in range(2):
        assert ask(capsys, server, "comment", "--from", str(plan)).code == 0
    assert [number for number, _ in server.world.reviews] == [12]
    assert server.world.reviews[0][1].startswith("```suggestion\n")
