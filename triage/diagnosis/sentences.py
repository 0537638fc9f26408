"""Conditions over one sentence: annotations are single texts, so no streams and no distances."""

from __future__ import annotations

import re2

from triage.model.signature import (
    AllOf,
    AnyOf,
    Catalogue,
    Condition,
    Contains,
    NoneOf,
    Rank,
    Regex,
    Sequence,
    Signature,
)


def first_match(text: str, catalogue: Catalogue) -> tuple[Signature, dict[str, str]] | None:
    """The first signature, roots before symptoms, that holds on `text`. Wrappers never name a cause."""
    order = (Rank.ROOT, Rank.SYMPTOM)
    signatures = (s for rank in order for s in catalogue.signatures.values() if s.rank is rank)
    for signature in signatures:
        captures = _holds(signature.condition, text)
        if captures is not None:
            return signature, captures
    return None


def _holds(condition: Condition, text: str) -> dict[str, str] | None:
    """The named captures when the condition holds; None when it does not."""
    match condition:
        case Contains(text=wanted):
            return {} if wanted in text else None
        case Regex(pattern=pattern):
            found = re2.search(pattern, text)
            return {name: value for name, value in found.groupdict().items() if value} if found else None
        case AllOf(conditions=conditions):
            return _all(conditions, text)
        case Sequence(lines=lines):
            return _all(lines, text)
        case AnyOf(conditions=conditions):
            return next((captures for each in conditions if (captures := _holds(each, text)) is not None), None)
        case NoneOf(conditions=conditions):
            return None if any(_holds(each, text) is not None for each in conditions) else {}


def _all(conditions: tuple[Condition, ...], text: str) -> dict[str, str] | None:
    captures: dict[str, str] = {}
    for condition in conditions:
        held = _holds(condition, text)
        if held is None:
            return None
        captures |= held
    return captures
