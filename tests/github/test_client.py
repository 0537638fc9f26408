"""Requests are retried only where that is safe, revalidated where that is cheap, and never mixed up by threads."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.github.worlds import REPO, RUN_ID, TOKEN, make_job, make_run, make_world, options, served
from triage.demo.server import Fault, Server, World, cut, garbage, secondary_limit, status
from triage.errors import GitHubError, RateLimited
from triage.github import ApiError, GitHub, RunFilter, connect
from triage.github.connection import ApiConnection
from triage.github.replies import UncertainWrite
from triage.model.run import Repository


def _asked_by_sixteen_threads(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> list[int | str]:
    """Three questions of each thread, and which runs were answered, or why not.

    PyGithub gives its connection verb and URL in one call and reads the answer in another. No thread goes on to the
    second before all sixteen have done the first: whatever they share then holds another thread's question.
    """
    together = threading.Barrier(16)
    request = ApiConnection.request

    def requested(self: ApiConnection, *arguments: Any, **named: Any) -> None:
        request(self, *arguments, **named)
        together.wait(20)

    def ask(number: int) -> int | str:
        try:
            return github.run(number).id
        except GitHubError as fault:
            return fault.message

    monkeypatch.setattr(ApiConnection, "request", requested)
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(ask, range(1, 49)))


def _forty_eight_runs() -> World:
    world = make_world()
    world.runs = [make_run(number) for number in range(1, 49)]
    return world


def test_sixteen_threads_get_the_answers_to_their_own_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(_forty_eight_runs(), tmp_path, use_cache=False) as (server, github):
        assert _asked_by_sixteen_threads(github, monkeypatch) == list(range(1, 49))
        assert len(server.calls) == 48


def test_threads_that_share_a_client_would_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above is worth: it fails when all threads are given the first one's client."""
    with served(_forty_eight_runs(), tmp_path, use_cache=False) as (_, github):
        shared = github.client._own()
        monkeypatch.setattr(github.client, "_own", lambda: shared)
        answers = _asked_by_sixteen_threads(github, monkeypatch)
    right = [answer == number for number, answer in enumerate(answers, start=1)]
    # One answer a round is read at all, and goes to whoever reads first.
    assert sum(right) <= 3
    assert [answer for answer in answers if isinstance(answer, int)]


def test_no_two_threads_share_a_connection(tmp_path: Path) -> None:
    together = threading.Barrier(16)

    def own(_: int) -> tuple[object, object]:
        together.wait(10)
        mine = github.client._own()
        assert mine is github.client._own()
        return mine.github, mine.connection

    with served(make_world(), tmp_path) as (_, github), ThreadPoolExecutor(16) as pool:
        found = list(pool.map(own, range(16)))
    assert len({id(client) for client, _ in found}) == 16
    assert len({id(connection) for _, connection in found}) == 16


def test_a_write_without_an_answer_is_not_sent_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("rerun failed jobs", 502, done=True))
        with pytest.raises(UncertainWrite, match="may have happened"):
            github.reruns.failed_jobs(make_run())
        assert server.world.reruns == [f"{RUN_ID} rerun-failed-jobs"]


def test_a_write_that_a_limit_turned_away_is_sent_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(secondary_limit("rerun failed jobs", 1))
        github.reruns.failed_jobs(make_run())
        assert server.world.reruns == [f"{RUN_ID} rerun-failed-jobs"]


def test_what_did_not_change_is_not_sent_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, record=True) as (server, github):
        first = github.run(RUN_ID)
        assert github.run(RUN_ID) == first
        assert [one.response.status for one in server.exchanges] == [200, 304]
        server.world.runs = [make_run(conclusion="success")]
        assert github.run(RUN_ID).conclusion == "success"
        assert [one.response.status for one in server.exchanges] == [200, 304, 200]


def test_another_token_gets_nothing_from_the_cache(tmp_path: Path) -> None:
    with Server(make_world()) as server:
        with connect(REPO, server.api_url, TOKEN, options=options(tmp_path)) as github:
            github.run(RUN_ID)
        with (
            connect(REPO, server.api_url, "ghp_another0123456789", options=options(tmp_path)) as github,
            pytest.raises(ApiError, match="refuses the token"),
        ):
            github.run(RUN_ID)


