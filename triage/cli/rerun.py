"""`triage rerun`: failed jobs again, priced and capped, and only where a rerun can help."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.since import DbOption

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.github.references import RunReference
    from triage.model.run import Run
    from triage.pipeline.rerun import RerunPlan


def rerun(
    reference: Annotated[str, typer.Argument(metavar="RUN|URL", help="The failed run, or one job of it.")] = "",
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    dry_run: Annotated[
        bool | None,
        typer.Option(
            "--dry-run/--no-dry-run",
            help="Only say what would be rerun. The default in CI until triage.toml enables reruns.",
        ),
    ] = None,
    db: DbOption = "",
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
) -> int:
    """Rerun the failed jobs that a rerun can help.

    A job is rerun when all its causes allow it. The price is shown, there is a cap per commit, and an outage stops it.
    """
    from triage.cli.knowledge import know_of
    from triage.cli.past import past_in
    from triage.cli.reach import reach
    from triage.cli.show import say
    from triage.cli.workflow_job import event_run, in_ci
    from triage.errors import UsageError
    from triage.github.evidence import Evidence
    from triage.pipeline.jobs import Selection
    from triage.pipeline.rerun import Surroundings, look_around, plan_rerun
    from triage.pipeline.run import Request, triage_run
    from triage.pipeline.trees import no_trees

    named_run = reference or str(event_run() or "")
    if not named_run:
        raise UsageError("no run is named.", "Give a run's number or URL.")
    with (
        reach(named_run, repo, api_url, token, None, takes="the run's URL") as (github, named),
        past_in(db, github.repo) as past,
    ):
        run = _run(github, named)
        knowledge = know_of(github, signatures, config)
        source = Evidence(github)
        request = Request(Selection(named.job), evidence=source, past=past)
        result = triage_run(github, run, knowledge, no_trees("a rerun needs no patch"), request).result
        caps = knowledge.configuration.rerun
        around: Surroundings = look_around(
            source, knowledge, run, result, github.runs.at(run.head_sha), datetime.now(UTC)
        )
        plan = plan_rerun(run, result, around, knowledge.catalogue, knowledge.configuration)
        # The run's other failed jobs were not looked at, nor are they to be started.
        plan = replace(plan, whole=plan.whole and not named.job)
        _explain(plan)
        dry = dry_run if dry_run is not None else in_ci() and not caps.enabled
        if dry or not plan.jobs:
            say("nothing was rerun." if not plan.jobs else "a dry run: nothing was rerun.")
            return 0
        if plan.whole:
            github.reruns.failed_jobs(run)
        else:
            github.reruns.job(plan.jobs[0].job)
        say(f"asked GitHub to rerun {', '.join(one.job.name for one in plan.asked)} of run {run.id}.")
        return 0


def _run(github: GitHub, named: RunReference) -> Run:
    """The latest attempt of what is named. UsageError for another one: GitHub reruns the latest."""
    from triage.errors import UsageError

    if not named.run and not named.job:
        raise UsageError("no run is named.", "Give the number or URL of a run or a job.")
    run = github.run(named.run or github.runs.job(named.job).run_id)
    if named.attempt and named.attempt != run.attempt:
        latest = f"attempt {run.attempt} is the latest of run {run.id}, and GitHub reruns no other"
        raise UsageError(f"{latest}: not attempt {named.attempt}.", "Give the run without an attempt.")
    return run


def _explain(plan: RerunPlan) -> None:
    from triage.cli.workflow_job import harmless
    from triage.output.plain import plain

    for one in plan.jobs:
        expected = f"; {one.expected}" if one.expected else ""
        print(harmless(f"rerun   {plain(one.job.name)}: {plain(one.why)}; costs {one.price}{expected}"))
    for refused in plan.refused:
        print(harmless(f"leave   {plain(refused.job)}: {plain(refused.why)}"))
    for note in plan.notes:
        print(harmless(f"note    {plain(note)}"))
