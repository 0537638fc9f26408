"""`triage report`: what flakes, what it cost, what changed, which runner is bad, what to merge, whether fixes held."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.since import DEFAULT_DB, DbOption

if TYPE_CHECKING:
    from triage.model.report import Report

# What a file may hold; on a terminal there is a form of its own.
SUFFIXES = {".md": "markdown", ".html": "html", ".json": "json", ".csv": "csv"}
OutOption = Annotated[
    list[Path] | None,
    typer.Option("--out", "-o", metavar="FILE", help="Write to FILE.md, .html, .json or .csv; may be repeated."),
]
MARKER = "<!-- triage:v1 key=weekly-report -->"


def report(
    context: typer.Context,
    since: Annotated[
        str, typer.Option("--since", metavar="SPAN|DAY", help="The period up to yesterday: 7d, 4w, or its first day.")
    ] = "7d",
    db: DbOption = DEFAULT_DB,
    repo: options.RepoOption = "",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="On stdout: terminal (the default on one), markdown (elsewhere), html, json or csv.",
        ),
    ] = "",
    out: OutOption = None,
    issue: Annotated[bool, typer.Option("--issue", help="Create or update the one issue of the report.")] = False,
    slack_webhook: Annotated[
        str,
        typer.Option(
            "--slack-webhook", envvar="TRIAGE_SLACK_WEBHOOK", metavar="URL", help="Post three lines to this webhook."
        ),
    ] = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    checkout: options.ReadCheckoutOption = None,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
) -> int:
    """Report on the last days of the history.

    `triage history sync` collects the history.
    """
    from triage.cli.knowledge import know
    from triage.cli.since import since as parse
    from triage.errors import NothingToTriage
    from triage.model.history import Period, day_of
    from triage.pipeline.report import build_report
    from triage.pipeline.report_settings import ReportSettings
    from triage.storage.database import History

    if not issue:
        options.refuse(context, "without --issue", "api_url", "token")
    _require_form(form)
    for path in out or ():
        _form_of(path)
    now = datetime.now(UTC)
    # Today is not over: half a day would look like a quiet one.
    period = Period(day_of(parse(since, now)), max(day_of(parse(since, now)), day_of(now) - 1))
    knowledge = know(signatures, config, checkout)
    with History.existing(db, repo) as history:
        settings = ReportSettings.of(knowledge.catalogue, knowledge.configuration, now.date())
        built = build_report(history, period, now, settings)
    if built.completeness.newest is None:
        raise NothingToTriage(f"The history {db} holds no run of {built.repo}.", "Run `triage history sync` first.")
    for path in out or ():
        write(built, path)
    if form or not (out or issue or slack_webhook):
        sys.stdout.write(rendered(built, form or ("terminal" if sys.stdout.isatty() else "markdown")))
    _publish(built, issue, slack_webhook, api_url, token)
    return 0


def rendered(built: Report, form: str) -> str:
    """The form is one of a report: `_require_form` says so to the person, before anything is built."""
    from triage.output import report_csv, report_html, report_json, report_markdown, report_terminal

    match form:
        case "terminal":
            return report_terminal.render(built, width=options.terminal_width(), color=options.wants_color())
        case "markdown":
            return report_markdown.render(built)
        case "html":
            return report_html.render(built)
        case "json":
            return report_json.render(built)
        case "csv":
            return report_csv.render(built)
        case _:
            raise AssertionError(form)


def write(built: Report, path: Path) -> None:
    from triage.cli.show import say, write_whole

    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, rendered(built, _form_of(path)))
    say(f"wrote {path}")


def _require_form(form: str) -> None:
    """UsageError for one that no report has; "" is the default."""
    from triage.errors import UsageError

    if form not in ("", "terminal", *SUFFIXES.values()):
        raise UsageError(f"A report has no format {form!r}.", f"One of: terminal, {', '.join(SUFFIXES.values())}.")


def _form_of(path: Path) -> str:
    from triage.errors import UsageError

    if path.suffix not in SUFFIXES:
        raise UsageError(f"{path} does not say its format.", f"End it in {', '.join(SUFFIXES)}.")
    return SUFFIXES[path.suffix]


def _publish(built: Report, issue: bool, slack_webhook: str, api_url: str, token: str) -> None:
    from triage.cli.show import say
    from triage.output import report_markdown, report_words

    if issue:
        from triage.cli.reach import reach

        body = f"{MARKER}\n{report_markdown.render(built, report_markdown.LIMIT - len(MARKER) - 1)}"
        with reach("", built.repo, api_url, token, None) as (github, _):
            say(f"the issue: {github.issues.keep(MARKER, f'CI report: {report_words.title(built)}', body)}")
    if slack_webhook:
        from triage.github.webhook import post

        post(slack_webhook, "\n".join(report_words.chat_lines(built)))
        say("posted to the webhook")


def demo_report(out: Sequence[Path] = (), now: datetime | None = None, form: str = "") -> int:
    """`triage demo --report`: the report of a made-up half-year, as `triage report` shows or writes it."""
    from tempfile import TemporaryDirectory

    from triage.cli.show import say
    from triage.demo.history import last_midnight, write_history
    from triage.demo.planted import CONFIGURATION, REPO
    from triage.model.history import Period, day_of
    from triage.pipeline.report import build_report
    from triage.pipeline.report_settings import ReportSettings
    from triage.sources.catalogue import load
    from triage.storage.database import History

    _require_form(form)
    for path in out:
        _form_of(path)
    moment = now or datetime.now(UTC)
    end = last_midnight(moment)
    with TemporaryDirectory(prefix="triage-demo-") as folder, History.open(f"{folder}/history.db", REPO) as history:
        attempts = write_history(history, end)
        say(f"a made-up half-year of {REPO}: {attempts:,} job attempts")
        period = Period(day_of(end - timedelta(days=7)), day_of(end) - 1)
        settings = ReportSettings.of(load(), CONFIGURATION, moment.date())
        built = build_report(history, period, moment, settings)
    for path in out:
        write(built, path)
    if form or not out:
        sys.stdout.write(rendered(built, form or ("terminal" if sys.stdout.isatty() else "markdown")))
    return 0
