"""The report's charts as inline SVG: no script, no fonts, colours from the page's own variables (light and dark).

Each has a role, a title and a description; each figure in it stands in a table of the page too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TypeVar

from markupsafe import Markup, escape

from triage.model.finding import Change, Rate
from triage.model.report import Cell, LossPoint, TrendPoint
from triage.output.plain import plain, shorten
from triage.output.report_words import percent, rate

Point = TypeVar("Point")

_WIDTH, _HEIGHT = 480, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 12, 26
FAMILIES = 6  # colours in the page's palette; the rest is "other"
OTHER = "other"


def sparkline(values: Sequence[float | None]) -> Markup:
    """Bare shape of a tile's past; nothing where fewer than two periods are known."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Markup("")
    low, high = min(known), max(known)
    scale = (high - low) or 1.0
    step = 120 / max(1, len(values) - 1)
    points = [None if v is None else (at * step, 26 - 22 * (v - low) / scale) for at, v in enumerate(values)]
    paths = "".join(f'<polyline points="{_points(part)}"/>' for part in _runs(points))
    last = next(point for point in reversed(points) if point is not None)
    dot = f'<circle cx="{last[0]:.1f}" cy="{last[1]:.1f}" r="2.5"/>'
    return Markup(
        f'<svg class="spark" viewBox="-3 0 126 30" preserveAspectRatio="xMinYMid" aria-hidden="true">{paths}{dot}</svg>'
    )


