"""GitHub's JSON -> our values. Nothing else of triage knows GitHub's field names.

Fields that GitHub sometimes leaves out or sets to null get the value's default; a missing identity is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from triage.errors import GitHubError
from triage.model.run import (
    Annotation,
    Artifact,
    ChangedFile,
    CheckRun,
    Comment,
    Commit,
    Comparison,
    Job,
    PullRequest,
    Repository,
    Run,
    Step,
)

Json = Mapping[str, Any]
T = TypeVar("T")


def record(value: Any, what: str) -> Json:
    """An object with an identity; GitHubError otherwise."""
    if not isinstance(value, Mapping):
        raise GitHubError(f"GitHub's answer for {what} is no object.", "Does --api-url name a GitHub?")
    return value


def decoded(decode: Callable[[Json], T], value: Any, what: str) -> T:
    """`decode(value)`; GitHubError when an answer lacks what makes it one (a proxy's page, another API)."""
    try:
        return decode(record(value, what))
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise GitHubError(f"GitHub's answer for {what} lacks a field or holds a wrong one ({fault!r:.80}).") from None


def time(value: Any) -> datetime | None:
    """ISO 8601 with any offset; the runner's zero time (year 1) and null are None."""
    if not isinstance(value, str) or not value or value.startswith("0001-"):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _inner(source: Json, *keys: str) -> str:
    """A text inside nested objects, any of which may be null."""
    found: Any = source
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return _text(found)


def run(source: Json) -> Run:
    repo = _inner(source, "repository", "full_name")
    return Run(
        id=int(source["id"]),
        attempt=int(source.get("run_attempt") or 1),
        repo=repo,
        workflow=_text(source.get("name")),
        # Reusable workflows come as `path@ref`.
        workflow_path=_text(source.get("path")).partition("@")[0],
        event=_text(source.get("event")),
        status=_text(source.get("status")),
        conclusion=source.get("conclusion"),
        head_sha=_text(source.get("head_sha")),
        head_branch=_text(source.get("head_branch")),
        head_repo=_inner(source, "head_repository", "full_name"),
        workflow_id=int(source.get("workflow_id") or 0),
        display_title=_text(source.get("display_title")),
        actor=_inner(source, "actor", "login"),
        created_at=time(source.get("created_at")),
        started_at=time(source.get("run_started_at")),
        updated_at=time(source.get("updated_at")),
        url=_text(source.get("html_url")),
        pull_requests=_pull_numbers(source),
    )


def _pull_numbers(source: Json) -> tuple[int, ...]:
    """Those of this repository: GitHub also lists pull requests of other repositories in the network."""
    own = _inner(source, "repository", "url")
    listed = [pull for pull in source.get("pull_requests") or () if isinstance(pull, Mapping)]
    return tuple(int(pull["number"]) for pull in listed if _inner(pull, "base", "repo", "url") == own)


def step(source: Json) -> Step:
    return Step(
        number=int(source.get("number") or 0),
        name=_text(source.get("name")),
        status=_text(source.get("status")),
        conclusion=source.get("conclusion"),
        started_at=time(source.get("started_at")),
        completed_at=time(source.get("completed_at")),
    )


def job(source: Json) -> Job:
    return Job(
        id=int(source["id"]),
        run_id=int(source.get("run_id") or 0),
        attempt=int(source.get("run_attempt") or 1),
        name=_text(source.get("name")),
        status=_text(source.get("status")),
        conclusion=source.get("conclusion"),
        created_at=time(source.get("created_at")),
        started_at=time(source.get("started_at")),
        completed_at=time(source.get("completed_at")),
        runner_name=_text(source.get("runner_name")),
        labels=tuple(str(label) for label in source.get("labels") or ()),
        steps=tuple(step(one) for one in source.get("steps") or ()),
        url=_text(source.get("html_url")),
    )


def annotation(source: Json) -> Annotation:
    return Annotation(
        level=_text(source.get("annotation_level")),
        message=_text(source.get("message")),
        title=_text(source.get("title")),
        path=_text(source.get("path")),
        line=int(source.get("start_line") or 0),
    )


def pull_request(source: Json) -> PullRequest:
    return PullRequest(
        number=int(source["number"]),
        repo=_inner(source, "base", "repo", "full_name"),
        title=_text(source.get("title")),
        author=_inner(source, "user", "login"),
        state=_text(source.get("state")),
        base_ref=_inner(source, "base", "ref"),
        base_sha=_inner(source, "base", "sha"),
        head_ref=_inner(source, "head", "ref"),
        head_sha=_inner(source, "head", "sha"),
        head_repo=_inner(source, "head", "repo", "full_name"),
        merge_sha=_text(source.get("merge_commit_sha")),
        # Lists leave `merged` out; the time says the same.
        merged=bool(source.get("merged") or source.get("merged_at")),
        url=_text(source.get("html_url")),
    )


def artifact(source: Json) -> Artifact:
    return Artifact(
        id=int(source["id"]),
        name=_text(source.get("name")),
        size=int(source.get("size_in_bytes") or 0),
        expired=bool(source.get("expired")),
        url=_text(source.get("url")),
    )


def check_run(source: Json) -> CheckRun:
    return CheckRun(
        id=int(source["id"]),
        name=_text(source.get("name")),
        head_sha=_text(source.get("head_sha")),
        status=_text(source.get("status")),
        conclusion=source.get("conclusion"),
        app=_inner(source, "app", "slug"),
        url=_text(source.get("html_url")),
    )


def comment(source: Json) -> Comment:
    return Comment(
        id=int(source["id"]),
        body=_text(source.get("body")),
        author=_inner(source, "user", "login"),
        node_id=_text(source.get("node_id")),
        created_at=time(source.get("created_at")),
        updated_at=time(source.get("updated_at")),
        url=_text(source.get("html_url")),
    )


def commit(source: Json) -> Commit:
    return Commit(
        sha=str(source["sha"]),
        message=_inner(source, "commit", "message"),
        author=_inner(source, "author", "login") or _inner(source, "commit", "author", "name"),
        date=time(_inner(source, "commit", "committer", "date")),
        parents=tuple(str(parent["sha"]) for parent in source.get("parents") or ()),
        url=_text(source.get("html_url")),
    )


def changed_file(source: Json) -> ChangedFile:
    return ChangedFile(
        path=_text(source.get("filename")),
        status=_text(source.get("status")),
        previous_path=_text(source.get("previous_filename")),
        patch=_text(source.get("patch")),
        additions=int(source.get("additions") or 0),
        deletions=int(source.get("deletions") or 0),
    )


def comparison(base: str, head: str, source: Json, commits: tuple[Commit, ...]) -> Comparison:
    return Comparison(
        base=base,
        head=head,
        status=_text(source.get("status")),
        merge_base=_inner(source, "merge_base_commit", "sha"),
        commits=commits,
        files=tuple(changed_file(one) for one in source.get("files") or ()),
        truncated=int(source.get("total_commits") or 0) > len(commits),
    )


def repository(source: Json) -> Repository:
    return Repository(
        name=_text(source.get("full_name")),
        default_branch=_text(source.get("default_branch")),
        private=bool(source.get("private")),
        url=_text(source.get("html_url")),
    )
