"""`triage run`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.options import Format
from triage.cli.since import DEFAULT_DB, DbOption

if TYPE_CHECKING:
    from triage.errors import TriageError
    from triage.github import GitHub
    from triage.model.run import Run
    from triage.pipeline.prescription import TreeAccess
    from triage.pipeline.surroundings import Contents
    from triage.pipeline.triage import Triaged


def run(
    context: typer.Context,
    reference: Annotated[
        str, typer.Argument(metavar="RUN|URL", help="A run's number, or the URL of a run, an attempt or a job.")
    ] = "",
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    attempt: Annotated[str, typer.Option(metavar="N|all", help="The attempt to look at, or all of them.")] = "",
    job: Annotated[
        str, typer.Option(metavar="NAME", help="Only failed jobs whose name contains this, or matches it as a glob.")
    ] = "",
    branch: Annotated[
        str, typer.Option(metavar="NAME", help="Without a run: the newest failed one of this branch.")
    ] = "",
    workflow: Annotated[
        str, typer.Option(metavar="FILE", help="Without a run: the newest failed one of this workflow.")
    ] = "",
    event: Annotated[
        str, typer.Option(metavar="EVENT", help="Without a run: the newest failed one of this event.")
    ] = "",
    pr: Annotated[
        int,
        typer.Option(
            "--pr",
            min=0,
            metavar="NUMBER",
            show_default=False,
            help="Without a run: the newest failed one of this pull request.",
        ),
    ] = 0,
    checkout: options.CheckoutOption = None,
    form: options.FormatOption = Format.TERMINAL,
    patch: options.PatchOption = None,
    apply: options.ApplyOption = False,
    onto: Annotated[str, typer.Option(metavar="REF", help="Make the patch for this branch or commit.")] = "",
    open_pr: Annotated[
        bool,
        typer.Option(
            "--open-pr", help="Open a pull request with the patch; with a history, `triage verify` follows it."
        ),
    ] = False,
    siblings: options.SiblingsOption = False,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
    evidence: options.EvidenceOption = True,
    evidence_requests: options.EvidenceRequestsOption = None,
    db: DbOption = "",
    exit_status: options.ExitStatusOption = False,
    max_wait: options.MaxWaitOption = options.MAX_WAIT,
    ca_bundle: options.CaBundleOption = None,
    no_cache: options.NoCacheOption = False,
) -> int:
    """Triage a failed run: name its causes, prove a patch.

    Without RUN, the newest failed run is taken. --branch, --workflow, --event and --pr narrow the search.
    """
    from concurrent.futures import ThreadPoolExecutor
    from importlib import import_module

    from triage.cli.find import Wanted, find_run, require_sense
    from triage.cli.knowledge import know_of
    from triage.cli.past import past_in
    from triage.cli.reach import reach
    from triage.errors import UsageError

    if apply and (onto or open_pr):
        raise UsageError("--apply is for the checkout's own HEAD.", "Leave out --onto and --open-pr, or --apply.")
    if apply and checkout is None:
        raise UsageError("--apply needs a checkout to apply to.", "Add --checkout DIR.")
    options.require_evidence(context, evidence, evidence_requests, open_pr)
    wanted = Wanted(attempt, branch, workflow, event, pr, job)
    reached = reach(
        reference, repo, api_url, token, checkout, max_wait=max_wait, ca_bundle=ca_bundle, no_cache=no_cache,
        takes="the run's URL",
    )  # fmt: skip
    # What GitHub is asked first does not depend on each other; the rest of the program is imported meanwhile.
    with ThreadPoolExecutor(2, thread_name_prefix="triage-start") as meanwhile, reached as (github, named):
        require_sense(named, wanted)
        starting = meanwhile.submit(know_of, github, signatures, config)
        meanwhile.submit(import_module, "triage.pipeline.run")
        found = find_run(github, named, wanted)
        jobs = None if wanted.every else github.jobs(found)
        knowledge = starting.result()
        from triage.cli.progress import watching
        from triage.cli.show import complain, deliver, exit_code, noted, say, show
        from triage.github.evidence import Evidence
        from triage.pipeline.jobs import Selection
        from triage.pipeline.run import Request, triage_attempts, triage_run

        base = onto or (github.contents.repository().default_branch if open_pr else "")
        # Named without an attempt, it was just found as its latest one.
        source = Evidence(github, () if attempt or named.attempt or named.job else (found,))
        trees = trees_for(github, found, None if open_pr else checkout, apply, base, source)
        with watching() as watch, past_in(db, github.repo) as past:
            judged = source if evidence and evidence_requests != 0 else None
            selection = Selection(named.job, job)
            request = Request(selection, siblings, watch, judged, past, source, evidence_requests or None)
            if wanted.every:
                triaged = triage_attempts(github, github.runs.attempts(found), knowledge, trees, request)
            else:
                triaged = triage_run(github, found, knowledge, trees, request, jobs)
        fault = _proposed(github, triaged, base, db) if open_pr else None
    if open_pr and checkout is not None:
        say("--checkout was not read: a pull request is made from what GitHub has.")
    show(noted(triaged.result, fault, form), form)
    deliver(triaged, patch=patch, apply_to=checkout if apply else None)
    return complain(fault) if fault else int(exit_code(triaged.result, exit_status))


def trees_for(
    github: GitHub, found: Run, checkout: Path | None, apply: bool, onto: str = "", contents: Contents | None = None
) -> TreeAccess:
    """The checkout's trees, else snapshots; patches are for `onto`, for the HEAD to apply to, or the run's head.

    `contents` is asked for notes beside a patch, the repository itself by default.
    """
    from triage.pipeline.trees import trees_of_checkout, trees_of_run

    if checkout is None:
        return trees_of_run(
            github, found, github.contents.commit(onto).sha if onto else "", contents or github.contents
        )
    # What is applied is derived on the checkout's own HEAD, wherever that stands.
    return trees_of_checkout(checkout, "HEAD" if apply else onto or found.head_sha)


def _proposed(github: GitHub, triaged: Triaged, base: str, db: str) -> TriageError | None:
    """Why no pull request could be opened: what was found is worth its reader's time all the same."""
    from triage.errors import TriageError

    try:
        _open_pull_request(github, triaged, base, db)
    except TriageError as fault:
        return fault
    return None


def _open_pull_request(github: GitHub, triaged: Triaged, base: str, db: str) -> None:
    from triage.cli.show import say
    from triage.output import markdown
    from triage.pipeline.publish import open_pull_request

    body = markdown.render(triaged.result)
    name = f"run-{triaged.result.runs[0].id}"
    opened = open_pull_request(github.publishing, github.pulls, triaged.prescription, base, name, body)
    say(f"opened {opened.url or f'#{opened.number}'}.")
    if db or Path(DEFAULT_DB).exists():
        _record(triaged, opened.number, db or DEFAULT_DB)


def _record(triaged: Triaged, pull_request: int, db: str) -> None:
    """The fixes into the ledger, for `triage verify`. The pull request is open by now: a fault is told, no more."""
    from datetime import UTC, datetime

    from triage.cli.show import say
    from triage.errors import TriageError
    from triage.pipeline.ledger import proposals, propose
    from triage.storage.database import History

    records = proposals(triaged, pull_request, datetime.now(UTC))
    try:
        with History.open(db, triaged.result.repo) as history:
            propose(history, records)
    except TriageError as fault:
        say(f"the fixes are not in the ledger: {fault.message} Add them with `triage verify record`.")
        return
    say(f"recorded {', '.join(record.id for record in records)} in the ledger: `triage verify` follows them.")
