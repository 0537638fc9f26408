"""`advise` with places: where the knobs that the words are about stand in this job, and lines that the log quotes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.overrides.knobs import Program, program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.setting import line_of_key
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import CONFIGURATIONS, in_tree
from triage.interfaces import Tree
from triage.model.recipe import Advise

_MOST = 6
# A shorter quotation would be found anywhere.
_LEAST = 6
# Characters of a quoted line.
_SHOWN = 100
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# A shorter path may be a folder of any repository.
_LEAST_PARTS = 2
_TEXTS = (".sh", ".bash", ".py", *CONFIGURATIONS)


def advise(recipe: Advise, tree: Tree, target: Target, here: Situation | Refusal, captures: Mapping[str, str]) -> Words:
    """With what can be said of the job; where it cannot be evaluated, quoted lines are still looked for."""
    known = [] if isinstance(here, Refusal) else list(_knobs(here, recipe.knobs))
    own = [] if isinstance(here, Refusal) else list(_own_files(here))
    files = [*own, *_captured(tree, captures), *_called_like(tree, target.job)]
    places = list(dict.fromkeys([*known, *_quoted(tree, files, recipe.find, captures)]))[:_MOST]
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


def _quoted(tree: Tree, files: Sequence[str], find: str, captures: Mapping[str, str]) -> Iterator[str]:
    """Lines that hold what the log quotes: a capture only selects among what the files hold."""
    text = _PLACEHOLDER.sub(lambda found: captures.get(found[1], "\0"), find)
    if len(text) < _LEAST or "\0" in text:
        return
    for path in dict.fromkeys(files):
        data = tree.read(path)
        at = data.find(text.encode())
        if at >= 0:
            line = data[line_start(data, at) : line_end(data, at)].decode("utf-8", "replace").strip()
            yield f"{path}:{line_of(data, at)} (`{line[:_SHOWN]}`)"


def _own_files(here: Situation) -> Iterator[str]:
    """Scripts that run, and the configuration."""
    run = [path for one in here.evaluation.invocations for call in one.calls for path in (call.path, call.enters)]
    named = [program(here.tree, one, here.tables).file for one in here.concerned if one.argv]
    yield from (path for path in (*run, *named) if path in here.tree and path.endswith(_TEXTS))


def _captured(tree: Tree, captures: Mapping[str, str]) -> Iterator[str]:
    """Files of the repository that the log's message names, and the texts of a folder that it names by its whole path:
    as it is, or below the folders that lead to the checkout."""
    for told in captures.values():
        parts = told.strip("/").split("/")
        if path := in_tree(tree, told):
            yield path
        elif told.startswith("/") and len(parts) > _LEAST_PARTS:
            below = ("/".join(parts[at:]) for at in range(len(parts) - 1))
            yield from next(filter(None, (_of_folder(tree, folder) for folder in below)), ())


def _of_folder(tree: Tree, folder: str) -> list[str]:
    return [path for path in tree.paths() if posixpath.dirname(path) == folder and path.endswith(_TEXTS)][:_MOST]


def _called_like(tree: Tree, job: str) -> Iterator[str]:
    """Files in a folder that is called like the job, or like a part of its name: the case of a matrix of cases."""
    parts = {part for word in job.split() for part in word.split("/") if len(part) > _LEAST}
    for path in tree.paths():
        if posixpath.basename(posixpath.dirname(path)) in parts and path.endswith(CONFIGURATIONS):
            yield path
