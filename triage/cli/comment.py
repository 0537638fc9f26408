"""`triage comment`: the one comment of a pull request, created, updated or left alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.since import DbOption

# GitHub wants words with a review.
_SUGGESTED = (
    "The suggested patch, where this pull request shows its lines; the comment of this bot says what was checked."
)

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.github.references import RunReference
    from triage.model.run import Commit, NoPullRequest, PullRequest
    from triage.pipeline.plan import Plan
    from triage.pipeline.pull import PullTriage
    from triage.pipeline.run import Request


def comment(
    context: typer.Context,
    reference: Annotated[str, typer.Argument(metavar="RUN|URL", help="A run of the pull request.")] = "",
    pr: Annotated[
        int, typer.Option("--pr", min=0, metavar="NUMBER", show_default=False, help="The pull request itself.")
    ] = 0,
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be posted, and post nothing.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write what is to be posted, for a job that may write.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Post what --out wrote; no log is read.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Also make a check run with annotations.")] = False,
    suggest: Annotated[
        bool, typer.Option("--suggest/--no-suggest", help="Suggest the patch where the diff shows its lines.")
    ] = True,
    db: DbOption = "",
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
    evidence: options.EvidenceOption = True,
) -> int:
    """Say on a pull request whose failure it is.

    It keeps one comment, edited in place, for all workflows at the pull request's head.
    """
    from triage.cli.reach import reach
    from triage.cli.show import say, write_whole
    from triage.cli.workflow_job import event_run, harmless
    from triage.errors import UsageError
    from triage.model.run import NoPullRequest
    from triage.pipeline.plan import read_plan

    if out is not None and check:
        raise UsageError("--check makes nothing while --out writes what is to be posted.", "Add it to --from FILE.")
    if plan is not None:
        _refuse_beside_a_plan(context)
        made = read_plan(_read(plan), str(plan))
        if dry_run:
            sys.stdout.write(harmless(made.saying.text))
            return 0
        with reach("", repo or made.repo, api_url, token, None) as (github, _):
            return _post(github, made, check)
    options.require_evidence(context, evidence, None)
    by_event = 0 if reference or pr else event_run()
    run = reference or (str(by_event) if by_event else "")
    with reach(run, repo, api_url, token, None, takes="the run's URL") as (github, named):
        pull = _pull(github, named, pr)
        if isinstance(pull, NoPullRequest):
            say(f"nothing to comment on: {pull.detail}")
            return 0
        if pull.state != "open":
            say(f"pull request #{pull.number} is {pull.state}: nothing is posted.")
            return 0
        from triage.cli.past import past_in

        with past_in(db, github.repo) as past:
            from triage.github.evidence import Evidence
            from triage.pipeline.run import Request

            request = Request(evidence=Evidence(github) if evidence else None, past=past)
            found = _triaged(github, pull, signatures, config, request)
        made = _planned(github, found, suggest)
        _summarise(found)
        if out is not None:
            write_whole(out, made.write())
            say(f"wrote {out}: post it with `triage comment --from {out}`.")
        if dry_run:
            sys.stdout.write(harmless(made.saying.text))
        if out is not None or dry_run:
            return 0
        return _post(github, made, check)


def _refuse_beside_a_plan(context: typer.Context) -> None:
    """UsageError for what is decided by the time that a plan is posted."""
    from triage.errors import UsageError

    decided = ("pr", "out", "suggest", "db", "signatures", "config", "evidence")
    run = ["a run"] if options.typed(context, "reference") else []
    for given in (*run, *options.written(context, decided)):
        raise UsageError(f"--from posts what was made already: {given} comes too late.", "Give it with --out FILE.")


def _read(path: Path) -> bytes:
    from triage.errors import UsageError

    try:
        return path.read_bytes()
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}.", "--from takes the file that --out wrote.") from fault


def _pull(github: GitHub, named: RunReference, number: int) -> PullRequest | NoPullRequest:
    """Verified: of a run, the one pull request whose commit it tested; NoPullRequest says why there is none."""
    from triage.errors import UsageError

    if number and (named.run or named.job or number != (named.pull or number)):
        raise UsageError("a run or another pull request is named, and --pr too.", "Give one of them.")
    if number or named.pull:
        return github.pulls.get(number or named.pull)
    if named.job and not named.run:
        return github.pulls.of(github.run(github.runs.job(named.job).run_id))
    if named.run:
        return github.pulls.of(github.run(named.run))
    raise UsageError(
        "no run and no pull request is named.",
        "Give a run's number, --pr N, or run this in a job that `workflow_run` started.",
    )


def _triaged(
    github: GitHub, pull: PullRequest, signatures: list[Path] | None, config: Path | None, request: Request
) -> PullTriage:
    from triage.cli.knowledge import know_of
    from triage.cli.run import trees_for
    from triage.pipeline.pull import latest_runs, triage_pull
    from triage.pipeline.trees import no_trees

    # Before the runs are asked for: what comes in between belongs to the next comment.
    looked_at = datetime.now(UTC)
    runs = latest_runs(github.runs.at(pull.head_sha), pull)
    trees = trees_for(github, runs[0], None, False) if runs else no_trees("nothing has run")
    knowledge = know_of(github, signatures, config)
    found = triage_pull(github, pull, runs, knowledge, trees, request, looked_at, github.contents.codeowners())
    return replace(found, merge_base=_merge_base(github, pull))


def _merge_base(github: GitHub, pull: PullRequest) -> Commit | None:
    """None where GitHub cannot tell: the comment then says nothing of it."""
    from triage.errors import GitHubError

    try:
        sha = github.contents.compare(pull.base_ref, pull.head_sha, 1).merge_base
        return github.contents.commit(sha) if sha else None
    except GitHubError:
        return None


def _planned(github: GitHub, found: PullTriage, suggest: bool) -> Plan:
    from triage.output import comment_words, summary
    from triage.pipeline.plan import Plan
    from triage.pipeline.pull import offered, saying

    files = github.pulls.files(found.pull.number) if suggest and found.result.patches else ()
    suggestions = offered(found, files)
    failed = bool(found.result.failures)
    return Plan(
        github.repo,
        found.pull.head_sha,
        saying(found, suggestions),
        comment_words.headline(found.result) if failed else "No job has failed",
        suggestions,
        summary.places(found.result),
    )


def _summarise(found: PullTriage) -> None:
    """The comment is what was asked for: a summary that cannot be written beside it is only said."""
    from triage.cli.show import say
    from triage.cli.workflow_job import append_summary, summary_room
    from triage.errors import UsageError
    from triage.output import summary
    from triage.pipeline.pull import text

    try:
        if found.result.failures and (room := summary_room()):
            append_summary(summary.summary(found.result, text(found), room))
    except UsageError as fault:
        say(f"without the job's summary: {fault.message} {fault.remedy}")


def _post(github: GitHub, plan: Plan, check: bool) -> int:
    from triage.cli.show import say
    from triage.errors import GitHubError, UsageError
    from triage.pipeline.comment import publish

    if plan.repo.lower() != github.repo.lower():
        raise UsageError(f"the plan is for {plan.repo}, not for {github.repo}.", "Give the repository it was made for.")
    pull = github.pulls.get(plan.saying.pull)
    if pull.state != "open" or pull.head_sha != plan.head_sha:
        say(f"pull request #{pull.number} has moved on since it was looked at: nothing is posted.")
        return 0
    posted = publish(github.comments, plan.saying)
    say(
        f"the comment on #{pull.number}: {posted.outcome.value}. {posted.comment.url if posted.comment else ''}".strip()
    )
    try:
        if posted.suggest and plan.suggestions:
            places = [(one.path, one.first, one.last, one.body) for one in plan.suggestions]
            github.pulls.review(pull.number, pull.head_sha, _SUGGESTED, places)
        if check and (plan.saying.level or plan.annotations):
            github.checks.create("triage", pull.head_sha, "neutral", plan.title, plan.saying.text, plan.annotations)
    except GitHubError as fault:
        # The comment stands; what comes beside it is worth no red job.
        say(f"{fault.message} {fault.remedy}".strip())
    return 0
