"""The pull request behind a run, verified; pull requests and their changed files; opening one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.replies import ApiError, UncertainWrite
from triage.model.run import ChangedFile, NoPullRequest, PullRequest, Run

# No pull request stands behind these; asking would only cost requests.
_WITHOUT = frozenset({"schedule", "merge_group", "release", "repository_dispatch"})


class Pulls:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def get(self, number: int) -> PullRequest:
        what = f"pull request {number} of {self._repo}"
        return decode.decoded(
            decode.pull_request, self._client.get(f"/repos/{self._repo}/pulls/{number}", what).json(), what
        )

    def of(self, run: Run) -> PullRequest | NoPullRequest:
        """The pull request whose code the run tested, verified: ours, and at the run's commit.

        Looks at what the run names, then at pull requests of its branch, then at those of its commit. One that has
        moved on since is returned too: its `head_sha` then differs from the run's. Several are refused, not guessed.
        Raises GitHubError when GitHub cannot be asked.
        """
        if run.event in _WITHOUT:
            return NoPullRequest(f"The run was started by {run.event}.")
        older: dict[int, PullRequest] = {}
        for candidates in self._candidates(run):
            ours = {pull.number: pull for pull in candidates if pull.repo.lower() == run.repo.lower()}
            exact = [pull for pull in ours.values() if run.head_sha in (pull.head_sha, pull.merge_sha)]
            found = [pull for pull in exact if pull.state == "open"] or exact
            if len(found) == 1:
                return found[0]
            if found:
                return _several(found)
            older |= {number: pull for number, pull in ours.items() if pull.state == "open"}
        match list(older.values()):
            case []:
                return NoPullRequest("No pull request has this run's commit.")
            case [only] if only.head_ref == run.head_branch and only.head_repo == run.head_repo:
                return only
            case others:
                return _several(others)

    def _candidates(self, run: Run) -> Iterator[list[PullRequest]]:
        if run.pull_requests:
            yield [self.get(number) for number in run.pull_requests[:5]]
        if run.head_repo and run.head_branch:
            owner = run.head_repo.partition("/")[0]
            yield list(self._listed("pulls", {"state": "all", "head": f"{owner}:{run.head_branch}"}))
        yield list(self._listed(f"commits/{run.head_sha}/pulls", {}))

    def _listed(self, path: str, query: dict[str, str]) -> Iterator[PullRequest]:
        what = f"the pull requests of {self._repo}"
        try:
            for one in self._client.pages(f"/repos/{self._repo}/{path}", what, query, most=3):
                yield decode.decoded(decode.pull_request, one, what)
        except ApiError as fault:
            # A commit that only a deleted fork had is not known here: 404 or 422, and no candidates.
            if fault.status not in (404, 422):
                raise

    def files(self, number: int) -> tuple[ChangedFile, ...]:
        """GitHub lists 3,000 at most."""
        what = f"the files of pull request {number}"
        path = f"/repos/{self._repo}/pulls/{number}/files"
        return tuple(decode.decoded(decode.changed_file, one, what) for one in self._client.pages(path, what))

    def open(self, title: str, body: str, head: str, base: str, draft: bool = False) -> PullRequest:
        """`head` is a branch of this repository, or `owner:branch`. One that is open already is returned."""
        what = f"opening a pull request in {self._repo}"
        request = {"title": title, "body": body, "head": head, "base": base, "draft": draft}
        try:
            reply = self._client.write("POST", f"/repos/{self._repo}/pulls", what, request)
        except (UncertainWrite, ApiError) as fault:
            if isinstance(fault, ApiError) and fault.status != 422:
                raise
            existing = self._open_one(head, base)
            if existing is None:
                raise
            return existing
        return decode.decoded(decode.pull_request, reply.json(), what)

    def _open_one(self, head: str, base: str) -> PullRequest | None:
        owned = head if ":" in head else f"{self._repo.partition('/')[0]}:{head}"
        found = list(self._listed("pulls", {"state": "open", "head": owned, "base": base}))
        return found[0] if len(found) == 1 else None

    def review(self, number: int, sha: str, body: str, suggestions: Iterable[tuple[str, int, int, str]]) -> None:
        """A review with comments on `(path, first line, last line, body)`, lines of the new side of the diff."""
        comments = []
        for path, first, last, text in suggestions:
            place = {"path": path, "line": last, "side": "RIGHT", "body": text}
            comments.append(place | ({"start_line": first, "start_side": "RIGHT"} if first < last else {}))
        if not comments:
            raise GitHubError("A review needs at least one comment.")
        self._client.write(
            "POST",
            f"/repos/{self._repo}/pulls/{number}/reviews",
            f"reviewing pull request {number}",
            {"commit_id": sha, "event": "COMMENT", "body": body, "comments": comments},
        )


def _several(found: list[PullRequest]) -> NoPullRequest:
    numbers = tuple(sorted(pull.number for pull in found))
    listed = ", ".join(f"#{number}" for number in numbers)
    return NoPullRequest(f"Several pull requests fit ({listed}); none is guessed.", numbers)
