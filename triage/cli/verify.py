"""`triage verify`: did the merged fixes hold?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.since import DEFAULT_DB, DbOption

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.interfaces import LogSource
    from triage.model.fix import FixRow
    from triage.model.outcome import Outcome
    from triage.model.run import Unavailable

# What a fix may promise: the kinds of `--expect`.
EXPECTATIONS = ("environment", "argument", "setting", "command")

app = typer.Typer(help="Check whether the merged fixes held.", subcommand_metavar="[COMMAND]")


@app.callback(invoke_without_command=True)
def verify(
    context: typer.Context,
    db: DbOption = DEFAULT_DB,
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask nobody: by the history and the checkout alone.")
    ] = False,
    checkout: options.ReadCheckoutOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
) -> int:
    """For each fix of the ledger: is it in the newest log and on the branch, is its cause gone, what did it save."""
    if context.invoked_subcommand:
        _refuse_before(context)
        return 0
    if offline:
        options.refuse(context, "with --offline", "api_url", "token")
    from triage.cli.knowledge import know
    from triage.cli.reach import reach
    from triage.model.run import Unavailable, UnavailableReason
    from triage.pipeline.inspection import LogAndTree
    from triage.pipeline.ledger import follow_up
    from triage.pipeline.rescore import job_of
    from triage.pipeline.verify import verify as judge
    from triage.storage.database import History

    knowledge = know(signatures, config, checkout)
    tree = None
    if checkout is not None:
        from triage.sources.trees import git_tree

        tree = git_tree(checkout, "HEAD")

    def no_log(row: Outcome) -> LogSource | Unavailable:
        return Unavailable(UnavailableReason.FORBIDDEN, "offline")

    with History.existing(db, repo) as history:
        if offline:
            inspection = LogAndTree(history, no_log, knowledge, tree)
            rows = judge(history, datetime.now(UTC), inspection, knowledge.configuration.minimum_n)
        else:
            with _reached(reach("", history.repo, api_url, token, None)) as github:
                follow_up(history, github.pulls.get, github.contents.commit)
                inspection = LogAndTree(history, lambda row: github.log(job_of(row)), knowledge, tree)
                rows = judge(history, datetime.now(UTC), inspection, knowledge.configuration.minimum_n)
    sys.stdout.write(_json(rows) if as_json else _text(rows))
    return 0


def _refuse_before(context: typer.Context) -> None:
    """UsageError for options before a command, which knows only those behind it."""
    from triage.errors import UsageError

    for option in options.written(context, context.params):
        raise UsageError(
            f"{option} stands before {context.invoked_subcommand}, which does not see it.", "Write it behind."
        )


@contextmanager
def _reached(connection: AbstractContextManager[tuple[GitHub, object]]) -> Iterator[GitHub]:
    """GitHub; where it cannot be asked, the error says how to do without it."""
    from triage.errors import GitHubError

    try:
        with connection as (github, _):
            yield github
    except GitHubError as fault:
        remedy = f"{fault.remedy} Or add --offline: by the history and --checkout alone."
        raise GitHubError(fault.message, remedy) from fault


def _text(rows: tuple[FixRow, ...]) -> str:
    from triage.output import report_words as words
    from triage.output.plain import plain

    if not rows:
        return "No fix is in the ledger: `triage verify record` adds one.\n"
    lines = []
    for row in rows:
        lines.append(f"{row.held}: {plain(row.title)} ({plain(row.job)}, {row.signature})")
        lines.append(f"  {plain(row.why)}")
        lines.append(f"  in the newest log: {words.presence(row.in_log)}; on the branch: {words.presence(row.in_tree)}")
        if row.saved_hours is not None:
            lines.append(f"  GPU-hours saved, as measured: {words.hours(row.saved_hours)}")
        if row.expires is not None and row.expires < datetime.now(UTC).date():
            lines.append(f"  past its date: {row.expires}")
    return "\n".join(lines) + "\n"


def _json(rows: tuple[FixRow, ...]) -> str:
    from triage.output import report_json

    return report_json.render_fixes(rows)


@app.command("record")
def record(
    identity: Annotated[str, typer.Argument(metavar="ID", help="A name for the fix, yours to choose.")],
    signature: Annotated[str, typer.Option(metavar="ID", help="The signature that it is for.")],
    title: Annotated[str, typer.Option(metavar="TEXT", help="What it does.")],
    workflow: Annotated[str, typer.Option(metavar="FILE", help="The workflow's path.")],
    job: Annotated[str, typer.Option(metavar="NAME", help="The job, by its displayed name.")],
    expect: Annotated[
        str,
        typer.Option(
            metavar="KIND:TEXT",
            help="What must hold: environment:NAME=VALUE, argument:TEXT, setting:KEY=VALUE, command:TEXT.",
        ),
    ] = "",
    pr: Annotated[int, typer.Option("--pr", min=0, metavar="NUMBER", show_default=False, help="Its pull request.")] = 0,
    merged: Annotated[
        str, typer.Option(metavar="TIME", help="When it was merged: 2026-11-20 or 2026-11-20T08:00.")
    ] = "",
    sha: Annotated[str, typer.Option(metavar="SHA", help="The commit that merged it.")] = "",
    reverted: Annotated[bool, typer.Option("--reverted", help="It was taken back.")] = False,
    expires: Annotated[str, typer.Option(metavar="DAY", help="The day to look at it again.")] = "",
    owner: Annotated[str, typer.Option(metavar="NAME", help="Who answers for it.")] = "",
    db: DbOption = DEFAULT_DB,
    repo: options.RepoOption = "",
) -> int:
    """Put a fix into the ledger of fixes, or change it there."""
    from triage.model.outcome import FixRecord, FixState
    from triage.storage.database import History
    from triage.storage.ledger import all_fixes, put_fixes

    kind, text = _expectation(expect)
    when = _moment(merged)
    state = FixState.REVERTED if reverted else FixState.MERGED if when else FixState.PROPOSED
    with History.open(db, repo) as history:
        known = next((fix for fix in all_fixes(history) if fix.id == identity), None)
        fix = FixRecord(
            repo=history.repo,
            id=identity,
            signature=signature,
            title=title,
            workflow_path=workflow,
            job=job,
            state=state,
            proposed_at=known.proposed_at if known else when or datetime.now(UTC),
            expectation_kind=kind if text else "",
            expectation_text=text,
            merged_at=when,
            merge_sha=sha,
            pull_request=pr,
            expires=_day(expires),
            owner=owner,
        )
        put_fixes(history, [fix])
    print(f"{identity} is in the ledger as {state.value}: `triage verify` judges it.")
    return 0


def _expectation(text: str) -> tuple[str, str]:
    from triage.errors import UsageError

    kind, _, wanted = text.partition(":")
    if text and not (wanted and kind in EXPECTATIONS):
        kinds = ", ".join(f"{one}:..." for one in EXPECTATIONS)
        raise UsageError(f"--expect {text!r} is nothing to look for.", f"Write one of {kinds}.")
    return kind, wanted


def _moment(text: str) -> datetime | None:
    from triage.cli.since import moment_of
    from triage.errors import UsageError

    found = moment_of(text) if text else None
    if text and found is None:
        raise UsageError(f"{text!r} is no time.", "Write 2026-11-20 or 2026-11-20T08:00, in UTC or with its offset.")
    return found


def _day(text: str) -> date | None:
    found = _moment(text)
    return found.date() if found else None
