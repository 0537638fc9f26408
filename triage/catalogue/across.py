"""Checks over a whole catalogue: signatures that contradict or repeat each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from triage.catalogue.conditions import canonical
from triage.catalogue.decoding import Examined
from triage.catalogue.findings import Finding
from triage.model.recipe import EffectiveValue
from triage.model.signature import Signature, Status, Tables


def circles(examined: Sequence[Examined]) -> Iterator[Finding]:
    """SIG011: every signature that explains itself through others."""
    edges = {seen.signature.id: seen.signature.explains for seen in examined if seen.signature}
    for seen in examined:
        if seen.signature and (path := _way_back(seen.signature.id, edges)):
            yield _finding(seen, ("explains",), "SIG011", f"explains itself: {' -> '.join(path)}")


def _way_back(start: str, edges: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """A path from `start` to itself, or ()."""
    paths: list[tuple[str, ...]] = [(start,)]
    visited = set[str]()
    while paths:
        path = paths.pop()
        for following in edges.get(path[-1], ()):
            if following == start:
                return (*path, start)
            if following not in visited:
                visited.add(following)
                paths.append((*path, following))
    return ()


def repeats(examined: Sequence[Examined]) -> Iterator[Finding]:
    """SIG012: the same condition and scope as an earlier file."""
    first: dict[tuple[str, object], Signature] = {}
    for seen in examined:
        if seen.signature is None:
            continue
        key = (canonical(seen.signature.condition), seen.signature.scope)
        earlier = first.setdefault(key, seen.signature)
        if earlier is not seen.signature:
            yield _finding(seen, ("match",), "SIG012", f"the same condition as `{earlier.id}` ({earlier.source})")


def doubles(examined: Sequence[Examined]) -> Iterator[Finding]:
    """SIG002: an id that an earlier file of the same catalogue has."""
    sources: dict[str, list[Examined]] = defaultdict(list)
    for seen in examined:
        if seen.signature:
            sources[seen.signature.id].append(seen)
    for same in sources.values():
        for seen in same[1:]:
            yield Finding(seen.document.source, 0, "SIG002", f"the id is that of {same[0].document.source}")


def dangling(examined: Sequence[Examined]) -> Iterator[Finding]:
    """SIG023: `explains` of no signature."""
    known = {seen.signature.id for seen in examined if seen.signature}
    known |= {old for seen in examined if seen.signature for old in seen.signature.renamed_from}
    for seen in examined:
        for at, target in enumerate(seen.signature.explains if seen.signature else ()):
            if target not in known:
                yield _finding(seen, ("explains", at), "SIG023", f"no signature is called `{target}`")


def unknown_knobs(examined: Sequence[Examined], tables: Tables) -> Iterator[Finding]:
    """SIG021: a knob that no table translates."""
    for seen in examined:
        for at, fix in enumerate(seen.signature.fixes if seen.signature else ()):
            if not isinstance(fix.recipe, EffectiveValue):
                continue
            asked = [fix.recipe.knob, *(also.knob for also in fix.recipe.together)]
            asked += [fact.removeprefix("setting:") for fact in fix.when if fact.startswith("setting:")]
            for knob in asked:
                if knob and knob not in tables.knobs:
                    yield _finding(seen, ("fixes", at), "SIG021", f"no table translates the knob `{knob}`")


def due(examined: Sequence[Examined], today: date) -> Iterator[Finding]:
    """SIG014: the review's date is over."""
    for seen in examined:
        signature = seen.signature
        if signature is None or signature.status is Status.DEPRECATED or not signature.review_by:
            continue
        if signature.review_by < today.isoformat():
            yield _finding(seen, ("review_by",), "SIG014", f"the review was due on {signature.review_by}")


def _finding(seen: Examined, path: tuple[str | int, ...], check: str, message: str) -> Finding:
    return Finding(seen.document.source, seen.document.line(path), check, message)
