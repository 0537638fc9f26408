"""The many addresses that GitHub puts into users and repositories."""

from __future__ import annotations

import base64
import zlib
from typing import Any

from triage.model.run import Repository

Json = dict[str, Any]
# For times that nothing depends on.
LONG_AGO = "2026-01-01T00:00:00Z"

_USER_PATHS = {
    "followers_url": "followers",
    "following_url": "following{/other_user}",
    "gists_url": "gists{/gist_id}",
    "starred_url": "starred{/owner}{/repo}",
    "subscriptions_url": "subscriptions",
    "organizations_url": "orgs",
    "repos_url": "repos",
    "events_url": "events{/privacy}",
    "received_events_url": "received_events",
}
_REPOSITORY_PATHS = {
    "archive_url": "{archive_format}{/ref}",
    "assignees_url": "assignees{/user}",
    "blobs_url": "git/blobs{/sha}",
    "branches_url": "branches{/branch}",
    "collaborators_url": "collaborators{/collaborator}",
    "comments_url": "comments{/number}",
    "commits_url": "commits{/sha}",
    "compare_url": "compare/{base}...{head}",
    "contents_url": "contents/{+path}",
    "contributors_url": "contributors",
    "deployments_url": "deployments",
    "downloads_url": "downloads",
    "events_url": "events",
    "forks_url": "forks",
    "git_commits_url": "git/commits{/sha}",
    "git_refs_url": "git/refs{/sha}",
    "git_tags_url": "git/tags{/sha}",
    "hooks_url": "hooks",
    "issue_comment_url": "issues/comments{/number}",
    "issue_events_url": "issues/events{/number}",
    "issues_url": "issues{/number}",
    "keys_url": "keys{/key_id}",
    "labels_url": "labels{/name}",
    "languages_url": "languages",
    "merges_url": "merges",
    "milestones_url": "milestones{/number}",
    "notifications_url": "notifications{?since,all,participating}",
    "pulls_url": "pulls{/number}",
    "releases_url": "releases{/id}",
    "stargazers_url": "stargazers",
    "statuses_url": "statuses/{sha}",
    "subscribers_url": "subscribers",
    "subscription_url": "subscription",
    "tags_url": "tags",
    "teams_url": "teams",
    "trees_url": "git/trees{/sha}",
}


def number_of(text: str) -> int:
    """A stable number for a name."""
    return zlib.crc32(text.encode()) % 900_000_000 + 1


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def number_in(node: str) -> int:
    """What `node_id` was given; 0 for anything else."""
    try:
        return int(base64.b64decode(node).decode().rpartition(":")[2])
    except ValueError:
        return 0


def user(base: str, login: str) -> Json:
    number, own = number_of(login), f"{base}/users/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": node_id("User", number),
        "avatar_url": f"{base}/avatars/{number}",
        "gravatar_id": "",
        "url": own,
        "html_url": f"{base}/{login}",
        **{name: f"{own}/{path}" for name, path in _USER_PATHS.items()},
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
    }


def minimal_repository(base: str, full_name: str) -> Json:
    owner, _, name = full_name.partition("/")
    own, number = f"{base}/repos/{full_name}", number_of(full_name)
    return {
        "id": number,
        "node_id": node_id("Repository", number),
        "name": name,
        "full_name": full_name,
        "owner": user(base, owner),
        "private": False,
        "html_url": f"{base}/{full_name}",
        "description": None,
        "fork": False,
        "url": own,
        **{key: f"{own}/{path}" for key, path in _REPOSITORY_PATHS.items()},
    }


def full_repository(base: str, source: Repository) -> Json:
    site = f"{base}/{source.name}"
    counts = ("forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers")
    return {
        **minimal_repository(base, source.name),
        "private": source.private,
        "default_branch": source.default_branch,
        "clone_url": f"{site}.git",
        "git_url": f"{site}.git",
        "ssh_url": f"git@host.example:{source.name}.git",
        "svn_url": site,
        "mirror_url": None,
        "homepage": None,
        "language": "Python",
        "license": None,
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(("watchers_count", "network_count", "subscribers_count"), 0),
        **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
        **dict.fromkeys(("has_pages", "has_discussions", "archived", "disabled"), False),
        **dict.fromkeys(("pushed_at", "created_at", "updated_at"), LONG_AGO),
    }
