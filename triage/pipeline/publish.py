"""A proved patch as a pull request: a branch, one commit, and a body with the evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from triage.errors import GitHubError, NothingToTriage, UsageError
from triage.fixes.document import splice
from triage.fixes.refusal import Refusal
from triage.model.patch import Patch
from triage.model.run import PullRequest
from triage.output.comment import LIMIT
from triage.output.plain import plain, shorten
from triage.pipeline.prescription import Prescription

# GitHub refuses longer ones.
_LONGEST_TITLE = 200
_REFUSED = (403, 404, 422)


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
    try:
        sha = publishing.commit(prescription.head.sha, _harmless(f"{title}\n\n{_reasons(chosen)}\n"), files)
        publishing.create_branch(branch, sha)
        return pulls.open(shorten(_harmless(title), _LONGEST_TITLE), _fitting(body), branch, base)
    except GitHubError as fault:
        fault.remedy = " ".join(filter(None, [fault.remedy, _workflow_remedy(fault, files)]))
        raise


def _harmless(text: str) -> str:
    """What was captured in a log may stand in it: GitHub reads mentions and references also where no Markdown is."""
    lines = map(plain, text.split("\n"))
    return "\n".join(lines).replace("@", "@\u200b").replace("#", "#\u200b")


def _workflow_remedy(fault: GitHubError, files: Mapping[str, object]) -> str:
    if getattr(fault, "status", 0) not in _REFUSED or not any(path.startswith(".github/workflows/") for path in files):
        return ""
    return (
        "The patch changes files below .github/workflows: that takes a token with `workflows: write` (the `workflow` "
        "scope), which a job's own token never has. --patch FILE writes the patch instead."
    )


def _fitting(body: str) -> str:
    """Cut at the end of a line, and said so; a fence that the cut leaves open is closed."""
    if len(body) <= LIMIT:
        return body
    kept = body[:LIMIT].rpartition("\n")[0]
    fences = [found[0] for found in re.finditer(r"(?m)^`{3,}", kept)]
    opened = ""
    for ticks in fences:
        opened = "" if ticks == opened else opened or ticks
    return f"{kept}\n{opened}\n\nThe rest is left out: `triage run` prints all of it.\n"


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
