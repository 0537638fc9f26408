"""Every request that the adapter sends, and every answer that the server gives, against GitHub's own description."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.contract.description import FILE, Description
from tests.github.worlds import (
    BASE,
    FIRST,
    HEAD,
    NOW,
    RUN_ID,
    TOKEN,
    archive_of,
    make_job,
    make_run,
    make_world,
    private_key,
    served,
)
from triage.demo.server import LogState
from triage.demo.server.server import ROUTES, Exchange
from triage.github import ApiError, AppKey, GitHub, RunFilter
from triage.github.auth import InstallationAuth
from triage.model.run import Annotation, Unavailable

pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason="GitHub's description is not installed: run .ci/contract (needs npm)"
)

# GraphQL has a description of its own, of another kind.
DESCRIBED = [route for route in ROUTES if route.name != "graphql"]
GREEN = 4300


def drive(github: GitHub) -> None:
    """Every method of the adapter, with every kind of filter."""
    run = github.run(RUN_ID)
    read_actions(github)
    read_repository(github)
    github.pulls.of(run)
    github.pulls.of(replace(run, pull_requests=()))
    github.pulls.of(replace(run, pull_requests=(), head_branch="gone"))
    github.pulls.files(12)
    github.checks.of(HEAD)
    write(github)
    for body in ("<!-- report --> first", "<!-- report --> second"):
        github.issues.keep("<!-- report -->", "Report", body)
    find_installation(github)
    github.reruns.failed_jobs(run)
    github.reruns.whole(github.run(GREEN))
    github.reruns.job(make_job(62))


def find_installation(github: GitHub) -> None:
    auth = InstallationAuth(AppKey("1", private_key()), github.repo, github.api_url, True)
    assert auth.token == TOKEN


def read_actions(github: GitHub) -> None:
    run = github.run(RUN_ID)
    github.runs.attempts(github.run(GREEN))
    jobs = github.jobs(run)
    github.runs.all_jobs(run)
    github.runs.job(jobs[0].id)
    for job in jobs:
        github.log(job)
        github.annotations(job)
    github.runs.artifacts(run)
    window = RunFilter("", "faster", "pull_request", "failure", "someone", "", NOW, NOW + timedelta(hours=1))
    list(github.runs.list(window))
    list(github.runs.list(RunFilter("ci.yml", since=NOW)))
    github.runs.on_base(run, "main")
    github.runs.at(HEAD)
    github.run_page(NOW, NOW + timedelta(hours=1), 1)


def read_repository(github: GitHub) -> None:
    contents = github.contents
    contents.repository()
    contents.codeowners()
    contents.read("large.bin", HEAD)
    contents.folder("docs", HEAD)
    contents.commit("main")
    contents.commits("train.py", HEAD)
    contents.compare(BASE, HEAD)
    github.snapshot(HEAD)
    github.client.get("/rate_limit", "the limits")


def write(github: GitHub) -> None:
    made = github.comments.create(12, "<!-- mark --> hello", "<!-- mark -->")
    github.comments.list(12)
    github.comments.edit(made.id, "<!-- mark --> changed")
    github.comments.minimise(made)
    github.comments.delete(made.id)
    notes = [Annotation("warning", f"note {number}", "title", "train.py", number) for number in range(60)]
    github.checks.create("triage", HEAD, "neutral", "Title", "Summary", notes)
    sha = github.publishing.commit(BASE, "Fix it", {"train.py": b"print()\n", "old.py": None})
    github.publishing.create_branch("triage/fix", sha)
    github.publishing.branch_sha("triage/fix")
    github.publishing.move_branch("triage/fix", github.publishing.commit(sha, "More", {"a": b"\x00"}))
    pull = github.pulls.open("Fix it", "Body", "triage/fix", "main")
    github.pulls.review(pull.number, sha, "See", [("train.py", 1, 2, "text"), ("train.py", 3, 3, "text")])


@dataclass(frozen=True)
class Recorded:
    exchanges: dict[str, list[Exchange]]
    description: Description


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    world = make_world()
    green = make_run(GREEN, attempt=2, conclusion="success", pull_requests=(), head_branch="main")
    world.runs += [replace(green, attempt=1, conclusion="failure"), green]
    world.runs.append(make_run(4100, head_branch="main", event="push", head_repo=world.repository.name))
    world.jobs[GREEN, 1], world.jobs[GREEN, 2] = [make_job(60, run_id=GREEN)], [make_job(61, run_id=GREEN, attempt=2)]
    world.jobs[4100, 1] = [make_job(62, run_id=4100)]
    world.installation = 5
    world.logs |= {2: LogState.ABSENT, 3: LogState.NEVER_UPLOADED}
    world.archives[RUN_ID, 1] = archive_of({"0_train (2).txt": b"from the archive\n"})
    world.trees[HEAD]["large.bin"] = bytes(2 * 1024 * 1024)
    with served(world, tmp_path_factory.mktemp("cache"), record=True) as (server, github):
        drive(github)
        exchanges: dict[str, list[Exchange]] = {}
        for one in server.exchanges:
            exchanges.setdefault(one.operation, []).append(one)
    operations = {(route.method, route.template) for route in DESCRIBED}
    return Recorded(exchanges, Description(json.loads(FILE.read_text("utf-8")), operations))


def test_every_route_of_the_server_is_an_operation_of_github(recorded: Recorded) -> None:
    assert recorded.description.missing == []


@pytest.mark.parametrize("route", DESCRIBED, ids=[route.name for route in DESCRIBED])
def test_operation(recorded: Recorded, route: object) -> None:
    name = getattr(route, "name", "")
    exchanges = recorded.exchanges.get(name, [])
    assert exchanges, f"nothing asks for {name!r}"
    for one in exchanges:
        method, template = one.request.method, one.template
        assert recorded.description.errors_of_request(method, template, one.request.query, one.request.body) == []
        assert _errors_of_answer(recorded, one) == [], one.request.path


def _errors_of_answer(recorded: Recorded, one: Exchange) -> list[str]:
    found = recorded.description.errors_of_answer(
        one.request.method, one.template, one.response.status, one.response.body
    )
    # GitHub answers every conditional request this way, and describes it for few operations.
    if one.response.status == 304 and "if-none-match" in one.request.headers:
        return [] if one.response.body is None else ["304 with a body"]
    # GitHub documents errors only where it thought of them; an answer that says "not found" is one everywhere.
    if found == [f"status {one.response.status} is not described"] and one.response.status in (404, 422):
        return [] if isinstance(one.response.body, dict) and "message" in one.response.body else found
    return found


def test_the_archive_stands_in_for_a_log(tmp_path: Path) -> None:
    world = make_world()
    world.logs[2] = LogState.ABSENT
    world.archives[RUN_ID, 1] = archive_of({"0_train (2).txt": b"from the archive\n"})
    with served(world, tmp_path) as (_, github):
        log = github.log(make_job(2))
        assert not isinstance(log, Unavailable)
        with log.open() as stream:
            assert stream.read() == b"from the archive\n"


def _without(name: str) -> Callable[[dict[str, object]], None]:
    def change(body: dict[str, object]) -> None:
        del body[name]

    return change


def _with(name: str, value: object) -> Callable[[dict[str, object]], None]:
    def change(body: dict[str, object]) -> None:
        body[name] = value

    return change


@pytest.mark.parametrize(
    "change", [_without("head_sha"), _with("id", "four"), _with("created_at", "yesterday"), _with("repository", {})]
)
def test_a_wrong_answer_is_noticed(recorded: Recorded, change: Callable[[dict[str, object]], None]) -> None:
    one = recorded.exchanges["run"][0]
    body = copy.deepcopy(one.response.body)
    change(body)
    assert recorded.description.errors_of_answer("GET", one.template, 200, body)


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"per_page": "many"}, "query per_page"),
        ({"status": "broken"}, "query status"),
        ({"exclude_pull_requests": "1"}, "query exclude_pull_requests"),
        ({"colour": "red"}, "query 'colour' is not described"),
    ],
)
def test_a_wrong_query_is_noticed(recorded: Recorded, query: dict[str, str], complaint: str) -> None:
    template = "/repos/{owner}/{repo}/actions/runs"
    assert complaint in " ".join(recorded.description.errors_of_request("GET", template, query, b""))


@pytest.mark.parametrize("body", [b"", b'{"text": "x"}', b'{"body": 5}'])
def test_a_wrong_body_is_noticed(recorded: Recorded, body: bytes) -> None:
    template = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
    assert recorded.description.errors_of_request("POST", template, {}, body)


def test_unknown_runs_are_refused_as_github_refuses_them(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github), pytest.raises(ApiError, match="cannot find run 999"):
        github.run(999)


def test_first_is_a_parent(recorded: Recorded) -> None:
    bodies = [one.response.body for one in recorded.exchanges["compare"]]
    assert [commit["sha"] for commit in bodies[0]["commits"]] == [FIRST, HEAD]
