from pathlib import Path

import pytest

from tests.github.worlds import REPO, TOKEN, make_world, options, served
from triage.demo.server import LogState, Server, cut, primary_limit, status
from triage.github import connect
from triage.github.checkup import examine
from triage.model.checkup import Finding, State

SUBJECTS = ["address", "GitHub", "token", "repository", "runs", "logs", "annotations", "pull requests", "contents"]


def by_subject(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.subject: finding for finding in findings}


def test_all_is_well(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        found = list(examine(github, {}))
        assert [finding.subject for finding in found] == SUBJECTS
        assert {finding.state for finding in found} == {State.OK}
        assert "triage[bot]" in found[2].detail
        assert server.calls.count("blob") == 1
        assert TOKEN not in str(found)
        assert "sig=" not in str(found)


@pytest.mark.parametrize(
    ("operation", "code", "subject", "state"),
    [
        ("repository", 404, "repository", State.PROBLEM),
        ("list runs", 403, "runs", State.PROBLEM),
        ("job log", 403, "logs", State.PROBLEM),
        ("blob", 403, "logs", State.NOTE),
        ("annotations", 403, "annotations", State.NOTE),
        ("list pulls", 403, "pull requests", State.PROBLEM),
        ("contents", 403, "contents", State.PROBLEM),
        ("graphql", 403, "token", State.NOTE),
    ],
)
def test_what_is_refused_is_named(tmp_path: Path, operation: str, code: int, subject: str, state: State) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status(operation, code, "Resource not accessible by personal access token", times=9))
        assert by_subject(list(examine(github, {})))[subject].state is state


def test_a_refused_token_ends_the_examination(tmp_path: Path) -> None:
    with (
        Server(make_world()) as server,
        connect(REPO, server.api_url, "ghp_wrong0123456789ab", options=options(tmp_path)) as github,
    ):
        found = list(examine(github, {}))
        assert [finding.subject for finding in found] == ["address", "GitHub", "token", "skipped"]
        assert [finding.state for finding in found[1:3]] == [State.OK, State.PROBLEM]
        assert "--token" in found[2].remedy


def test_a_repository_that_is_not_found_ends_the_examination(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(status("repository", 404, "Not Found", times=9))
        found = list(examine(github, {}))
        assert [finding.subject for finding in found] == ["address", "GitHub", "token", "repository", "skipped"]
        assert "the number" not in found[3].remedy


def test_gh_is_advised_only_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gh = tmp_path / "gh"
    with Server(make_world()) as server, connect(REPO, server.api_url, options=options(tmp_path)) as github:
        for advised in (False, True):
            monkeypatch.setenv("PATH", str(tmp_path))
            assert ("gh auth login" in by_subject(list(examine(github, {})))["token"].remedy) is advised
            gh.write_text("#!/bin/sh\nexit 1\n")
            gh.chmod(0o755)


def test_nobody_listening(tmp_path: Path) -> None:
    with Server(make_world()) as server:
        address = server.api_url
    with connect(REPO, address, TOKEN, options=options(tmp_path)) as github:
        states = [finding.state for finding in examine(github, {})]
        assert states[:2] == [State.OK, State.PROBLEM]
        assert State.OK not in states[2:]


def test_without_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    world = make_world()
    world.token = ""
    with Server(world) as server, connect(REPO, server.api_url, options=options(tmp_path)) as github:
        assert by_subject(list(examine(github, {})))["token"].state is State.PROBLEM


def test_a_store_behind_a_firewall(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(cut("blob", times=9))
        found = by_subject(list(examine(github, {})))["logs"]
        assert found.state is State.PROBLEM
        assert "firewall" in found.remedy


def test_a_log_that_is_gone_says_nothing_about_the_store(tmp_path: Path) -> None:
    world = make_world()
    world.logs[1] = LogState.EXPIRED
    with served(world, tmp_path) as (_, github):
        assert by_subject(list(examine(github, {})))["logs"].state is State.NOTE


def test_few_requests_left_are_noted(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(primary_limit("rate limit", 3600, code=200))
        assert by_subject(list(examine(github, {})))["GitHub"].state is State.NOTE


def test_proxies_are_named_and_not_shown(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        found = next(examine(github, {"HTTPS_PROXY": "http://user:secret@proxy.example", "SSL_CERT_FILE": "/x"}))
        assert "HTTPS_PROXY, SSL_CERT_FILE" in found.detail
        assert "secret" not in found.detail
