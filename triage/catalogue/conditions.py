"""Conditions as values: their leaves, captures, canonical form, and a plain evaluation over a few lines.

The evaluation here serves examples and messages; logs go through `triage/matching`, in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Lines

from triage.catalogue.patterns import compiled
from triage.model.signature import AllOf, AnyOf, Condition, Contains, NoneOf, Occurrence, Regex, Sequence

Leaf = Contains | Regex

_GROUP = re.compile(r"\(\?P?<([A-Za-z_]\w*)>")


def leaves(condition: Condition, excluded: bool = False) -> Iterator[tuple[Leaf, bool]]:
    """Every leaf in order, and whether it stands under `none`."""
    match condition:
        case Contains() | Regex():
            yield condition, excluded
        case AllOf(conditions) | AnyOf(conditions):
            for inner in conditions:
                yield from leaves(inner, excluded)
        case NoneOf(conditions):
            for inner in conditions:
                yield from leaves(inner, True)
        case Sequence(lines):
            for leaf in lines:
                yield leaf, excluded


def wanted(condition: Condition) -> tuple[Leaf, ...]:
    """The leaves that must (or may) hold: those not under `none`."""
    return tuple(leaf for leaf, excluded in leaves(condition) if not excluded)


def evidence(condition: Condition) -> tuple[Leaf, ...]:
    """The leaves whose line may be shown as the evidence: one, or one for each branch of an `any`."""
    match condition:
        case Contains() | Regex():
            return (condition,)
        case AllOf(conditions):
            return next((found for inner in conditions if (found := evidence(inner))), ())
        case AnyOf(conditions):
            return tuple(leaf for inner in conditions for leaf in evidence(inner))
        case NoneOf():
            return ()
        case Sequence(lines, _, Occurrence.FIRST):
            return lines[:1]
        case Sequence(lines):
            return lines[-1:]


def captures(condition: Condition) -> frozenset[str]:
    """Names that the wanted leaves capture."""
    return frozenset(
        name for leaf in wanted(condition) if isinstance(leaf, Regex) for name in _GROUP.findall(leaf.pattern)
    )


def depth(condition: Condition) -> int:
    match condition:
        case Contains() | Regex():
            return 0
        case AllOf(conditions) | AnyOf(conditions) | NoneOf(conditions):
            return 1 + max((depth(inner) for inner in conditions), default=0)
        case Sequence():
            return 1


def canonical(condition: Condition) -> str:
    """The same text for conditions that differ only in the order of `all`, `any` and `none`."""
    match condition:
        case Contains(text, anywhere):
            return f"contains({text!r},{anywhere})"
        case Regex(pattern, anywhere):
            return f"regex({pattern!r},{anywhere})"
        case AllOf(conditions) | AnyOf(conditions) if len(conditions) == 1:
            return canonical(conditions[0])
        case AllOf(conditions) | AnyOf(conditions) | NoneOf(conditions):
            return f"{type(condition).__name__}({','.join(sorted(map(canonical, conditions)))})"
        case Sequence(lines, within, evidence):
            return f"sequence({within},{evidence},{','.join(map(canonical, lines))})"


def hits(leaf: Leaf, line: str) -> bool:
    match leaf:
        case Contains(text):
            return text in line
        case Regex(pattern):
            found = compiled(pattern)
            return not isinstance(found, str) and found.search(line.encode()) is not None


def holds(condition: Condition, lines: Lines[str]) -> bool:
    """Whether the condition holds over `lines`, taken as one stream."""
    match condition:
        case Contains() | Regex():
            return any(hits(condition, line) for line in lines)
        case AllOf(conditions):
            return all(holds(inner, lines) for inner in conditions)
        case AnyOf(conditions):
            return any(holds(inner, lines) for inner in conditions)
        case NoneOf(conditions):
            return not any(holds(inner, lines) for inner in conditions)
        case Sequence(wanted_lines, within):
            return any(_follows(wanted_lines, lines[at : at + within + 1]) for at in range(len(lines)))


def _follows(wanted_lines: tuple[Leaf, ...], lines: Lines[str]) -> bool:
    if not lines or not hits(wanted_lines[0], lines[0]):
        return False
    rest = iter(lines[1:])
    return all(any(hits(leaf, line) for line in rest) for leaf in wanted_lines[1:])
