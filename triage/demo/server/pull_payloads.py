"""Pull requests as GitHub's JSON: whole, as lists show them, and as runs name them."""

from __future__ import annotations

from dataclasses import replace

from triage.demo.server.addresses import LONG_AGO, Json, full_repository, node_id, number_of, user
from triage.demo.server.world import World
from triage.model.run import PullRequest


def pull_in_run(base: str, source: PullRequest) -> Json:
    own = f"{base}/repos/{source.repo}/pulls/{source.number}"
    return {
        "id": number_of(own),
        "number": source.number,
        "url": own,
        "head": _short_end(base, source.head_ref, source.head_sha, source.head_repo or source.repo),
        "base": _short_end(base, source.base_ref, source.base_sha, source.repo),
    }


def _short_end(base: str, ref: str, sha: str, repo: str) -> Json:
    short = {"id": number_of(repo), "url": f"{base}/repos/{repo}", "name": repo.partition("/")[2]}
    return {"ref": ref, "sha": sha, "repo": short}


def pull_request(base: str, world: World, source: PullRequest, whole: bool) -> Json:
    """`whole`: as one pull request is shown, not as lists show it."""
    own = f"{base}/repos/{source.repo}/pulls/{source.number}"
    issue, site = f"{base}/repos/{source.repo}/issues/{source.number}", f"{base}/{source.repo}/pull/{source.number}"
    links = {"self": own, "html": site, "issue": issue, "comments": f"{issue}/comments"}
    links |= {"review_comments": f"{own}/comments", "review_comment": f"{own}/comments{{/number}}"}
    links |= {"commits": f"{own}/commits", "statuses": f"{base}/repos/{source.repo}/statuses/{source.head_sha}"}
    shown = {
        "id": number_of(own),
        "node_id": node_id("PullRequest", source.number),
        "number": source.number,
        "state": source.state,
        "locked": False,
        "title": source.title,
        "user": user(base, source.author),
        "body": None,
        "labels": [],
        "milestone": None,
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "closed_at": None if source.state == "open" else LONG_AGO,
        "merged_at": LONG_AGO if source.merged else None,
        "merge_commit_sha": source.merge_sha or None,
        "assignee": None,
        "head": _end(base, world, source.head_ref, source.head_sha, source.head_repo),
        "base": _end(base, world, source.base_ref, source.base_sha, source.repo),
        "_links": {name: {"href": address} for name, address in links.items()},
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
        "url": own,
        "html_url": source.url or site,
        "diff_url": f"{site}.diff",
        "patch_url": f"{site}.patch",
        "issue_url": issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
    }
    return shown | _counts(source) if whole else shown


def _counts(source: PullRequest) -> Json:
    counted = ("comments", "review_comments", "commits", "additions", "deletions", "changed_files")
    return {
        **dict.fromkeys(counted, 1),
        "merged": source.merged,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged_by": None,
        "maintainer_can_modify": True,
    }


def _end(base: str, world: World, ref: str, sha: str, repo: str) -> Json:
    owner = repo.partition("/")[0] or "ghost"
    shown = full_repository(base, replace(world.repository, name=repo)) if repo else None
    return {"label": f"{owner}:{ref}", "ref": ref, "sha": sha, "repo": shown, "user": user(base, owner)}
