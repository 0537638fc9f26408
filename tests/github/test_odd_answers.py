"""Answers that no GitHub should give: the wrong type in any field, limits in words, lists without an end, redirects."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.github.worlds import BASE, NOW, REPO, RUN_ID, make_job, make_pull, make_run, make_world, served
from triage.demo.server import Fault, Server, payloads
from triage.demo.server.pull_payloads import pull_request
from triage.errors import GitHubError
from triage.github import RunFilter, decode
from triage.github.blobs import _begin, _State
from triage.github.replies import Reply, Wait, allowance_in, decide, message_of

BAD: tuple[Any, ...] = (
    *(None, True, 5, -1, 10**30, float("inf"), float("nan"), "", "x", [], {}, [None], [7], {"a": 1}),
    *("2026-01-01T00:00:00", "9999-12-31T23:59:59-14:00", "0002-01-01T00:00:00+14:00", "a\ud800b", "../../../etc"),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a JSON value, itself included."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def with_bad(value: Any, path: tuple[Any, ...], bad: Any) -> Any:
    if not path:
        return bad
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = bad
    return changed


def answers() -> Mapping[str, tuple[Any, Any]]:
    world = make_world()
    base = "http://api.example"
    commit = {"sha": BASE, "commit": {"message": "x", "author": {"name": "y"}}, "parents": [{"sha": BASE}]}
    return {
        "run": (decode.run, payloads.run(base, world, make_run())),
        "job": (decode.job, payloads.job(base, world, make_job(1))),
        "pull request": (decode.pull_request, pull_request(base, world, make_pull(), whole=True)),
        "commit": (decode.commit, commit),
        "issue": (decode.issue, {"number": 1, "user": {"login": "x"}, "body": "y", "html_url": "z"}),
        "comment": (decode.comment, {"id": 1, "user": {"login": "x"}, "body": "y", "created_at": "z"}),
        "annotation": (decode.annotation, {"annotation_level": "x", "message": "y", "start_line": 3}),
        "file": (decode.changed_file, {"filename": "x", "status": "y", "additions": 3, "patch": "z"}),
    }


@pytest.mark.parametrize("name", answers())
def test_a_field_of_the_wrong_type_is_a_default_or_an_error_with_a_remedy(name: str) -> None:
    decoded, payload = answers()[name]
    good = decode.decoded(decoded, payload, name)
    assert good
    for path in places(payload):
        for bad in BAD:
            check(made(decoded, with_bad(payload, path, bad), name), f"{name}{path} {bad!r}")


def made(decoded: Any, payload: Any, name: str) -> Any:
    """The value, or the error; whatever else is raised is a fault."""
    try:
        return decode.decoded(decoded, payload, name)
    except GitHubError as fault:
        return fault


def check(found: Any, where: str) -> None:
    """What the rest of triage may rely on: hashable words that can be printed, times that can be compared."""
    if isinstance(found, GitHubError):
        assert where.partition("(")[0] in found.message
        assert found.remedy
        return
    assert hash(found) is not None, where
    for name in found.__dataclass_fields__:
        value = getattr(found, name)
        if isinstance(value, str):
            value.encode()
        if isinstance(value, datetime):
            assert (value - timedelta(days=366)) < datetime.now(UTC) or value > NOW, where
        if isinstance(value, int):
            assert 0 <= value < 2**63, where
        if name.endswith("sha"):
            assert "/" not in value, where


@pytest.mark.parametrize("total", ["x", {}, None, -1, float("inf"), 10**400])
def test_a_count_that_is_none_counts_nothing(tmp_path: Path, total: Any) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        listed = {"total_count": total, "jobs": [payloads.job(server.api_url, server.world, make_job(1))]}
        server.inject(Fault("attempt jobs", status=200, body=json.dumps(listed).encode()))
        assert [job.id for job in github.runs.job_page(make_run(), 1).jobs] == [1]


@pytest.mark.parametrize("entry", [None, "x", [], {}, {"path": None}, {"path": 5}])
def test_a_folder_of_what_is_no_file_is_an_error(tmp_path: Path, entry: Any) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        server.inject(Fault("contents", status=200, body=json.dumps([entry]).encode()))
        with pytest.raises(GitHubError, match=r"the folder \.github of example/train"):
            github.contents.folder(".github")


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"message": {"a": 1}, "errors": 5}', '{"errors": [null, 7]}', "\ud800"]
)
def test_the_words_of_an_odd_error_are_none(body: str) -> None:
    assert message_of(Reply(422, {}, body)) == ""


def test_what_is_nested_without_an_end_is_no_json() -> None:
    with pytest.raises(GitHubError, match="not JSON"):
        Reply(200, {}, "[" * 100_000).json()


ODD_LIMITS = ("soon", "inf", "nan", "-5", "9" * 400, "1e999", "", "0x10")


@pytest.mark.parametrize("value", ODD_LIMITS)
def test_limits_in_words_are_as_good_as_none(tmp_path: Path, value: str) -> None:
    headers = tuple((f"X-RateLimit-{name}", value) for name in ("Limit", "Remaining", "Reset", "Used"))
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        body = json.dumps(payloads.run(server.api_url, server.world, make_run())).encode()
        server.inject(Fault("run", status=200, headers=headers, body=body))
        assert github.run(RUN_ID).id == RUN_ID


@pytest.mark.parametrize("value", ODD_LIMITS)
def test_a_wait_of_no_length_is_a_minute(value: str) -> None:
    found = decide(Reply(429, {"retry-after": value, "date": "soon"}, ""), 1)
    assert isinstance(found, Wait)
    assert found.seconds in (1.0, 60.0)
    allowance_in(Reply(200, {"x-ratelimit-remaining": "1", "x-ratelimit-reset": "1"}, ""))


def test_a_list_that_goes_on_elsewhere_is_not_followed_there(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        link = (("Link", '<http://elsewhere.example/x?page=2>; rel="next"'),)
        server.inject(Fault("list comments", status=200, headers=link, body=b"[]"))
        with pytest.raises(GitHubError, match="another address"):
            github.comments.list(12)


def test_a_list_that_leads_back_ends(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        address = f"{server.api_url}/repos/{REPO}/actions/runs?page=2"
        body = json.dumps(
            {"total_count": 1, "workflow_runs": [payloads.run(server.api_url, server.world, make_run())]}
        ).encode()
        link = (("Link", f'<{address}>; rel="next"'),)
        server.inject(Fault("list runs", times=999, status=200, headers=link, body=body))
        assert [run.id for run in github.runs.list(RunFilter())] == [RUN_ID]
        assert len(server.calls) == 2


def test_a_write_follows_its_repository_to_its_new_name(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        new = f"{server.api_url}/repos/{REPO}/actions/runs/{RUN_ID}/rerun-failed-jobs"
        server.inject(Fault("rerun", status=307, headers=(("Location", new),)))
        github.reruns.whole(make_run())
        assert server.world.reruns == [f"{RUN_ID} rerun-failed-jobs"]


@pytest.mark.parametrize("code", [301, 302, 303, 304, 307, 308])
def test_a_write_that_was_only_sent_elsewhere_is_no_success(tmp_path: Path, code: int) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        own = f"{server.api_url}/repos/{REPO}/actions/runs/{RUN_ID}/rerun"
        server.inject(Fault("rerun", times=999, status=code, headers=(("Location", own),)))
        with pytest.raises(GitHubError, match=r"circle|was not done") as raised:
            github.reruns.whole(make_run())
        assert raised.value.remedy
        assert server.world.reruns == []


@pytest.mark.parametrize("address", ["http://elsewhere.example/x", "http://[", ""])
def test_a_write_takes_the_token_to_no_other_host(tmp_path: Path, address: str) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        server.inject(Fault("rerun", times=999, status=307, headers=(("Location", address),)))
        with pytest.raises(GitHubError, match="redirects"):
            github.reruns.whole(make_run())


@pytest.mark.parametrize("length", ["x", "-1", "9" * 30, "٣"])
def test_a_length_that_is_none_does_not_end_a_transfer(tmp_path: Path, length: str) -> None:
    answer = SimpleNamespace(status_code=200, headers={"Content-Length": length})
    with (tmp_path / "x").open("wb") as stream:
        state = replace(_State(), received=5)
        assert _begin(answer, stream, state) is None  # type: ignore[arg-type] # what `_begin` reads of one
        assert state.total == 0


@pytest.mark.parametrize(
    ("operation", "body", "said"),
    [
        ("run", {"id": RUN_ID + 1, "status": "completed"}, f"is of run {RUN_ID + 1}"),
        ("run", "<html>", f"answer for run {RUN_ID} of {REPO} (HTTP 200) is not JSON"),
        ("attempt jobs", {"total_count": 3, "jobs": []}, f"counts 3 of the jobs of run {RUN_ID}, and lists none"),
        ("attempt jobs", [], f"answer for the jobs of run {RUN_ID} holds no list"),
    ],
)
def test_an_answer_to_another_question_is_no_run_without_jobs(
    operation: str, body: object, said: str, tmp_path: Path
) -> None:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    with served(make_world(), tmp_path) as (server, github):
        run = github.run(RUN_ID)
        server.inject(Fault(operation, status=200, body=content))
        with pytest.raises(GitHubError) as raised:
            github.jobs(run) if operation == "attempt jobs" else github.run(RUN_ID)
    assert said in str(raised.value)
    assert raised.value.remedy


def _page_of_jobs(server: Server, first: int, last: int, total: int) -> bytes:
    listed = [payloads.job(server.api_url, server.world, make_job(number)) for number in range(first, last + 1)]
    return json.dumps({"total_count": total, "jobs": listed}).encode()


def test_a_list_whose_next_page_nobody_names_is_read_to_its_end(tmp_path: Path) -> None:
    """A proxy drops the header; the failed job may be the last one."""
    with served(make_world(3, 147), tmp_path) as (server, github):
        server.inject(Fault("attempt jobs", status=200, body=_page_of_jobs(server, 1, 100, 150)))
        assert len(github.jobs(make_run())) == 150
        assert len(server.calls) == 2


@pytest.mark.parametrize(("last", "total", "asked"), [(99, 150, 1), (100, 250, 2), (3, 4, 1)])
def test_a_list_that_ends_before_what_it_counts_is_an_error(last: int, total: int, asked: int, tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        pages = [_page_of_jobs(server, 1, last, total), _page_of_jobs(server, 1, 0, total)]
        server.inject(*(Fault("attempt jobs", times=1, status=200, body=body) for body in pages))
        with pytest.raises(
            GitHubError, match=f"counts {total} of the jobs of run {RUN_ID}, and lists {last}"
        ) as raised:
            github.jobs(make_run())
        assert raised.value.remedy
        assert len(server.calls) == asked


def test_comments_that_lead_back_are_not_all_there_are(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        link = (("Link", f'<{server.api_url}/repos/{REPO}/issues/12/comments?page=2>; rel="next"'),)
        server.inject(Fault("list comments", times=999, status=200, headers=link, body=b"[]"))
        with pytest.raises(GitHubError, match="list of the comments of #12 does not end within 2 pages"):
            github.comments.list(12)


def test_a_list_without_an_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.github.client.MAX_PAGES", 1)
    with served(make_world(3, 147), tmp_path) as (_, github):
        with pytest.raises(GitHubError, match="counts 150 of the jobs"):
            github.jobs(make_run())
        assert (
            len(list(github.client.pages(f"/repos/{REPO}/actions/runs/{RUN_ID}/jobs", "x", key="jobs", most=1))) == 100
        )
