"""The report's main figures for a terminal: what changed, what it cost, who is suspect. Other forms hold the rest."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from triage.model.finding import State
from triage.model.fix import Held
from triage.model.report import CauseCost, Report
from triage.output import report_words as words
from triage.output.plain import plain

ROWS = 10
# What a recommendation needs beside the figures; where there is less, they are listed below.
_ROOM_FOR_WORDS = 30
_GAP = 3
_NOTHING = "none"
_GLUE = "\ue000"
_STYLES = {"better": "green", "worse": "red", "": ""}


def render(report: Report, *, width: int = 80, color: bool = False) -> str:
    """Text of at most `width` columns; with `color`, ANSI styles as well."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, 40),
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
    )
    console.print(Text(plain(words.title(report)), "bold"))
    for notice in report.notices:
        console.print(Padding(Text(plain(notice), "yellow"), (0, 0, 0, 2)))
    console.print(Text())
    console.print(_tiles(report))
    for heading, body in (
        ("What changed", _changes(report)),
        ("What it cost", _costs(report, console.width)),
        ("Suspect runners", _suspects(report)),
        ("Jobs that need somebody", _jobs(report)),
        ("Fixes that did not hold", _fixes(report)),
    ):
        parts = list(body)
        if parts:
            console.print(Text())
            console.print(Rule(Text(heading, "bold"), align="left", style="dim"))
        for part in parts:
            console.print(Padding(Text(_glued(part)), (0, 0, 0, 2)) if isinstance(part, str) else part)
    console.print(Text())
    # How hours and money come about.
    for paragraph in (one for one in report.method if one.startswith(("GPU-hours", "Cost"))):
        console.print(Text(plain(paragraph), "dim"))
    console.print(Text("More, and what the other words mean: --format markdown, html or json.", "dim"))
    return "\n".join(line.rstrip() for line in out.getvalue().replace(_GLUE, " ").splitlines()) + "\n"


def _glued(text: str) -> str:
    """No line begins with a lone percent sign. Rich takes a no-break space for a space."""
    return plain(text).replace(" %", f"{_GLUE}%")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Heads that start with `>` are of numbers, which stand to the right and are never cut."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for head in heads:
        number = head.startswith(">")
        table.add_column(head.lstrip(">"), justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    return table


def _tiles(report: Report) -> Table:
    table = _table(("", ">now", ">change", "95 %, n"), ())
    for tile in report.tiles:
        delta = Text(words.tile_delta(tile), _STYLES[words.tile_tone(tile)])
        table.add_row(Text(tile.title), Text(words.tile_value(tile), "bold"), delta, Text(words.tile_detail(tile)))
    return table


def _changes(report: Report) -> Iterable[str]:
    for change in report.changes:
        yield f"{change.kind} {change.subject}: {words.change(change)}"


def _costs(report: Report, width: int) -> Iterable[Table | str]:
    """Names of causes stay whole, to be copied into `triage explain`."""
    if not report.costs:
        yield words.no_failure(report)
        return
    cost = [f">{words.cost_title(report)}"] if report.prices else []
    heads = ("cause", ">failures", ">GPU-hours", *cost, ">PRs", "recommended")
    rows = [_cost(report, row) for row in report.costs[:ROWS]]
    columns = list(zip(heads, *rows, strict=True))
    taken = sum(max(map(len, column)) + _GAP for column in columns[:-1])
    beside = taken + min(max(map(len, columns[-1])), _ROOM_FOR_WORDS) <= width
    yield _table(heads, rows) if beside else _table(heads[:-1], [row[:-1] for row in rows])
    if not beside:
        yield from (f"recommended for {row[0]}: {row[-1]}" for row in rows if row[-1] != _NOTHING)
    if said := words.split(report):
        yield said


def _cost(report: Report, row: CauseCost) -> Sequence[str]:
    money = [words.money(row.money)] if report.prices else []
    name = row.signature or words.UNEXPLAINED
    return (name, str(row.failures), words.hours(row.hours), *money, str(row.pull_requests), row.fix or _NOTHING)


def _suspects(report: Report) -> Iterable[str]:
    for one in report.runners.suspects:
        yield f"{one.name} ({one.pool}) {words.suspect(one)}"


def _jobs(report: Report) -> Iterable[Table]:
    telling = [row for row in report.jobs if row.state not in (State.STEADY, State.TOO_LITTLE)][:ROWS]
    if telling:
        cost = [f">{words.cost_title(report)}"] if report.prices else []
        yield _table(
            ("state", "job", ">failing", ">flakes", ">GPU-hours", *cost),
            (
                (
                    row.state, f"{row.workflow} / {row.job}", words.percent(row.failing.value),
                    words.percent(row.flake.value), words.hours(row.gpu_hours),
                    *([words.money(row.money)] if report.prices else []),
                )
                for row in telling
            ),
        )  # fmt: skip


def _fixes(report: Report) -> Iterable[str]:
    for row in report.fixes:
        if row.held in (Held.FAILED, Held.REDUCED, Held.DEAD, Held.REVERTED):
            yield f"{row.held}: {row.title} ({row.job}): {row.why}"
