"""GitHub's JSON -> our values. Nothing else of triage knows GitHub's field names.

Fields that GitHub sometimes leaves out or sets to null get the value's default; a missing identity is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from triage.errors import GitHubError
from triage.github import fields
from triage.github.fields import Json
from triage.model.run import (
    Annotation,
    Artifact,
    ChangedFile,
    CheckRun,
    Comment,
    Commit,
    Comparison,
    Issue,
    Job,
    PullRequest,
    Repository,
    Run,
    Step,
)

T = TypeVar("T")
# An annotation may hold 64 KiB, a job hundreds of them, and all of it is searched for secrets.
_MOST_SAID = 4000


def record(value: Any, what: str) -> Json:
    """An object with an identity; GitHubError otherwise."""
    if not isinstance(value, Mapping):
        raise GitHubError(f"GitHub's answer for {what} is no object.", "Does --api-url name a GitHub?")
    return value


def decoded(decode: Callable[[Json], T], value: Any, what: str) -> T:
    """`decode(value)`; GitHubError when an answer lacks what makes it one (a proxy's page, another API)."""
    try:
        return decode(record(value, what))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as fault:
        raise GitHubError(
            f"GitHub's answer for {what} lacks a field or holds a wrong one ({fault!r:.80}).",
            "Does --api-url name a GitHub? `triage doctor` checks it.",
        ) from None


def total(body: Any, what: str) -> int:
    """`total_count` of a list's page; 0 where it is not told."""
    return fields.number(record(body, what).get("total_count"))


def sha_of(value: Any, what: str, *keys: str) -> str:
    """The commit, tree or blob that an answer names below `keys`; GitHubError where it names none."""
    return decoded(lambda source: fields.known_sha(fields.inner(source, *keys, "sha")), value, what)


def entries(body: Any, what: str) -> tuple[Json, ...]:
    """Those of a tree, as they are."""
    return decoded(lambda source: fields.objects(source.get("tree")), body, what)


def paths(listed: Iterable[Any], what: str) -> tuple[str, ...]:
    """Those of a folder's entries, folders with a slash at the end."""
    return tuple(decoded(_path, one, what) for one in listed)


def _path(source: Json) -> str:
    if not (path := fields.text(source["path"])):
        raise ValueError("no path")
    return path + ("/" if source.get("type") == "dir" else "")


def run(source: Json) -> Run:
    repo = fields.inner(source, "repository", "full_name")
    return Run(
        id=fields.identity(source["id"]),
        attempt=fields.number(source.get("run_attempt")) or 1,
        repo=repo,
        workflow=fields.text(source.get("name")),
        # Reusable workflows come as `path@ref`.
        workflow_path=fields.text(source.get("path")).partition("@")[0],
        event=fields.text(source.get("event")),
        status=fields.text(source.get("status")),
        conclusion=fields.word(source.get("conclusion")),
        head_sha=fields.sha(source.get("head_sha")),
        head_branch=fields.text(source.get("head_branch")),
        head_repo=fields.inner(source, "head_repository", "full_name"),
        workflow_id=fields.number(source.get("workflow_id")),
        display_title=fields.text(source.get("display_title")),
        actor=fields.inner(source, "actor", "login"),
        created_at=fields.time(source.get("created_at")),
        started_at=fields.time(source.get("run_started_at")),
        updated_at=fields.time(source.get("updated_at")),
        url=fields.text(source.get("html_url")),
        pull_requests=_pull_numbers(source),
    )


def _pull_numbers(source: Json) -> tuple[int, ...]:
    """Those of this repository: GitHub also lists pull requests of other repositories in the network."""
    own = fields.inner(source, "repository", "url")
    listed = fields.objects(source.get("pull_requests"))
    return tuple(fields.identity(pull["number"]) for pull in listed if fields.inner(pull, "base", "repo", "url") == own)


def step(source: Json) -> Step:
    return Step(
        number=fields.number(source.get("number")),
        name=fields.text(source.get("name")),
        status=fields.text(source.get("status")),
        conclusion=fields.word(source.get("conclusion")),
        started_at=fields.time(source.get("started_at")),
        completed_at=fields.time(source.get("completed_at")),
    )


def job(source: Json) -> Job:
    return Job(
        id=fields.identity(source["id"]),
        run_id=fields.number(source.get("run_id")),
        attempt=fields.number(source.get("run_attempt")) or 1,
        name=fields.text(source.get("name")),
        status=fields.text(source.get("status")),
        conclusion=fields.word(source.get("conclusion")),
        created_at=fields.time(source.get("created_at")),
        started_at=fields.time(source.get("started_at")),
        completed_at=fields.time(source.get("completed_at")),
        runner_name=fields.text(source.get("runner_name")),
        labels=fields.words(source.get("labels")),
        steps=tuple(step(one) for one in fields.objects(source.get("steps"))),
        url=fields.text(source.get("html_url")),
    )


def annotation(source: Json) -> Annotation:
    return Annotation(
        level=fields.text(source.get("annotation_level")),
        message=_shortened(fields.text(source.get("message"))),
        title=_shortened(fields.text(source.get("title"))),
        path=fields.text(source.get("path")),
        line=fields.number(source.get("start_line")),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"


def pull_request(source: Json) -> PullRequest:
    return PullRequest(
        number=fields.identity(source["number"]),
        repo=fields.inner(source, "base", "repo", "full_name"),
        title=fields.text(source.get("title")),
        author=fields.inner(source, "user", "login"),
        state=fields.text(source.get("state")),
        base_ref=fields.inner(source, "base", "ref"),
        base_sha=fields.sha(fields.inner(source, "base", "sha")),
        head_ref=fields.inner(source, "head", "ref"),
        head_sha=fields.sha(fields.inner(source, "head", "sha")),
        head_repo=fields.inner(source, "head", "repo", "full_name"),
        merge_sha=fields.sha(source.get("merge_commit_sha")),
        # Lists leave `merged` out; the time says the same.
        merged=bool(source.get("merged") or source.get("merged_at")),
        url=fields.text(source.get("html_url")),
    )


def artifact(source: Json) -> Artifact:
    return Artifact(
        id=fields.identity(source["id"]),
        name=fields.text(source.get("name")),
        size=fields.number(source.get("size_in_bytes")),
        expired=bool(source.get("expired")),
        url=fields.text(source.get("url")),
    )


def check_run(source: Json) -> CheckRun:
    return CheckRun(
        id=fields.identity(source["id"]),
        name=fields.text(source.get("name")),
        head_sha=fields.sha(source.get("head_sha")),
        status=fields.text(source.get("status")),
        conclusion=fields.word(source.get("conclusion")),
        app=fields.inner(source, "app", "slug"),
        url=fields.text(source.get("html_url")),
    )


def comment(source: Json) -> Comment:
    return Comment(
        id=fields.identity(source["id"]),
        body=fields.text(source.get("body")),
        author=fields.inner(source, "user", "login"),
        node_id=fields.text(source.get("node_id")),
        created_at=fields.time(source.get("created_at")),
        updated_at=fields.time(source.get("updated_at")),
        url=fields.text(source.get("html_url")),
    )


def issue(source: Json) -> Issue:
    return Issue(
        number=fields.identity(source["number"]),
        author=fields.inner(source, "user", "login"),
        body=fields.text(source.get("body")),
        pull_request="pull_request" in source,
        url=fields.text(source.get("html_url")),
    )


def commit(source: Json) -> Commit:
    return Commit(
        sha=fields.known_sha(source["sha"]),
        message=fields.inner(source, "commit", "message"),
        author=fields.inner(source, "author", "login") or fields.inner(source, "commit", "author", "name"),
        date=fields.time(fields.inner(source, "commit", "committer", "date")),
        parents=tuple(fields.known_sha(one["sha"]) for one in fields.objects(source.get("parents"))),
        url=fields.text(source.get("html_url")),
    )


def changed_file(source: Json) -> ChangedFile:
    return ChangedFile(
        path=fields.text(source.get("filename")),
        status=fields.text(source.get("status")),
        previous_path=fields.text(source.get("previous_filename")),
        patch=fields.text(source.get("patch")),
        additions=fields.number(source.get("additions")),
        deletions=fields.number(source.get("deletions")),
    )


def comparison(base: str, head: str, source: Json, commits: tuple[Commit, ...]) -> Comparison:
    return Comparison(
        base=base,
        head=head,
        status=fields.text(source.get("status")),
        merge_base=fields.sha(fields.inner(source, "merge_base_commit", "sha")),
        commits=commits,
        files=tuple(changed_file(one) for one in fields.objects(source.get("files"))),
        truncated=fields.number(source.get("total_commits")) > len(commits),
    )


def repository(source: Json) -> Repository:
    return Repository(
        name=fields.text(source.get("full_name")),
        default_branch=fields.text(source.get("default_branch")),
        private=bool(source.get("private")),
        url=fields.text(source.get("html_url")),
    )
