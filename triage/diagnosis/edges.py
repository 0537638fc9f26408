"""The causal edges of the catalogue: what explains what."""

from __future__ import annotations

from collections.abc import Mapping

from triage.model.signature import Catalogue


def explained_by(catalogue: Catalogue) -> Mapping[str, frozenset[str]]:
    """Signature -> all that it explains, through every edge. A circle ends where it began."""
    closure: dict[str, frozenset[str]] = {}
    for origin, signature in catalogue.signatures.items():
        seen: set[str] = set()
        waiting = list(signature.explains)
        while waiting:
            name = waiting.pop()
            if name not in seen and name != origin:
                seen.add(name)
                waiting += catalogue.signatures[name].explains if name in catalogue.signatures else ()
        closure[origin] = frozenset(seen)
    return closure
