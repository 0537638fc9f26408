"""Commits made through the API: blobs, a tree, a commit, a branch. Nothing is forced."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.replies import ApiError, UncertainWrite

_MODE = "100644"


class Publishing:
    """Objects of git are named by their content, so that creating one twice is creating it once: safe to repeat."""

    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def branch_sha(self, branch: str) -> str | None:
        """The commit a branch points at; None when there is no such branch."""
        what = f"the branch {branch}"
        try:
            body = self._client.send("GET", f"/repos/{self._repo}/git/ref/heads/{quote(branch)}", what).json()
        except ApiError as fault:
            if fault.status == 404:
                return None
            raise
        return decode.sha_of(body, what, "object")

    def commit(self, parent: str, message: str, files: Mapping[str, bytes | None]) -> str:
        """A commit on `parent` with these files written (None: removed); its sha. No branch moves.

        A file that is there already keeps its mode, so that a script stays executable.
        """
        what = f"a commit in {self._repo}"
        base = self._client.get(f"/repos/{self._repo}/git/commits/{parent}", what).json()
        base_tree = decode.sha_of(base, what, "tree")
        modes = self._modes(base_tree, what)
        entries = [self._entry(path, content, modes.get(path, _MODE)) for path, content in files.items()]
        tree = self._create("trees", {"base_tree": base_tree, "tree": entries}, what)
        return self._create("commits", {"message": message, "tree": tree, "parents": [parent]}, what)

    def _modes(self, tree: str, what: str) -> Mapping[str, str]:
        """Path -> mode. GitHub cuts the list of a tree beyond 100,000 entries; the rest count as plain files."""
        path = f"/repos/{self._repo}/git/trees/{tree}"
        body = self._client.get(path, what, {"recursive": "1"}).json()
        entries = [one for one in decode.entries(body, what) if one.get("type") == "blob"]
        return {str(one.get("path")): str(one.get("mode")) for one in entries}

    def _entry(self, path: str, content: bytes | None, mode: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": path, "mode": mode, "type": "blob", "sha": None}
        if content is not None:
            blob = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
            entry["sha"] = self._create("blobs", blob, f"the blob of {path}")
        return entry

    def _create(self, kind: str, body: Mapping[str, Any], what: str) -> str:
        reply = self._client.write("POST", f"/repos/{self._repo}/git/{kind}", what, body, idempotent=True)
        return decode.sha_of(reply.json(), what)

    def create_branch(self, branch: str, sha: str) -> None:
        """One that is there with the same content on the same parent is as good: the same patch was proposed before,
        and its commit differs in its time alone. Raises GitHubError for a branch with other content."""
        what = f"the branch {branch}"
        request = {"ref": f"refs/heads/{branch}", "sha": sha}
        try:
            self._client.write("POST", f"/repos/{self._repo}/git/refs", what, request)
        except (UncertainWrite, ApiError) as fault:
            if isinstance(fault, ApiError) and fault.status != 422:
                raise
            there = self.branch_sha(branch)
            if there is None:
                raise
            if there != sha and self._content(there) != self._content(sha):
                raise GitHubError(
                    f"{what} is there already, and holds something else.",
                    "Look at the pull request that it belongs to, or delete it.",
                ) from None

    def _content(self, sha: str) -> tuple[str, tuple[str, ...]]:
        """The tree of a commit, and its parents."""
        what = f"the commit {sha[:12]} of {self._repo}"
        body = self._client.get(f"/repos/{self._repo}/git/commits/{sha}", what).json()
        parents = decode.record(body, what).get("parents")
        listed = parents if isinstance(parents, list) else []
        return decode.sha_of(body, what, "tree"), tuple(decode.sha_of(one, what) for one in listed)

    def move_branch(self, branch: str, sha: str) -> None:
        """Fast-forward only: a branch that somebody else moved meanwhile is left alone (ApiError 422)."""
        path = f"/repos/{self._repo}/git/refs/heads/{quote(branch)}"
        self._client.write("PATCH", path, f"the branch {branch}", {"sha": sha, "force": False})
