"""Namespaces that several distributions share: only the part that is imported tells which of them is missing."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised

# Each is a namespace package (PEP 420, or pkgutil before it) of independent projects on PyPI.
_SHARED = frozenset(("azure", "google", "megatron", "nvidia", "opentelemetry", "ruamel"))


def part_of(here: Situation, module: str) -> str:
    """The dotted part of a shared namespace that the failed statement imports; "" where that is not known."""
    imported = here.facts.imported
    return imported if module in _SHARED and imported.startswith(f"{module}.") else ""


def of_part(here: Situation, part: str) -> tuple[str, ...]:
    """Distributions of the part alone, as the table has them; never those of the namespace as such."""
    parts = part.split(".")
    prefixes = (".".join(parts[:end]) for end in range(len(parts), 1, -1))
    listed = (here.tables.distributions[one] for one in prefixes if one in here.tables.distributions)
    return tuple(normalised(name) for name in next(listed, ()))


def undecided(module: str, part: str) -> Words:
    which = (
        f"the failed line imports {part}, which the table does not know" if part else "the log does not show which part"
    )
    return Words(
        f"several distributions share the namespace `{module}`, and {which}: install the one that provides it, pinned, "
        "where the job installs the rest",
        image=True,
    )


def is_shared(module: str) -> bool:
    return module in _SHARED
