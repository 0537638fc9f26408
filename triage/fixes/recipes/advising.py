"""`advise` with places: where the knobs that the words are about stand in this job, and lines that the log quotes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.recipes.knobs import Program, program
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.setting import line_of_key
from triage.fixes.whereabouts.naming import CONFIGURATIONS
from triage.model.recipe import Advise

_MOST = 6
# A shorter quotation would be found anywhere.
_LEAST = 6
_TEXTS = (".sh", ".bash", ".py", *CONFIGURATIONS)


def advise(recipe: Advise, here: Situation | Refusal) -> Words:
    """The words alone where the job cannot be looked at."""
    if isinstance(here, Refusal) or not (recipe.knobs or recipe.find):
        return Words(recipe.text)
    places = list(dict.fromkeys([*_knobs(here, recipe.knobs), *_quoted(here, recipe.find)]))[:_MOST]
    return Words(f"{recipe.text} In the repository: {'; '.join(places)}." if places else recipe.text)


def _knobs(here: Situation, names: Sequence[str]) -> Iterator[str]:
    programs = [program(here.tree, one, here.tables) for one in here.concerned if one.argv and not one.substitution]
    for name in names:
        yield from dict.fromkeys(place for each in programs if (place := _place(here, each, name)))


def _place(here: Situation, each: Program, knob: str) -> str:
    """`<key> is <value> at <file>:<line>`, the variable that holds it in brackets; "" when the command has none."""
    setting = each.setting_of(knob)
    if setting is not None:
        key, found = setting
        site = next(iter(found.value.sites), None)
        name = f" ({site.name})" if site is not None and site.name else ""
        return f"{key} is `{found.value}`" + (f" at {site.path}:{site.line}{name}" if site is not None else "")
    key = next((key for key in each.spellings(knob) if each.default(key)), "")
    if not key:
        return ""
    line = line_of_key(here.tree, each.file, key) if each.file else 0
    where = f" at {each.file}:{line}" if line else f" for {each.file}, inherited" if each.file else " by default"
    return f"{key} is `{each.default(key)}`{where}"


def _quoted(here: Situation, find: str) -> Iterator[str]:
    """Lines of the job's own files that hold what the log quotes: a capture only selects among them."""
    text = here.fill(find, select=True) if find else ""
    if isinstance(text, Refusal) or len(text) < _LEAST:
        return
    wanted = text.encode()
    for path in _own_files(here):
        data = here.tree.read(path)
        at = data.find(wanted)
        if at >= 0:
            yield f"{path}:{line_of(data, at)}"


def _own_files(here: Situation) -> tuple[str, ...]:
    """Scripts that run, the configuration, and files in the folder that is called like the job."""
    run = [path for one in here.concerned for call in one.calls for path in (call.path, call.enters)]
    named = [program(here.tree, one, here.tables).file for one in here.concerned if one.argv]
    parts = {part for word in here.target.job.split() for part in word.split("/") if len(part) > _LEAST}
    beside = [path for path in here.tree.paths() if posixpath.basename(posixpath.dirname(path)) in parts]
    every = [*run, *named, *beside]
    return tuple(dict.fromkeys(path for path in every if path in here.tree and path.endswith(_TEXTS)))
