"""`triage pr`: all workflows at the head of a pull request."""

from __future__ import annotations

from typing import Annotated

import typer

from triage.cli import options
from triage.cli.options import Format
from triage.cli.since import DbOption


def pr(
    context: typer.Context,
    reference: Annotated[str, typer.Argument(metavar="NUMBER|URL", help="The pull request.")],
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    checkout: options.ReadCheckoutOption = None,
    form: options.FormatOption = Format.TERMINAL,
    patch: options.PatchOption = None,
    siblings: options.SiblingsOption = False,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
    evidence: options.EvidenceOption = True,
    evidence_requests: options.EvidenceRequestsOption = None,
    db: DbOption = "",
    exit_status: options.ExitStatusOption = False,
) -> int:
    """Triage all workflows at a pull request's head, as one result."""
    from triage.cli.knowledge import know_of
    from triage.cli.past import past_in
    from triage.cli.progress import watching
    from triage.cli.reach import reach
    from triage.cli.run import trees_for
    from triage.cli.show import deliver, exit_code, show
    from triage.errors import NothingToTriage, UsageError
    from triage.github.evidence import Evidence
    from triage.pipeline.pull import latest_runs
    from triage.pipeline.run import Request, triage_commit

    options.require_evidence(context, evidence, evidence_requests)
    is_number = reference.isdecimal() and len(reference) < 10
    reached = reach("" if is_number else reference, repo, api_url, token, checkout, takes="the pull request's URL")
    with reached as (github, named):
        number = int(reference) if is_number else named.pull
        if not number:
            raise UsageError(
                f"{reference[:200]!r} names no pull request.", "Give its number or its URL; `triage run` takes runs."
            )
        pull = github.pulls.get(number)
        runs = latest_runs(github.runs.at(pull.head_sha), pull)
        if not runs:
            raise NothingToTriage(f"no workflow has run at {pull.head_sha[:9]}, the head of #{number}.")
        knowledge = know_of(github, signatures, config)
        with watching() as watch, past_in(db, github.repo) as past:
            source = Evidence(github, runs)
            request = Request(
                siblings=siblings,
                watch=watch,
                evidence=source if evidence and evidence_requests != 0 else None,
                past=past,
                requests=None if evidence_requests is None else source,
                evidence_requests=evidence_requests,
            )
            triaged = triage_commit(github, runs, knowledge, trees_for(github, runs[0], checkout, False), request)
    show(triaged.result, form)
    deliver(triaged, patch=patch, apply_to=None)
    return int(exit_code(triaged.result, exit_status))
