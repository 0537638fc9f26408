"""The report as Markdown that fits an issue: charts are text, log lines stay in code, sections go when it is full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from triage.model.finding import Change, State
from triage.model.fix import Held
from triage.model.report import CauseCost, Report, SignatureState
from triage.output import report_words as words
from triage.output.markdown import code, prose

# GitHub refuses bodies over 65,536 characters; it counts some twice.
LIMIT = 60_000
ROWS = 10
_LONGEST_LINE = 160

Section = Callable[[Report], Iterator[str]]


def render(report: Report, limit: int = LIMIT) -> str:
    """At most `limit` characters: sections at the end are left out first, and named."""
    parts = ["\n".join(_header(report))]
    left_out = []
    reserve = 400
    for heading, section in _SECTIONS:
        body = "\n".join(section(report)).strip()
        if not body:
            continue
        part = f"## {heading}\n\n{body}"
        if sum(map(len, parts)) + 2 * len(parts) + len(part) + reserve > limit:
            left_out.append(heading)
        else:
            parts.append(part)
    if left_out:
        parts.append(f"*Left out to fit here: {', '.join(left_out)}. The HTML report has them.*")
    return "\n\n".join(parts) + "\n"


def _header(report: Report) -> Iterator[str]:
    yield f"# {prose(words.title(report))}"
    yield ""
    for notice in report.notices:
        yield f"> **Note.** {prose(notice)}"
        yield ""
    yield from _table(
        ("", "this period", "against the one before", "trend", "95 %, n"),
        [
            (
                tile.title,
                f"**{words.tile_value(tile)}**",
                words.tile_delta(tile),
                words.spark(tile.spark),
                words.tile_detail(tile),
            )
            for tile in report.tiles
        ],
    )
    held = report.completeness
    newest = f"{held.newest:%Y-%m-%d %H:%M} UTC" if held.newest else "never"
    yield ""
    yield (
        f"{held.attempts:,} job attempts of {held.runs_read:,} runs (listed: {held.runs_listed:,}); "
        f"logs read: {held.logs_read} of {held.failed} failed; newest: {newest}."
    )


def _changes(report: Report) -> Iterator[str]:
    if not report.changes:
        yield "Nothing changed that the numbers can show."
    for change in report.changes:
        yield f"- **{change.kind}** {code(change.subject)}: {words.change(change)}{_trace(change)}"


def _trace(change: Change) -> str:
    return f" {_spark_of(change)}" if change.hits_by_period else ""


def _spark_of(change: Change) -> str:
    return code(words.spark(change.hits_by_period))


def _costs(report: Report) -> Iterator[str]:
    if not report.costs:
        yield words.no_failure(report)
        return
    yield from _table(
        (
            "#",
            "was",
            "cause",
            "failures",
            "rate",
            "GPU-hours",
            "of which reruns",
            *_if_priced(report, prose(words.cost_title(report))),
            "PRs",
            "owner",
            "recommended",
            "seen",
        ),
        [_cost(report, place, row) for place, row in enumerate(report.costs[:ROWS], start=1)],
    )
    by_pulls = sorted(report.costs, key=lambda row: -row.pull_requests)[:5]
    pulls = ", ".join(f"{_cause(row)} {row.pull_requests}" for row in by_pulls if row.pull_requests)
    if pulls:
        yield ""
        yield f"By pull requests hit: {pulls}."
    if said := words.split(report):
        yield ""
        yield prose(said)
    if report.cancelled_hours:
        yield ""
        yield f"Cancelled attempts held {words.hours(report.cancelled_hours)} GPU-hours more (not in the sum)."


def _if_priced(report: Report, cell: str) -> tuple[str, ...]:
    """A cell of the column that there is only where a price is configured."""
    return (cell,) if report.prices else ()


def _cost(report: Report, place: int, row: CauseCost) -> Sequence[str]:
    return (
        str(place),
        str(row.rank_before or "–"),
        _cause(row),
        str(row.failures),
        words.rate_and_interval(row.rate),
        words.hours(row.hours),
        words.hours(row.rerun_hours),
        *_if_priced(report, words.money(row.money)),
        str(row.pull_requests),
        prose(row.owner),
        prose(row.fix) or "none",
        " ".join(f"[{at}]({sight.url})" for at, sight in enumerate(row.sights, start=1) if _safe(sight.url)),
    )


def _cause(row: CauseCost) -> str:
    return code(row.signature) if row.signature else words.UNEXPLAINED


def _safe(url: str) -> bool:
    """Only what can stand between parentheses as it is."""
    return url.startswith("https://") and not set(url) & set(" ()<>\"'`\\|\n")


def _jobs(report: Report) -> Iterator[str]:
    telling = [row for row in report.jobs if row.state not in (State.STEADY, State.TOO_LITTLE)]
    cost = _if_priced(report, prose(words.cost_title(report)))
    yield from _table(
        ("state", "job", "failing", "on the base branch", "flakes", "flips", "GPU-hours", *cost),
        [
            (
                f"**{row.state}**", code(f"{row.workflow} / {row.job}"), words.rate(row.failing),
                words.rate(row.failing_on_base), words.rate(row.flake), words.rate(row.flip),
                words.hours(row.gpu_hours), *_if_priced(report, words.money(row.money)),
            )
            for row in telling[: 2 * ROWS]
        ],
    )  # fmt: skip
    quiet = {state: sum(row.state is state for row in report.jobs) for state in (State.STEADY, State.TOO_LITTLE)}
    yield ""
    yield f"{quiet[State.STEADY]} jobs are steady; of {quiet[State.TOO_LITTLE]} there is too little data."


def _machines(report: Report) -> Iterator[str]:
    yield words.attribution(report.runners, "runner")
    for one in report.runners.suspects:
        links = " ".join(f"[{at}]({s.url})" for at, s in enumerate(one.sights, start=1) if _safe(s.url))
        mostly = ", ".join(code(name) for name in one.signatures)
        yield f"- {code(one.name)} ({code(one.pool)}): {words.suspect(one)}; mostly {mostly} {links}"
    for one in report.pools.suspects:
        yield f"- pool {code(one.name)}: {words.suspect(one)}"


def _matrix(report: Report) -> Iterator[str]:
    pools = sorted({cell.pool for cell in report.matrix})
    cells = {(cell.workflow, cell.pool): cell.failing for cell in report.matrix}
    workflows = sorted({cell.workflow for cell in report.matrix})
    rows = [
        (code(name), *(words.rate(cells[name, pool]) if (name, pool) in cells else "" for pool in pools))
        for name in workflows[: 2 * ROWS]
    ]
    yield from _table(("workflow", *(code(pool) for pool in pools)), rows)
    yield ""
    yield from _table(
        ("pool", "jobs", "queue p50", "p90", "p90 against the period before"),
        [
            (code(row.pool), str(row.jobs), words.seconds(row.p50), words.seconds(row.p90), words.queue_delta(row))
            for row in report.queues[:ROWS]
        ],
    )


def _retries(report: Report) -> Iterator[str]:
    yield from _table(
        ("cause", "passed when rerun"),
        [
            (code(row.signature) if row.signature else words.UNEXPLAINED, words.rate_and_interval(row.success))
            for row in report.retries[:ROWS]
        ],
    )
    yield ""
    yield words.green(report.time_to_green)


def _fixes(report: Report) -> Iterator[str]:
    rows = [
        (
            f"**{row.held}**" if row.held is not Held.HELD else str(row.held), prose(row.title), code(row.job),
            prose(row.why), f"log: {words.presence(row.in_log)}, tree: {words.presence(row.in_tree)}",
            "" if row.saved_hours is None else words.hours(row.saved_hours),
            f"#{row.pull_request}" if row.pull_request else "",
        )
        for row in report.fixes[: 2 * ROWS]
    ]  # fmt: skip
    if rows:
        yield from _table(("", "fix", "job", "why", "setting seen", "GPU-hours saved", "PR"), rows)
    overdue = [deadline for deadline in report.deadlines if deadline.overdue > 0]
    if overdue:
        yield ""
        yield "Past their date:"
        for one in overdue[:ROWS]:
            owner = f", owner {prose(one.owner)}" if one.owner else ""
            yield f"- {one.kind} {code(one.name)} in {code(one.where)}: {one.until}, {one.overdue} days ago{owner}"


def _signatures(report: Report) -> Iterator[str]:
    yield f"Unexplained: {words.rate_and_interval(report.unknown)} of the failures whose log was read."
    for cluster in report.clusters[:5]:
        link = f" [run]({cluster.sight.url})" if _safe(cluster.sight.url) else ""
        yield f"- {cluster.count} × {code(cluster.text[:_LONGEST_LINE])}{link}"
    for state in (SignatureState.INFLATING, SignatureState.SILENT, SignatureState.NOT_IN_CATALOGUE):
        names = [row for row in report.signatures if row.state is state]
        if names:
            shown = ", ".join(code(row.signature) for row in names[: 2 * ROWS])
            more = f" and {len(names) - 2 * ROWS} more" if len(names) > 2 * ROWS else ""
            yield f"- {state}: {shown}{more}"


def _method(report: Report) -> Iterator[str]:
    yield "<details><summary>Definitions</summary>"
    yield ""
    for paragraph in report.method:
        yield f"- {prose(paragraph)}"
    yield ""
    yield "</details>"
    yield ""
    catalogue = f", catalogue {code(report.catalogue_version)}" if report.catalogue_version else ""
    yield f"triage {prose(report.triage_version)}{catalogue}, made {report.generated_at:%Y-%m-%d %H:%M} UTC."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield "| " + " | ".join(head) + " |"
        yield "|" + " --- |" * len(head)
        for row in rows:
            # A bar ends a cell even inside code, unless it is escaped; in prose it is already.
            yield "| " + " | ".join(_cell(cell) for cell in row) + " |"


def _cell(text: str) -> str:
    return text.replace("\\|", "|").replace("|", "\\|")


_SECTIONS: tuple[tuple[str, Section], ...] = (
    ("What changed", _changes),
    ("What it cost", _costs),
    ("Suspect runners", _machines),
    ("Did the fixes hold?", _fixes),
    ("Jobs", _jobs),
    ("Hardware and workflows", _matrix),
    ("Reruns and time to green", _retries),
    ("Signatures", _signatures),
    ("Method", _method),
)
