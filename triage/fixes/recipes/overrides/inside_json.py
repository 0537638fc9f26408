"""`effective_value` where the knob stands inside of JSON that the command hands to its program as one argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_with
from triage.fixes.evaluate.values import Site, SiteKind, Value, cut
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import new_value
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import EffectiveValue

# The site must be the very bytes that the program reads.
_PLAIN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN})


def value_in_json(recipe: EffectiveValue, here: Situation) -> Outcome | None:
    """None where no argument holds it; refused where several do, or where it is put together at run time."""
    leaves = {re.escape(one.lstrip("-").replace("-", "_").rpartition(".")[2]) for one in _spelled(recipe, here)}
    entry = re.compile(rf'"(?P<key>(?:[\w-]+\.)*(?:{"|".join(sorted(leaves))}))"\s*:\s*"?(?P<value>[\w.]+)"?')
    found: dict[object, tuple[str, str, Site | None, int]] = {}
    for one in here.concerned if leaves else ():
        for word in one.argv:
            text = word.text or ""
            for hit in entry.finditer(text) if text.lstrip().startswith("{") else ():
                site = _site(word, *hit.span("value"))
                place = site.key if site is not None else (text, hit.start())
                found.setdefault(place, (hit["key"], hit["value"], site, one.step))
    if not found:
        return None
    if len(found) > 1:
        return Refusal(f"several arguments hold {next(iter(found.values()))[0]}")
    ((key, old, site, step),) = found.values()
    if site is None:
        return Refusal(f"the argument that holds {key} is put together at run time")
    return _changed(recipe, here, key, old, site, step)


def _site(word: Value, start: int, end: int) -> Site | None:
    """The bytes of a part of the word, which one piece must hold as its file has it."""
    before = 0
    for piece in word.pieces:
        size = len(piece.text or "")
        if before <= start and end <= before + size:
            site = cut(piece, start - before, end - before).site
            whole = site is not None and site.end - site.start == len((piece.text or "")[start - before : end - before])
            return site if site is not None and whole and site.kind in _PLAIN else None
        before += size
    return None


def _changed(recipe: EffectiveValue, here: Situation, key: str, old: str, site: Site, step: int) -> Outcome:
    wanted = new_value(recipe, old, lambda _value: "")
    if isinstance(wanted, Refusal):
        return Refusal(f"{key}: {wanted.reason}", site.path, site.line)
    if wanted is None:
        return InPlace(f"{key} is already `{old}` ({site.path}:{site.line})")
    edit = Edit(site.path, site.start, site.end, wanted.encode(), f"{key} is {old} here; it becomes {wanted}")
    line = as_promised(line_with(here.tree.read(site.path), site.start, site.end, edit.new))
    promise = Expectation("line", line, here.target.job, site.path)
    declared = declared_at(here, site.path, step)
    settled = replace(recipe, to=wanted, candidates=(), factor="", add="", from_values=())
    return Edited((edit,), (declared,), (promise,), settled=settled, blast_radius=blast_radius(here, (site,)))


def _spelled(recipe: EffectiveValue, here: Situation) -> Iterator[str]:
    """Every spelling of the knob: nobody knows whose keys the JSON has."""
    yield from (one for one in (recipe.key, recipe.flag) if one)
    for name, written in here.tables.knobs.get(recipe.knob, {}).items():
        yield from written if name not in ("env", "shell", "record") else ()
