"""Our values -> GitHub's JSON, complete enough for GitHub's description: the inverse of `triage/github/decode.py`."""

from __future__ import annotations

from datetime import UTC, datetime

from triage.demo.server.addresses import LONG_AGO, Json, minimal_repository, node_id, number_of, user
from triage.demo.server.pull_payloads import pull_in_run
from triage.demo.server.world import World
from triage.model.run import Annotation, Artifact, CheckRun, Comment, Commit, Job, Run, Step


def time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def run(base: str, world: World, source: Run) -> Json:
    own = f"{base}/repos/{source.repo}/actions/runs/{source.id}"
    attempt = f"{own}/attempts/{source.attempt}"
    return {
        "id": source.id,
        "name": source.workflow,
        "node_id": node_id("WorkflowRun", source.id),
        "head_branch": source.head_branch or None,
        "head_sha": source.head_sha,
        "path": source.workflow_path,
        "display_title": source.display_title,
        "run_number": source.id % 100_000,
        "run_attempt": source.attempt,
        "event": source.event,
        "status": source.status,
        "conclusion": source.conclusion,
        "workflow_id": source.workflow_id or number_of(source.workflow_path),
        "check_suite_id": source.id + 1,
        "check_suite_node_id": node_id("CheckSuite", source.id + 1),
        "url": own,
        "html_url": source.url or f"{base}/{source.repo}/actions/runs/{source.id}",
        "pull_requests": [pull_in_run(base, pull) for pull in map(world.pull, source.pull_requests) if pull],
        "created_at": time(source.created_at) or LONG_AGO,
        "updated_at": time(source.updated_at) or time(source.created_at) or LONG_AGO,
        "run_started_at": time(source.started_at) or time(source.created_at) or LONG_AGO,
        "actor": user(base, source.actor or "octo-example"),
        "triggering_actor": user(base, source.actor or "octo-example"),
        "jobs_url": f"{attempt}/jobs",
        "logs_url": f"{attempt}/logs",
        "artifacts_url": f"{own}/artifacts",
        "cancel_url": f"{own}/cancel",
        "rerun_url": f"{own}/rerun",
        "previous_attempt_url": f"{own}/attempts/{source.attempt - 1}" if source.attempt > 1 else None,
        "check_suite_url": f"{base}/repos/{source.repo}/check-suites/{source.id + 1}",
        "workflow_url": f"{base}/repos/{source.repo}/actions/workflows/{source.workflow_id}",
        "head_commit": _head_commit(world, source),
        "repository": minimal_repository(base, source.repo),
        "head_repository": minimal_repository(base, source.head_repo) if source.head_repo else None,
    }


def _head_commit(world: World, source: Run) -> Json:
    known = world.commits.get(source.head_sha)
    person = {"name": known.author if known else "Example", "email": "dev@mail.example"}
    return {
        "id": source.head_sha,
        "tree_id": source.head_sha,
        "message": known.message if known else source.display_title,
        "timestamp": time(known.date if known else source.created_at) or LONG_AGO,
        "author": person,
        "committer": person,
    }


def job(base: str, world: World, source: Job) -> Json:
    run_of = world.attempt(source.run_id, source.attempt) or world.attempt(source.run_id)
    repo = world.repository.name
    lost = source.runner_name == ""
    return {
        "id": source.id,
        "run_id": source.run_id,
        "run_url": f"{base}/repos/{repo}/actions/runs/{source.run_id}",
        "run_attempt": source.attempt,
        "node_id": node_id("WorkflowJob", source.id),
        "head_sha": run_of.head_sha if run_of else "0" * 40,
        "head_branch": run_of.head_branch if run_of else None,
        "workflow_name": run_of.workflow if run_of else None,
        "url": f"{base}/repos/{repo}/actions/jobs/{source.id}",
        "html_url": source.url or f"{base}/{repo}/actions/runs/{source.run_id}/job/{source.id}",
        "check_run_url": f"{base}/repos/{repo}/check-runs/{source.id}",
        "status": source.status,
        "conclusion": source.conclusion,
        "created_at": time(source.created_at) or time(source.started_at) or LONG_AGO,
        "started_at": time(source.started_at) or LONG_AGO,
        "completed_at": time(source.completed_at),
        "name": source.name,
        "steps": [_step(one) for one in source.steps],
        "labels": list(source.labels),
        "runner_id": None if lost else number_of(source.runner_name),
        "runner_name": None if lost else source.runner_name,
        "runner_group_id": None if lost else 1,
        "runner_group_name": None if lost else "Default",
    }


