"""The scores as people read them: by family and by how mechanical the merged fix was, then every miss with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

from tests.replay.scoring import Score

_COLUMNS: tuple[tuple[str, Callable[[Score], bool]], ...] = (
    ("patch", lambda one: not one.honest),
    ("file", lambda one: one.right_file),
    ("knob", lambda one: one.right_knob),
    ("direction", lambda one: one.right_direction),
    ("band", lambda one: one.in_band),
    ("no apply", lambda one: not one.honest and not one.proposal.applies),
    ("unrelated", lambda one: bool(one.unrelated)),
    ("wrong", lambda one: not one.honest and not one.right_knob),
    ("2nd empty", lambda one: not one.honest and one.proposal.empty_again),
    ("honest", lambda one: one.honest),
    ("named", lambda one: one.named),
)


def table(scores: Sequence[Score]) -> str:
    """One text; empty sections are left out."""
    if not scores:
        return "nothing was replayed"
    rows = [("all", list(scores))]
    rows += [
        (f"mechanical {kind}", [one for one in scores if one.case.mechanical == kind]) for kind in ("yes", "partly")
    ]
    families = Counter(one.case.family for one in scores)
    rows += [(name, [one for one in scores if one.case.family == name]) for name, _ in families.most_common()]
    head = f"{'':28}{'n':>4}" + "".join(f"{name:>10}" for name, _ in _COLUMNS)
    lines = [head, *(_row(name, group) for name, group in rows if group), "", *_misses(scores), "", _times(scores)]
    return "\n".join(lines)


def _row(name: str, group: Sequence[Score]) -> str:
    return f"{name:28}{len(group):>4}" + "".join(f"{sum(map(test, group)):>10}" for _, test in _COLUMNS)


def _misses(scores: Sequence[Score]) -> list[str]:
    wrong = [one for one in scores if one.verdict not in ("right", "right knob")]
    return [
        f"{one.verdict:14} {one.case.mechanical:6} {one.case.id:24} {one.proposal.signature or '-':36} {_reason(one)}"
        for one in sorted(wrong, key=lambda one: (one.verdict, one.case.id))
    ]


def _reason(one: Score) -> str:
    if one.honest:
        return f"{one.proposal.state}: {one.proposal.words.partition(' | ')[0][:150]}"
    knobs = ", ".join(f"{knob.name} {knob.old}->{knob.new}" for knob in one.proposal.knobs[:2])
    return f"{one.proposal.recipe} in {', '.join(one.unrelated or one.proposal.files)}: {knobs}"[:170]


def _times(scores: Sequence[Score]) -> str:
    times = sorted(one.proposal.seconds for one in scores)
    slow = times[int(0.95 * (len(times) - 1))]
    return f"seconds a case: median {median(times):.2f}, 95th percentile {slow:.2f}, most {times[-1]:.2f}"
