"""Any number of signatures: the catalogue's own leaves first, then variants of them with words swapped."""

from __future__ import annotations

import random
import re

from triage.matching.patterns import leaves, pattern_of
from triage.model.signature import Category, Explain, Rank, Regex, Severity, Signature, Status
from triage.sources.catalogue import load

_WORD = re.compile(r"(?<![\\\w<])[a-z]{5,12}(?![\w>])")
_WORDS = [
    "anchor",
    "basket",
    "candle",
    "dragon",
    "ember",
    "falcon",
    "garden",
    "harbor",
    "island",
    "jungle",
    "kettle",
    "lantern",
    "meadow",
    "nectar",
]


def patterns(count: int) -> list[str]:
    """Accepted by RE2, by Python's `re` and by PCRE2 alike."""
    own = [pattern_of(leaf) for one in load(cache=False).signatures.values() for leaf in leaves(one.condition)]
    own = [pattern for pattern in dict.fromkeys(own) if _is_common(pattern)]
    chance, found, turn = random.Random(5), own[:count], 0
    while len(found) < count:
        pattern = own[turn % len(own)]
        turn += 1
        words = _WORD.findall(pattern)
        new = f"{chance.choice(_WORDS)}{chance.choice(_WORDS)}{turn}"
        found.append(pattern.replace(chance.choice(words), new, 1) if words else f"{pattern} {new}")
    return found


def _is_common(pattern: str) -> bool:
    if re.search(r"\\z|\\pN|\\C|\[\[:", pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def signatures(count: int) -> list[Signature]:
    return [
        Signature(
            f"s{number}",
            "t",
            "o",
            "f",
            Category.INFRA,
            Severity.LOW,
            Rank.ROOT,
            Status.STABLE,
            Regex(pattern),
            Explain("w"),
        )
        for number, pattern in enumerate(patterns(count))
    ]