def test_pages_are_followed_to_the_end(tmp_path: Path) -> None:
    world = make_world(failed=130, passed=120)
    with served(world, tmp_path) as (server, github):
        assert [job.id for job in github.jobs(github.run(RUN_ID))] == list(range(1, 251))
        assert server.calls.count("attempt jobs") == 3


def test_a_renamed_repository_is_found_under_its_new_name(tmp_path: Path) -> None:
    world = make_world(failed=130)
    world.former_name = "example/old-name"
    with (
        Server(world) as server,
        connect("example/old-name", server.api_url, TOKEN, options=options(tmp_path)) as github,
    ):
        run = github.run(RUN_ID)
        assert github.repo == run.repo == REPO
        assert len(github.jobs(run)) == 132
        assert list(github.runs.list(RunFilter(), 5)) == [run]


def test_queries_survive_the_redirect(tmp_path: Path) -> None:
    world = make_world(failed=130)
    world.former_name = "example/old-name"
    with (
        Server(world) as server,
        connect("example/old-name", server.api_url, TOKEN, options=options(tmp_path)) as github,
    ):
        # Not through `run`: it would adopt the new name. Without its query the second page would be the first.
        assert len(github.runs.jobs(make_run())) == 132


def test_another_host_does_not_get_the_token(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        elsewhere = (("Location", f"{server.blob_url}/repos/{REPO}"),)
        server.inject(Fault("repository", status=301, headers=elsewhere, body=b"{}"))
        with pytest.raises(GitHubError, match="redirects API requests to 127"):
            github.contents.repository()
        assert "blob" not in server.calls


@pytest.mark.parametrize("fault", [cut("run", 0, times=99), status("run", 503, times=99), garbage("run", times=99)])
def test_failure_ends_with_the_thing_and_the_remedy_named(tmp_path: Path, fault: Fault) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(fault)
        with pytest.raises(GitHubError) as raised:
            github.run(RUN_ID)
        assert raised.value.remedy
        assert raised.value.exit_code == 4
        assert len(server.calls) <= 4


def test_a_limit_beyond_patience_says_until_when(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(secondary_limit("run", 3600))
        with pytest.raises(RateLimited, match="asks to wait 60 minutes") as raised:
            github.run(RUN_ID)
        assert raised.value.resets_at is not None
        assert server.calls == ["run"]


def test_an_answer_that_never_gets_ready_ends(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("compare", 202, times=99))
        with pytest.raises(ApiError, match="failed at"):
            github.contents.compare("main", "main")
        assert server.calls == ["compare"] * 4


def test_debug_logs_hold_no_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), served(make_world(), tmp_path) as (server, github):
        server.inject(cut("blob", 10))
        github.run(RUN_ID)
        github.log(make_job(1))
    assert TOKEN not in caplog.text
    assert "sig=" not in caplog.text


def test_nobody_listening_is_said_in_words(tmp_path: Path) -> None:
    with Server(make_world()) as server:
        address = server.api_url
    with (
        connect(REPO, address, TOKEN, options=options(tmp_path)) as github,
        pytest.raises(GitHubError, match="could not be asked for run 4200 of example/train: it refuses connections"),
    ):
        github.run(RUN_ID)


def test_what_is_left_of_the_hour_is_known_without_asking(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        assert github.allowance().remaining is None
        github.run(RUN_ID)
        assert github.allowance().remaining == 4999
        assert github.requests_sent == 1


def test_closing_leaves_no_thread_and_no_cancelled_request_unnoticed(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        github.run(RUN_ID)
        github.close()
        with pytest.raises(GitHubError, match="cancelled"):
            github.run(RUN_ID)
        assert [t for t in threading.enumerate() if t.name.startswith("triage-log")] == []


def test_other_repositories_are_not_there(tmp_path: Path) -> None:
    with (
        Server(make_world()) as server,
        connect("example/other", server.api_url, TOKEN, options=options(tmp_path)) as github,
        pytest.raises(ApiError, match="cannot find the repository"),
    ):
        assert github.contents.repository() == Repository(REPO, "main")


def test_logs_of_deleted_jobs_do_not_stop_the_others(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        found = dict(github.fetch_logs([make_job(1), make_job(999), make_job(3)]))
        assert [type(found[job]).__name__ for job in sorted(found, key=lambda job: job.id)] == [
            "StoredLog",
            "StoredLog",
            "Unavailable",
        ]
