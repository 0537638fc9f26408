"""The signature whose words are nearest to a line: a hint for whoever writes the next one, never a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.model.diagnosis import Nearest
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

_ENOUGH = 62.0
_SHORTEST = 12
_MOST_TRIED = 20
# Of a line and an example that differ in names and figures at most.
_NEAR_MISS = 80
# Turns a pattern into the words that it holds: groups, classes, escapes and repeats say nothing to a reader.
_NOT_WORDS = re.compile(r"\(\?P?<\w+>|\(\?[:i]*\)?|\\[a-zA-Z]|\[[^\]]*\]|\{[\d,]+\}|[\\^$*+?|()]")


def nearest(text: str, catalogue: Catalogue) -> Nearest | None:
    """None when nothing is near. rapidfuzz is imported only here: most logs never need it."""
    from rapidfuzz import fuzz, process

    phrases = [(name, phrase) for name, s in _naming(catalogue) for phrase in _phrases(s.condition)]
    said = text[:500].lower()
    found = process.extract(
        said, [phrase for _, phrase in phrases], scorer=fuzz.token_set_ratio, score_cutoff=_ENOUGH, limit=_MOST_TRIED
    )
    for _, similarity, at in found:
        name = phrases[at][0]
        # What a signature's own near misses are more like was considered by its author, and ruled out.
        misses = "\n".join(catalogue.signatures[name].examples_no_match).lower().splitlines()
        if not any(fuzz.ratio(said, one) >= _NEAR_MISS for one in misses):
            return Nearest(name, round(similarity, 1))
    return None


def _naming(catalogue: Catalogue) -> Iterator[tuple[str, Signature]]:
    """Without those that only say that something failed: near to one of them is every failure."""
    return ((name, one) for name, one in catalogue.signatures.items() if one.rank is not Rank.WRAPPER)


def _phrases(condition: Condition) -> Iterator[str]:
    match condition:
        case Contains(text=text):
            words = text
        case Regex(pattern=pattern):
            words = " ".join(_NOT_WORDS.sub(" ", pattern).split())
        case AllOf(conditions=conditions) | AnyOf(conditions=conditions):
            for each in conditions:
                yield from _phrases(each)
            return
        case Sequence(lines=lines):
            for line in lines:
                yield from _phrases(line)
            return
        case NoneOf():
            return
    if len(words) >= _SHORTEST:
        yield words.lower()