def _step(source: Step) -> Json:
    return {
        "name": source.name,
        "status": source.status,
        "conclusion": source.conclusion,
        "number": source.number,
        "started_at": time(source.started_at),
        "completed_at": time(source.completed_at),
    }


def annotation(base: str, source: Annotation) -> Json:
    return {
        "path": source.path or ".github",
        "start_line": source.line or 1,
        "end_line": source.line or 1,
        "start_column": None,
        "end_column": None,
        "annotation_level": source.level,
        "title": source.title,
        "message": source.message,
        "raw_details": None,
        "blob_href": f"{base}/blob",
    }


def artifact(base: str, repo: str, source: Artifact) -> Json:
    own = f"{base}/repos/{repo}/actions/artifacts/{source.id}"
    return {
        "id": source.id,
        "node_id": node_id("Artifact", source.id),
        "name": source.name,
        "size_in_bytes": source.size,
        "url": own,
        "archive_download_url": f"{own}/zip",
        "expired": source.expired,
        "created_at": LONG_AGO,
        "expires_at": LONG_AGO,
        "updated_at": LONG_AGO,
    }


def check_run(base: str, repo: str, source: CheckRun, annotations: int = 0) -> Json:
    own = f"{base}/repos/{repo}/check-runs/{source.id}"
    output = {"title": source.name, "summary": "", "text": None, "annotations_count": annotations}
    return {
        "id": source.id,
        "name": source.name,
        "head_sha": source.head_sha,
        "node_id": node_id("CheckRun", source.id),
        "external_id": "",
        "url": own,
        "html_url": source.url or f"{base}/{repo}/runs/{source.id}",
        "details_url": None,
        "status": source.status,
        "conclusion": source.conclusion,
        "started_at": LONG_AGO,
        "completed_at": LONG_AGO if source.conclusion else None,
        "output": {**output, "annotations_url": f"{own}/annotations"},
        "check_suite": {"id": source.id + 1},
        "app": _app(base, source.app or "github-actions"),
        "pull_requests": [],
    }


def _app(base: str, slug: str) -> Json:
    return {
        "id": number_of(slug),
        "slug": slug,
        "node_id": node_id("App", number_of(slug)),
        "owner": user(base, "example"),
        "name": slug,
        "description": None,
        "external_url": base,
        "html_url": f"{base}/apps/{slug}",
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "permissions": {"checks": "write"},
        "events": [],
    }


def comment(base: str, repo: str, number: int, source: Comment) -> Json:
    return {
        "id": source.id,
        "node_id": node_id("IssueComment", source.id),
        "url": f"{base}/repos/{repo}/issues/comments/{source.id}",
        "html_url": source.url or f"{base}/{repo}/pull/{number}#issuecomment-{source.id}",
        "issue_url": f"{base}/repos/{repo}/issues/{number}",
        "body": source.body,
        "user": user(base, source.author),
        "created_at": time(source.created_at) or LONG_AGO,
        "updated_at": time(source.updated_at) or time(source.created_at) or LONG_AGO,
        "author_association": "NONE",
    }


def commit(base: str, repo: str, source: Commit) -> Json:
    own = f"{base}/repos/{repo}/commits/{source.sha}"
    person = {"name": source.author, "email": "dev@mail.example", "date": time(source.date) or LONG_AGO}
    return {
        "sha": source.sha,
        "node_id": node_id("Commit", number_of(source.sha)),
        "url": own,
        "html_url": source.url or f"{base}/{repo}/commit/{source.sha}",
        "comments_url": f"{own}/comments",
        "commit": {
            "url": f"{base}/repos/{repo}/git/commits/{source.sha}",
            "author": person,
            "committer": person,
            "message": source.message,
            "comment_count": 0,
            "tree": {"sha": source.sha, "url": f"{base}/repos/{repo}/git/trees/{source.sha}"},
        },
        "author": user(base, source.author),
        "committer": user(base, source.author),
        "parents": [{"sha": one, "url": f"{base}/repos/{repo}/commits/{one}"} for one in source.parents],
    }
