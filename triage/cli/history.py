"""`triage history`: collect what runs came to, diagnose it again, copy it out and in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.since import DEFAULT_DB, DbOption
from triage.cli.status_line import StatusLine

if TYPE_CHECKING:
    from datetime import datetime

    from triage.interfaces import HistorySource
    from triage.model.run import Run
    from triage.pipeline.history import Diagnose, SyncResult
    from triage.pipeline.triage import Knowledge

app = typer.Typer(no_args_is_help=True, help="Collect past runs and their outcomes, for `triage report`.")
FromDirOption = Annotated[
    Path | None,
    typer.Option(
        "--from-dir",
        metavar="DIR",
        help="Read a folder instead of GitHub: its answers as RUN/ATTEMPT/run.json and jobs.json, "
        "logs as RUN/ATTEMPT/JOB.log(.gz).",
    ),
]


@app.command("sync")
def sync(
    since: Annotated[
        str, typer.Option("--since", metavar="SPAN|DAY", help="How far back: 28d, 12w, or a date.")
    ] = "28d",
    db: DbOption = DEFAULT_DB,
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    budget: Annotated[int, typer.Option(min=0, metavar="N", help="Requests at most; 0: as many as GitHub allows.")] = 0,
    base: Annotated[
        str, typer.Option(metavar="NAME", help="The base branch; by default the repository's default branch.")
    ] = "",
    from_dir: FromDirOption = None,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
) -> int:
    """Bring the history up to date. It may be stopped at any moment and started again."""
    from datetime import UTC, datetime

    from triage.cli.since import since as parse
    from triage.pipeline import history as collecting
    from triage.pipeline.outcomes import Place
    from triage.sources.archive import Archive
    from triage.storage.database import History

    now = datetime.now(UTC)
    start = parse(since, now)
    reached = _source(repo, api_url, token, from_dir, base, signatures, config)
    with reached as (source, name, branch, knowledge), StatusLine() as line, History.begun(db, name) as history:
        place = Place(branch, knowledge.configuration)
        settings = collecting.SyncSettings(place, budget, knowledge.catalogue.version)
        result = collecting.sync(history, source, diagnosing(knowledge), settings, start, now, _Progress(line))
        left_out = source.left_out(name, start, now) if isinstance(source, Archive) else ()
    _tell(result, asked=from_dir is None)
    for reason in left_out:
        print(f"left out: {reason}")
    return 0


@contextmanager
def _source(
    repo: str,
    api_url: str,
    token: str,
    folder: Path | None,
    base: str,
    signatures: list[Path] | None,
    config: Path | None,
) -> Iterator[tuple[HistorySource, str, str, Knowledge]]:
    """Where runs come from, the repository's name, its base branch, and what is known before reading."""
    from triage.cli.knowledge import know, know_of
    from triage.cli.reach import reach
    from triage.errors import UsageError

    if folder is not None:
        if api_url or token:
            raise UsageError("--from-dir asks no GitHub.", "Leave out --api-url and --token.")
        if not repo:
            raise UsageError("--from-dir does not say which repository it holds.", "Add --repo OWNER/NAME.")
        yield archive(folder), repo, base or "main", know(signatures, config, None)
        return
    with reach("", repo, api_url, token, Path()) as (github, _):
        knowledge = know_of(github, signatures, config)
        yield github, github.repo, base or github.contents.repository().default_branch, knowledge


def archive(folder: Path) -> HistorySource:
    from triage.github import decode
    from triage.sources.archive import Archive

    return Archive(folder, decode.run, decode.job)


def diagnosing(knowledge: Knowledge) -> Diagnose:
    """Read, match and diagnose one log."""
    from triage.interfaces import LogSource
    from triage.model.diagnosis import JobDiagnosis
    from triage.model.run import Annotation, Job, Unavailable
    from triage.pipeline.triage import FailedJob, examine

    def diagnose(run: Run, job: Job, log: LogSource | Unavailable, annotations: tuple[Annotation, ...]) -> JobDiagnosis:
        found = examine(FailedJob(job, log, annotations, run), knowledge)
        return found[0].diagnosis if found else JobDiagnosis(job)

    return diagnose


