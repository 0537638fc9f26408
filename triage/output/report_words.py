"""The report's sentences and figures, said the same way by every renderer of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from triage.model.finding import Attribution, Change, ChangeKind, ChangePoint, Rate, Suspect
from triage.model.fix import Presence
from triage.model.report import QueueRow, Report, Spent, Tile, TimeToGreen
from triage.output.plain import count, plain

UNEXPLAINED = "unexplained"
_BARS = "▁▂▃▄▅▆▇█"


def title(report: Report) -> str:
    return f"{report.repo}: {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}"


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def rate(one: Rate) -> str:
    """`5.0 % (36/714)`; a count alone when n is too small for a rate."""
    if not one.n:
        return "no data"
    fraction = f"{one.k}/{one.n}"
    return f"{percent(one.value)} ({fraction})" if one.enough else f"{fraction}, too little data"


def interval(one: Rate) -> str:
    return f"{percent(one.low)} to {percent(one.high)}" if one.enough else ""


def rate_and_interval(one: Rate) -> str:
    return f"{rate(one)}, 95 %: {interval(one)}" if one.enough else rate(one)


def hours(amount: float) -> str:
    if amount == 0:
        return "0"
    return f"{amount:.1f}" if amount < 99.95 else f"{amount:,.0f}"


def money(amount: float | None) -> str:
    """Two places, however small: what rounds to nothing would look free."""
    return "–" if amount is None else f"{amount:,.2f}"


def cost_title(report: Report) -> str:
    """Of a column: `cost in EUR`."""
    return f"cost in {plain(report.currency)}" if report.currency else "cost"


def spent(one: Spent, report: Report) -> str:
    """`9.8 GPU-hours (24.53 EUR)`; without a price the hours alone."""
    said = f"{hours(one.hours)} GPU-hours"
    if one.money is None or not report.prices:
        return said
    return f"{said} ({money(one.money)}{' ' + plain(report.currency) if report.currency else ''})"


def split(report: Report) -> str:
    """What flakes and what other failures cost; "" where nobody knows of GPU-hours."""
    if not report.flakes.hours and not report.failures.hours:
        return ""
    return f"Flakes cost {spent(report.flakes, report)}, other failures {spent(report.failures, report)}."


def seconds(amount: int | None) -> str:
    """`45 s`, `12 min`, `3.4 h`, `2.1 d`."""
    if amount is None:
        return "–"
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if amount >= 2 * size:
            return f"{amount / size:.1f} {unit}" if unit != "min" else f"{amount // 60} min"
    return f"{amount} s"


def tile_value(tile: Tile) -> str:
    if tile.value is None:
        return "–"
    if tile.unit == "share":
        return percent(tile.value)
    return seconds(int(tile.value * 3600)) if tile.unit == "hours" else hours(tile.value)


def tile_detail(tile: Tile) -> str:
    """The interval, n, or why there is no value."""
    if tile.note:
        return tile.note
    return f"{percent(tile.low)} to {percent(tile.high)}, n = {tile.n}" if tile.low is not None else ""


def tile_delta(tile: Tile) -> str:
    """Against the period before; "" where either is unknown."""
    if tile.value is None or tile.previous is None:
        return ""
    step = tile.value - tile.previous
    sign = "+" if step >= 0 else "−"
    if tile.unit == "share":
        return f"{sign}{100 * abs(step):.1f} points"
    if tile.unit == "hours":
        return f"{sign}{seconds(int(abs(step) * 3600))}"
    return f"{sign}{hours(abs(step))}"


def tile_tone(tile: Tile) -> str:
    """better, worse, or "" where the difference is unknown or within the interval."""
    if tile.value is None or tile.previous is None or tile.value == tile.previous:
        return ""
    if tile.low is not None and tile.high is not None and tile.low <= tile.previous <= tile.high:
        return ""
    return "better" if (tile.value > tile.previous) == tile.more_is_better else "worse"


def span(earliest: date, latest: date) -> str:
    return f"{earliest:%b %d}" if earliest == latest else f"{earliest:%b %d} to {latest:%b %d}"


def change_of_rate(point: ChangePoint) -> str:
    days = "" if point.earliest == point.latest else f" (95 %: {span(point.earliest, point.latest)})"
    return f"from {rate(point.before)} to {rate(point.after)}, most likely on {point.day:%Y-%m-%d}{days}"


def change(one: Change) -> str:
    """What follows the subject: no untrusted text but commits, which are hexadecimal."""
    if one.point is not None:
        of = "flakes" if one.kind in (ChangeKind.FLAKY, ChangeKind.CALMER) else "failures on the base branch"
        commits = commits_of(one)
        return f"{of} went {change_of_rate(one.point)}{'; ' + commits if commits else ''}"
    if one.kind is ChangeKind.NEW:
        return f"first seen in this period: {count(one.hits, 'failure')}, {hours(one.gpu_hours)} GPU-hours"
    return f"no failure in this period; {count(one.hits_before, 'failure')} in the eight periods before"


def commits_of(one: Change) -> str:
    if one.commit_before and one.commit_after:
        return f"commits {one.commit_before[:9]}..{one.commit_after[:9]}"
    return f"since before {one.commit_after[:9]}" if one.commit_after else ""


def attribution(found: Attribution, noun: str) -> str:
    """What was tested, said also when nobody is suspect."""
    if not found.tested:
        return f"No {noun} had enough attempts among peers to be compared in {found.days} days."
    tested = count(found.tested, noun)
    if not found.suspects:
        return f"None of {tested} stands out over {found.days} days (exact test, Holm's correction, 5 % level)."
    return f"{len(found.suspects)} of {tested} compared over {found.days} days stand out (5 % level, all together)."


def suspect(one: Suspect) -> str:
    return (
        f"failed {rate(one.failing)} where its peers' share would be {one.expected:.1f}; "
        f"peers {rate(one.peers)}; adjusted p = {one.adjusted:.2g}"
    )


def queue_delta(row: QueueRow) -> str:
    if row.p90_before is None:
        return ""
    sign = "+" if row.p90 >= row.p90_before else "−"
    return f"{sign}{seconds(abs(row.p90 - row.p90_before))}"


def green(found: TimeToGreen) -> str:
    if not found.episodes:
        return "No run that turned red is in the history."
    red = f", {found.still_red} still red" if found.still_red else ""
    median = seconds(found.p50) if found.p50 is not None else "not reached: more than half are still red"
    return f"{count(found.episodes, 'time')} red{red}. Median time to green: {median}."


def no_failure(report: Report) -> str:
    return "No failure in this period." if report.completeness.attempts else "No job ran in this period."


def presence(seen: Presence) -> str:
    return {Presence.SHOWN: "yes", Presence.ABSENT: "no", Presence.UNKNOWN: "not checked"}[seen]


def spark(values: Sequence[float | None]) -> str:
    """A line of blocks; a dot where nothing is known."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    width = (high - low) or 1.0
    return "".join("·" if v is None else _BARS[round((v - low) / width * (len(_BARS) - 1))] for v in values)


def chat_lines(report: Report) -> tuple[str, str, str]:
    """Three lines for a chat; names cannot mention, link or format anything there."""
    first, second, third = _summary(report)
    return _chat(first), _chat(second), _chat(third)


def _chat(text: str) -> str:
    escaped = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("@", "@\u200b").replace("*", "∗").replace("`", "'").replace("~", "∼")


def _summary(report: Report) -> tuple[str, str, str]:
    tiles = {tile.key: tile for tile in report.tiles}
    figures = "; ".join(
        f"{tiles[key].title.lower()} {tile_value(tiles[key])}" for key in ("green", "flake", "lost", "unknown")
    )
    told = [f"{one.kind}: {one.subject}" for one in report.changes[:4]]
    suspects = [f"suspect runner {one.name}" for one in report.runners.suspects[:2]]
    dearest = [
        f"{row.signature or UNEXPLAINED} {hours(row.hours)} GPU-hours" for row in report.costs[:3] if row.hours > 0
    ]
    return (
        f"{title(report)}: {figures}",
        "; ".join((*told, *suspects)) or "nothing changed that the numbers can show",
        f"dearest: {', '.join(dearest)}" if dearest else "no GPU-hours known to be lost",
    )
