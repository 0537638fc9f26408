"""A proved patch as a pull request: a branch, one commit, and a body with the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from triage.errors import NothingToTriage, UsageError
from triage.fixes.document import splice
from triage.fixes.refusal import Refusal
from triage.model.patch import Patch
from triage.model.run import PullRequest
from triage.pipeline.prescription import Prescription


class Publisher(Protocol):
    """What opening a pull request needs (fulfilled by `triage/github`)."""

    def commit(self, parent: str, message: str, files: Mapping[str, bytes | None]) -> str: ...

    def create_branch(self, branch: str, sha: str) -> None: ...


class PullRequests(Protocol):
    def open(self, title: str, body: str, head: str, base: str, draft: bool = False) -> PullRequest: ...


def open_pull_request(
    publishing: Publisher, pulls: PullRequests, prescription: Prescription, base: str, name: str, body: str
) -> PullRequest:
    """One commit on the tip of `base` with the first choice of every cause, on the branch `triage/<name>`.

    The prescription must have been worked out on that tip. Raises NothingToTriage without a patch, UsageError when two
    patches conflict, GitHubError with the permission that is lacking: files below .github/workflows need `workflows`,
    which the token of a workflow's own job never has.
    """
    chosen = prescription.chosen
    if not chosen or prescription.head is None:
        raise NothingToTriage("no patch could be proved: there is nothing to open a pull request for.")
    title = chosen[0].title if len(chosen) == 1 else f"{chosen[0].title}, and {len(chosen) - 1} more"
    files = _edited(prescription, chosen)
    branch = f"triage/{name}"
    sha = publishing.commit(prescription.head.sha, f"{title}\n\n{_reasons(chosen)}\n", files)
    publishing.create_branch(branch, sha)
    return pulls.open(title, body, branch, base)


def _edited(prescription: Prescription, chosen: tuple[Patch, ...]) -> Mapping[str, bytes | None]:
    head = prescription.head
    assert head is not None
    edits = [edit for patch in chosen for edit in prescription.drafts[patch.id].edits]
    files: dict[str, bytes | None] = {}
    for path in dict.fromkeys(edit.path for edit in edits):
        made = splice(head.read(path), [edit for edit in edits if edit.path == path])
        if isinstance(made, Refusal):
            raise UsageError(f"the patches cannot be made together: {made}.", "Open one for a single job with --job.")
        files[path] = made
    return files


def _reasons(chosen: tuple[Patch, ...]) -> str:
    return "\n".join(patch.because or patch.title for patch in chosen)
