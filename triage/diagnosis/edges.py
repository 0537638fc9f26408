"""The causal edges of the catalogue: what explains what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triage.model.signature import Catalogue


def explained_by(catalogue: Catalogue, origins: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Each of `origins` -> all that it explains, through every edge. A circle ends where it began."""
    closure: dict[str, frozenset[str]] = {}
    for origin in origins:
        seen: set[str] = set()
        waiting = list(catalogue.signatures[origin].explains) if origin in catalogue.signatures else []
        while waiting:
            name = waiting.pop()
            if name not in seen and name != origin:
                seen.add(name)
                waiting += catalogue.signatures[name].explains if name in catalogue.signatures else ()
        closure[origin] = frozenset(seen)
    return closure
