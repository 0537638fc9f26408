"""The repository itself: its name and default branch, files, commits, comparisons, and one snapshot of its tree."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import quote

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.paging import items_of
from triage.github.replies import ApiError
from triage.model.run import Commit, Comparison, Repository

CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")


class Contents:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def repository(self) -> Repository:
        what = f"the repository {self._repo}"
        return decode.decoded(decode.repository, self._client.get(f"/repos/{self._repo}", what).json(), what)

    def read(self, path: str, ref: str = "") -> bytes | None:
        """A file's bytes at `ref` (empty: the default branch); None when there is no such file.

        Raises GitHubError for a folder, a submodule or a link.
        """
        what = f"{path} of {self._repo}"
        try:
            reply = self._client.get(f"/repos/{self._repo}/contents/{quote(path)}", what, {"ref": ref})
        except ApiError as fault:
            if fault.status == 404:
                return None
            raise
        body = reply.json()
        if not isinstance(body, dict) or body.get("type") != "file":
            raise GitHubError(f"{what} is no file.", "Name a file.")
        if body.get("encoding") != "base64":
            # Above 1 MiB the content is left out; the blob has it up to 100 MiB.
            return self._blob(decode.sha_of(body, what), what)
        return _decoded(body.get("content"), what)

    def _blob(self, sha: str, what: str) -> bytes:
        body = decode.record(self._client.get(f"/repos/{self._repo}/git/blobs/{sha}", what).json(), what)
        return _decoded(body.get("content"), what)

    def folder(self, path: str, ref: str = "") -> tuple[str, ...]:
        """The paths of the files and folders right below `path`, folders with a slash at the end; empty without one."""
        what = f"the folder {path} of {self._repo}"
        try:
            reply = self._client.get(f"/repos/{self._repo}/contents/{quote(path)}", what, {"ref": ref})
        except ApiError as fault:
            if fault.status == 404:
                return ()
            raise
        listed = items_of(reply, "", what)
        return decode.paths(listed, what)

    def codeowners(self) -> str:
        """The text of the first CODEOWNERS file of the default branch, in GitHub's order; empty without one."""
        for path in CODEOWNERS:
            found = self.read(path)
            if found is not None:
                return found.decode("utf-8", "replace")
        return ""

    def commit(self, ref: str) -> Commit:
        """A branch, tag or sha -> its commit."""
        what = f"the commit {ref} of {self._repo}"
        return decode.decoded(
            decode.commit, self._client.get(f"/repos/{self._repo}/commits/{quote(ref)}", what).json(), what
        )

    def commits(self, path: str = "", ref: str = "", limit: int = 20) -> tuple[Commit, ...]:
        """The newest commits of a branch, or of a path on it."""
        what = f"the commits of {path or self._repo}"
        query = {"path": path, "sha": ref, "per_page": min(limit, 100)}
        found = self._client.pages(f"/repos/{self._repo}/commits", what, query, most=-(-limit // 100))
        return tuple(decode.decoded(decode.commit, one, what) for one in found)[:limit]

    def compare(self, base: str, head: str, most: int = 500) -> Comparison:
        """What head has that base lacks. `most` bounds the commits read; more than that are `truncated`."""
        what = f"{base[:12]}...{head[:12]} of {self._repo}"
        path = f"/repos/{self._repo}/compare/{quote(base)}...{quote(head)}"
        reply = self._client.get(path, what, {"per_page": 100})
        first = decode.record(reply.json(), what)
        commits: list[Commit] = []
        for page in self._client.onward(reply, what):
            commits += [decode.decoded(decode.commit, one, what) for one in items_of(page, "commits", what)]
            if len(commits) >= most:
                break
        return decode.comparison(base, head, first, tuple(commits[:most]))


def _decoded(content: object, what: str) -> bytes:
    try:
        return base64.b64decode(str(content))
    except (binascii.Error, ValueError):
        raise GitHubError(f"The content of {what} does not decode.") from None