def trend(title: str, points: Sequence[TrendPoint], of: Callable[[TrendPoint], Rate]) -> Markup:
    """A rate by period with its 95 % band; periods with too little data are gaps."""
    rates = [of(point) for point in points]
    judged = [one for one in rates if one.enough]
    if len(judged) < 2:
        return Markup("")
    top = _ceiling(max(one.high for one in judged))
    floor = 0.0 if min(one.low for one in judged) < top / 2 else _floor(min(one.low for one in judged))

    def x(at: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * at / max(1, len(points) - 1)

    def y(share: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (top - share) / (top - floor)

    marks = [
        None if not one.enough else (x(at), y(one.value or 0), y(one.low), y(one.high)) for at, one in enumerate(rates)
    ]
    body = [_grid(floor, top, y)]
    for part in _runs(marks):
        upper = [(mark[0], mark[3]) for mark in part]
        lower = [(mark[0], mark[2]) for mark in reversed(part)]
        body.append(f'<polygon class="band" points="{_points([*upper, *lower])}"/>')
        body.append(f'<polyline class="line" points="{_points([(mark[0], mark[1]) for mark in part])}"/>')
    for at, mark in enumerate(marks):
        if mark is not None:
            hint = f"{points[at].first:%b %d} to {points[at].last:%b %d}: {rate(rates[at])}"
            body.append(
                f'<circle class="dot" cx="{mark[0]:.1f}" cy="{mark[1]:.1f}" r="3"><title>{hint}</title></circle>'
            )
    body.append(_dates([point.first for point in points], x))
    newest = judged[-1]
    described = (
        f"{len(points)} periods; the newest: {rate(newest)}, 95 % {percent(newest.low)} to {percent(newest.high)}"
    )
    return _chart(title, described, "".join(body), _WIDTH, _HEIGHT)


def losses(points: Sequence[LossPoint], periods: Sequence[date]) -> Markup:
    """GPU-hours by period, stacked by family: the dearest families of all periods have their own colour."""
    order = families(points)
    if not order:
        return Markup("")
    amounts: dict[tuple[date, str], float] = {}
    for point in points:
        name = point.family if point.family in order else OTHER
        amounts[point.first, name] = amounts.get((point.first, name), 0.0) + point.hours
    stack = [*order, OTHER]
    top = _ceiling(max(sum(amounts.get((first, name), 0.0) for name in stack) for first in periods))

    def x(at: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (at + 0.5) / len(periods)

    def y(hours: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - hours / top)

    width = min(28.0, (_WIDTH - _LEFT - _RIGHT) / len(periods) * 0.76)
    body = [_grid(0, top, y, lambda value: f"{value:,.0f}")]
    for at, first in enumerate(periods):
        running = 0.0
        for place, name in enumerate(stack):
            hours = amounts.get((first, name), 0.0)
            if hours:
                rect = f'x="{x(at) - width / 2:.1f}" y="{y(running + hours):.1f}" width="{width:.1f}"'
                hint = escape(f"{first:%b %d}: {plain(name) or 'unexplained'} {hours:,.1f} GPU-hours")
                height = y(running) - y(running + hours)
                body.append(f'<rect class="c{place}" {rect} height="{height:.1f}"><title>{hint}</title></rect>')
                running += hours
    body.append(_dates(list(periods), x))
    return _chart(
        "GPU-hours lost by cause", f"{len(periods)} periods, stacked by family", "".join(body), _WIDTH, _HEIGHT
    )


def families(points: Sequence[LossPoint]) -> tuple[str, ...]:
    """Those with a colour of their own, the dearest first."""
    totals: dict[str, float] = {}
    for point in points:
        totals[point.family] = totals.get(point.family, 0.0) + point.hours
    return tuple(sorted((name for name in totals if totals[name] > 0), key=lambda name: -totals[name])[:FAMILIES])


def heat(cells: Sequence[Cell]) -> Markup:
    """Failing rates, hardware across and workflows down. The darker, the more fail; hatched: too little data."""
    pools, workflows = sorted({cell.pool for cell in cells}), sorted({cell.workflow for cell in cells})
    if not cells:
        return Markup("")
    known = {(cell.workflow, cell.pool): cell.failing for cell in cells}
    most = max((one.value or 0 for one in known.values() if one.enough), default=0) or 1.0
    left, wide, high, head = 150, 118, 30, 30
    body = []
    for at, pool in enumerate(pools):
        body.append(f'<text x="{left + wide * (at + 0.5):.0f}" y="18" text-anchor="middle">{_short(pool, 17)}</text>')
    for row, workflow in enumerate(workflows):
        top = head + row * high
        body.append(f'<text x="{left - 8}" y="{top + 19}" text-anchor="end">{_short(workflow, 21)}</text>')
        for at, pool in enumerate(pools):
            body.append(_heat_cell(known.get((workflow, pool)), left + wide * at, top, wide, high, most))
    return _chart(
        "Failing first attempts by hardware and workflow", f"{len(workflows)} workflows on {len(pools)} pools",
        "".join(body), left + wide * len(pools) + 4, head + high * len(workflows) + 4, natural=True,
    )  # fmt: skip


def _heat_cell(one: Rate | None, x: float, y: float, wide: float, high: float, most: float) -> str:
    box = f'x="{x + 1:.0f}" y="{y + 1:.0f}" width="{wide - 2:.0f}" height="{high - 2:.0f}" rx="3"'
    if one is None or not one.n:
        return f'<rect class="none" {box}/>'
    strength = (one.value or 0) / most if one.enough else 0.0
    kind = "heat" if one.enough else "few"
    ink = "on" if strength > 0.55 else "off"
    label = f"{one.k}/{one.n}" if not one.enough else f"{percent(one.value)} · {one.k}/{one.n}"
    middle = f'x="{x + wide / 2:.0f}" y="{y + high / 2 + 4:.0f}" text-anchor="middle"'
    return (
        f'<rect class="none" {box}/><rect class="{kind}" {box} fill-opacity="{0.06 + 0.94 * strength:.2f}">'
        f'<title>{escape(rate(one))}</title></rect><text class="{ink}" {middle}>{label}</text>'
    )


def new_and_gone(changes: Sequence[Change]) -> Markup:
    """Hits by period of the causes that are new, and of those that are gone: a row of bars each."""
    rows = [change for change in changes if change.hits_by_period]
    if not rows:
        return Markup("")
    left, high, width = 190, 34, 280
    body = []
    for at, change in enumerate(rows):
        top, most = at * high, max(change.hits_by_period) or 1
        name = _short(change.subject, 27)
        body.append(f'<text x="{left - 8}" y="{top + 20}" text-anchor="end">{name}</text>')
        step = width / len(change.hits_by_period)
        for place, hits in enumerate(change.hits_by_period):
            size = max(1.0, 24 * hits / most)
            kind = "now" if place == len(change.hits_by_period) - 1 else "past"
            rect = (
                f'x="{left + place * step:.1f}" y="{top + 30 - size:.1f}" width="{step * 0.8:.1f}" height="{size:.1f}"'
            )
            body.append(f'<rect class="{kind if hits else "zero"}" {rect}><title>{hits}</title></rect>')
    return _chart(
        "New and gone causes", "Failures by period, oldest on the left, this period last",
        "".join(body), left + width + 6, high * len(rows) + 4, kind="rows",
    )  # fmt: skip


def _chart(
    title: str, described: str, body: str, width: float, height: float, natural: bool = False, kind: str = ""
) -> Markup:
    """`natural`: keeps its size and scrolls, because shrinking would make its text too small to read."""
    size = f' style="width:{width:.0f}px"' if natural else ""
    return Markup(
        f'<svg class="chart {kind}" role="img" viewBox="0 0 {width:.0f} {height:.0f}"{size}>'
        f"<title>{escape(title)}</title><desc>{escape(described)}</desc>{body}</svg>"
    )


def _grid(floor: float, top: float, y: Callable[[float], float], label: Callable[[float], str] = percent) -> str:
    lines = []
    for step in range(5):
        value = floor + (top - floor) * step / 4
        lines.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
        )
        lines.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{label(value)}</text>')
    return "".join(lines)


def _dates(dates: Sequence[date], x: Callable[[int], float]) -> str:
    """About six labels, the newest always among them."""
    step = max(1, -(-len(dates) // 6))
    shown = range(len(dates) - 1, -1, -step)
    texts = []
    for at in shown:
        anchor = "end" if at == len(dates) - 1 and len(dates) > 1 else "middle"
        texts.append(f'<text x="{x(at):.1f}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{dates[at]:%b %d}</text>')
    return "".join(texts)


def _runs(points: Iterable[Point | None]) -> Iterable[list[Point]]:
    """Stretches without a gap."""
    run: list[Point] = []
    for point in points:
        if point is not None:
            run.append(point)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _ceiling(value: float) -> float:
    """The next round number, so that the axis reads well."""
    if value <= 0:
        return 1.0
    size = 1.0
    while size > value:
        size /= 10
    while size * 10 <= value:
        size *= 10
    return next(size * step for step in (1, 1.2, 1.6, 2, 3, 4, 6, 8, 10) if size * step >= value)


def _floor(value: float) -> float:
    """A round number below, in twentieths."""
    return int(value * 20) / 20


def _short(text: str, most: int) -> str:
    return str(escape(shorten(plain(text), most)))
