"""All workflows at the head of a pull request as one result, and what the bot says of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import triage
from triage.diagnosis.codeowners import owners_of
from triage.errors import NothingToTriage
from triage.interfaces import RunSource
from triage.model.configuration import Configuration
from triage.model.diagnosis import VerdictValue
from triage.model.patch import PatchState
from triage.model.result import CauseGroup, TriageResult
from triage.model.run import ChangedFile, Commit, PullRequest, Run
from triage.output.comment import Context, all_passed, needs_author, render
from triage.output.marker import cause_digest
from triage.output.suggestions import Suggestion, suggestions
from triage.pipeline.comment import Saying
from triage.pipeline.prescription import TreeAccess
from triage.pipeline.price import price
from triage.pipeline.run import Request, triage_commit
from triage.pipeline.triage import Knowledge
from triage.redaction import redacted

# Runs that stand at the same commit by chance, or that are about the pull request and not of it.
_NOT_OF_IT = frozenset({"schedule", "workflow_run", "issue_comment", "pull_request_review", "dynamic", "delete"})


@dataclass(frozen=True, slots=True)
class PullTriage:
    """`result` has no failure when none of the runs failed."""

    pull: PullRequest
    runs: tuple[Run, ...]
    result: TriageResult
    looked_at: datetime
    codeowners: str = ""
    configuration: Configuration = Configuration()
    merge_base: Commit | None = None

    @property
    def pending(self) -> int:
        return sum(run.status != "completed" for run in self.runs)


def latest_runs(runs: Iterable[Run], pull: PullRequest) -> tuple[Run, ...]:
    """One run per workflow and event, the newest: closing and opening again starts all of them anew."""
    newest: dict[tuple[str, str], Run] = {}
    for run in sorted(runs, key=lambda one: one.id):
        other_branch = bool(run.head_branch) and run.head_branch != pull.head_ref
        if run.event not in _NOT_OF_IT and not other_branch and run.head_sha == pull.head_sha:
            newest[run.workflow_path or run.workflow, run.event] = run
    return tuple(newest.values())


def triage_pull(
    source: RunSource,
    pull: PullRequest,
    runs: Sequence[Run],
    knowledge: Knowledge,
    trees: TreeAccess,
    request: Request,
    looked_at: datetime,
    codeowners: str = "",
) -> PullTriage:
    """Raises GitHubError when the jobs of a run cannot be read. `looked_at`: just before `runs` were asked for."""
    try:
        result = triage_commit(source, runs, knowledge, trees, request).result if runs else TriageResult(pull.repo)
    except NothingToTriage:
        result = TriageResult(
            pull.repo, tuple(runs), catalogue_version=knowledge.catalogue.version, triage_version=triage.__version__
        )
    hours = _gpu_hours(result, knowledge.configuration)
    dearest_first = sorted(result.causes, key=lambda one: -hours[one.id])
    owned = replace(
        result, causes=tuple(_owned(one, result.failures_of(one)[0].workflow_path, codeowners) for one in dearest_first)
    )
    # Logs are redacted already; branches, commits and trees are not, and a comment is public.
    return PullTriage(pull, tuple(runs), redacted(owned), looked_at, codeowners, knowledge.configuration)


def _gpu_hours(result: TriageResult, configuration: Configuration) -> dict[str, float]:
    """Cause id -> what its failed jobs have cost."""
    spent = {one.id: price(one.diagnosis.job, configuration).gpu_hours for one in result.failures}
    return {group.id: sum(spent[one] for one in group.failures) for group in result.causes}


def _owned(group: CauseGroup, path: str, codeowners: str) -> CauseGroup:
    return replace(group, code_owners=owners_of(path, codeowners)) if codeowners and path else group


def saying(found: PullTriage, offered: Sequence[Suggestion] = ()) -> Saying:
    """What the comment has to say, and how grave it is."""
    result = found.result
    yours = frozenset(cause_digest(group.id) for group in result.causes if needs_author(group))
    unclear = bool(result.silent)
    unclear = unclear or any(one.verdict.value is VerdictValue.UNKNOWN and not one.muted for one in result.causes)
    level = 3 if yours else 2 if unclear else 1 if result.failures else 0
    told = any(not group.muted for group in result.causes) or unclear
    return Saying(
        found.pull.number,
        level,
        yours,
        int(found.looked_at.timestamp()),
        text(found),
        quiet=not told,
        pending=found.pending > 0,
        suggested=cause_digest("".join(f"{one.path}:{one.first}:{one.body}" for one in offered)) if offered else "",
    )


def text(found: PullTriage) -> str:
    context = Context(
        found.pull.head_sha,
        found.pull.base_ref,
        found.looked_at,
        found.merge_base.sha if found.merge_base else "",
        len(found.runs),
        found.pending,
        max((run.updated_at for run in found.runs if run.status == "completed" and run.updated_at), default=None),
        tuple(_prices(found)),
        _days_old(found.merge_base, found.looked_at),
    )
    return render(found.result, context) if found.result.failures else all_passed(context, found.result)


def _days_old(commit: Commit | None, now: datetime) -> int:
    return max(0, (now - commit.date).days) if commit is not None and commit.date is not None else -1


def _prices(found: PullTriage) -> Iterable[tuple[str, str]]:
    for group in found.result.causes:
        if group.retry:
            seconds = group.record.seconds if group.record else 0
            job = found.result.failures_of(group)[0].diagnosis.job
            yield group.id, f"it costs {price(job, found.configuration, seconds)}"


def offered(found: PullTriage, files: Sequence[ChangedFile]) -> tuple[Suggestion, ...]:
    """Suggestions for the verified first choices of what is the author's, where the pull request's diff shows them."""
    result = found.result
    wanted = [group for group in result.causes if needs_author(group)]
    return tuple(
        suggestion
        for group in wanted
        for patch in result.patches_of(group)[:1]
        if patch.state is PatchState.PATCH
        for suggestion in suggestions(patch.diff, files)
    )