class _Progress:
    """One line that is drawn over itself on a terminal, a line per fifty runs elsewhere."""

    def __init__(self, line: StatusLine) -> None:
        self._line = line

    def listed(self, day: datetime, runs: int) -> None:
        self._line.draw(f"listed {day:%Y-%m-%d}: {runs} runs")

    def read(self, done: int, total: int, run: Run) -> None:
        text = f"read {done} of {total} runs"
        self._line.draw(text)
        if not self._line.shown and (done % 50 == 0 or done == total):
            print(text, file=sys.stderr)


def _tell(result: SyncResult, asked: bool) -> None:
    """`asked`: GitHub was, so its requests count."""
    from triage.output.plain import count

    read = (
        f"{count(result.runs_read, 'run')} read ({count(result.attempts, 'job attempt')}, {count(result.logs, 'log')})"
    )
    days = count(result.days_listed, "day")
    parts = [
        read if result.attempts or result.runs_read else "no new run to read",
        f"{result.runs_listed} listed on {days} that may have changed"
        if result.days_listed
        else "no day to list again",
        *((count(result.requests, "request"),) if asked else ()),
    ]
    print(f"{'; '.join(parts)}.")
    for fault in result.faults[:5]:
        print(f"could not be read: {fault}")
    for day, listed in result.short_days:
        print(f"GitHub counts {listed.counted} runs on {day:%Y-%m-%d} and lists {listed.runs}: it will be asked again.")
    for day in result.suspect_days:
        print(f"GitHub listed no run on {day:%Y-%m-%d}, between busy days: it will be asked again.")
    if result.stopped:
        print(f"Stopped: {result.stopped}. {result.left} runs are left: run it again to go on.")


@app.command("rescore")
def rescore(
    since: Annotated[
        str, typer.Option("--since", metavar="SPAN|DAY", help="How far back: 28d, 12w, or a date.")
    ] = "28d",
    db: DbOption = DEFAULT_DB,
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    from_dir: FromDirOption = None,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
) -> int:
    """Diagnose the history's failures again.

    For when the signatures have changed; prints each failure whose cause is now another one.
    """
    from datetime import UTC, datetime

    from triage.cli.since import since as parse
    from triage.model.history import day_of
    from triage.pipeline import rescore as again
    from triage.storage.database import History

    start = parse(since, datetime.now(UTC))
    reached = _source(repo, api_url, token, from_dir, "main", signatures, config)
    with reached as (source, name, _, knowledge), History.existing(db, name) as history:
        result = again.rescore(
            history,
            lambda row: source.log(again.job_of(row)),
            diagnosing(knowledge),
            knowledge.catalogue.version,
            day_of(start),
            write=not dry_run,
        )
    for change in result.changed:
        print(f"{change.before or 'unexplained'} -> {change.after or 'unexplained'}  {change.job}  {change.url}")
    print(f"{len(result.changed)} changed, {result.same} the same, {result.without_log} without a log.")
    return 0


FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="One file per table.")]
FormOption = Annotated[str, typer.Option("--format", metavar="FORMAT", help="csv or parquet.")]


@app.command("export")
def export(
    folder: FolderArgument, db: DbOption = DEFAULT_DB, repo: options.RepoOption = "", form: FormOption = "csv"
) -> int:
    """Write the history to files."""
    from triage.storage import exchange
    from triage.storage.database import History

    with History.existing(db, repo) as history:
        for path in exchange.export(history, folder, form):
            print(path)
    return 0


@app.command("import")
def bring_in(
    folder: FolderArgument, db: DbOption = DEFAULT_DB, repo: options.RepoOption = "", form: FormOption = "csv"
) -> int:
    """Add what `export` wrote. It may be repeated."""
    from triage.storage import exchange
    from triage.storage.database import History

    if not repo and "://" not in db and not Path(db).exists():
        from triage.errors import UsageError

        raise UsageError(f"{db} is new: which repository is it of?", "Add --repo OWNER/NAME.")
    with History.begun(db, repo) as history:
        print(f"{exchange.bring_in(history, folder, form)} rows")
    return 0
