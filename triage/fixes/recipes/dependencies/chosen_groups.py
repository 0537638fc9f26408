"""A distribution that a test needs, in the one group for tests that the job's installer is told to bring: a dependency
group (uv, pip, pdm), or one of poetry's or pdm's own tables."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise

from triage.fixes.document import eol_at, line_end, line_of, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import beside, run_time
from triage.fixes.recipes.dependencies.importing import last_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import OF_TESTS, required_by_extra
from triage.fixes.recipes.dependencies.owned import is_test
from triage.fixes.recipes.dependencies.projects import Project, lock_command, projects
from triage.fixes.recipes.dependencies.requiring import Listed, appended
from triage.fixes.recipes.outcome import Edited, InPlace
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised, parsed
from triage.model.patch import Edit, Expectation, as_promised

_GROUPS = (("dependency-groups",), ("tool", "pdm", "dev-dependencies"))
_POETRY = ("tool", "poetry", "group")
_ALL = "*"


def in_chosen_group(here: Situation, done: Sequence[Install], name: str) -> Edited | InPlace | None:
    """None where the job chooses no such group or several, takes exactly what a lock holds, or where the project itself
    needs the distribution, which has a list of its own for that."""
    file = last_of(here.tree, here.facts.frames)
    if here.image or not file:
        return None
    every = {(folder, group) for folder, chosen in _chosen(here, done) for group in _matching(here, folder, chosen)}
    if len(every) != 1:
        return None
    folder, group = next(iter(every))
    has_own = any(one.items for one in _lists(here, folder, (("project",),)))
    if has_own and not is_test(here.tree, file):
        return None
    texts = _groups(here, folder)[group]
    if any(one.name == normalised(name) for text in texts for one in parsed(text, "")):
        return InPlace(f"the group `{group}` of {beside(folder, 'pyproject.toml')} has {name}")
    if any("" in one.extras for one in run_time(here.tree, folder, name)):
        return None
    return _added(here, folder, group, name)


def _chosen(here: Situation, done: Sequence[Install]) -> Iterator[tuple[str, frozenset[str]]]:
    """Folders of projects, with the names of the groups that come: "*" for every one of them."""
    for one in projects(here, done):
        names = {extra.partition(":")[2] for extra in one.chosen if extra.startswith("group:")}
        if not one.locked and names - {"uv"}:
            yield one.folder, frozenset(names)
    for invocation in here.evaluation.invocations:
        words = [posixpath.basename(value.text or "") for value in invocation.argv]
        folder = invocation.directory
        if folder is None or folder.startswith(("/", "..")) or not invocation.calls:
            continue
        if "pip" in words[:4] and "install" in words[:5]:
            yield from ((folder, frozenset((each,))) for each in _values(words, "--group"))
        if words[:1] == ["pdm"] and words[1:2] in (["install"], ["sync"]):
            yield from _of_pdm(here, invocation, words, folder)


def _of_pdm(
    here: Situation, one: Invocation, words: Sequence[str], folder: str
) -> Iterator[tuple[str, frozenset[str]]]:
    given = [
        name
        for option in ("-G", "-dG", "--group", "--with")
        for text in _values(words, option)
        for name in text.split(",")
    ]
    if beside(folder, "pdm.lock") not in here.tree:
        yield folder, frozenset([_ALL if each == ":all" else each for each in given] or [_ALL])


def _values(words: Sequence[str], option: str) -> list[str]:
    joined = [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return joined + [after for word, after in pairwise(words) if word == option]


def _matching(here: Situation, folder: str, chosen: frozenset[str]) -> Iterator[str]:
    """Those of the chosen groups that are there for tests, by what they hold or by their name."""
    for name, texts in _groups(here, folder).items():
        tests = any(one.name.startswith("pytest") for text in texts for one in parsed(text, ""))
        if (name in chosen or _ALL in chosen) and texts and (tests or OF_TESTS.match(name)):
            yield name


def _groups(here: Situation, folder: str) -> dict[str, list[str]]:
    """By the group's name what it asks for."""
    found = {one.extra: [text for text, _, _ in one.items] for one in _lists(here, folder, _GROUPS)}
    for one in _placed(here, folder):
        match one.place:
            case ("tool", "poetry", "group", str(group), "dependencies", str(name), *_):
                found.setdefault(group, []).append(name)
            case _:
                pass
    return found


def _placed(here: Situation, folder: str) -> Sequence[toml.Placed]:
    path = beside(folder, "pyproject.toml")
    placed = toml.strings(here.tree.read(path)) if path in here.tree else ()
    return () if isinstance(placed, Refusal) else placed


def _lists(here: Situation, folder: str, tables: Sequence[toml.Place]) -> list[Listed]:
    found: dict[toml.Place, list[tuple[str, int, int]]] = {}
    for one in _placed(here, folder):
        if one.place[:-2] in tables and isinstance(one.place[-1], int):
            found.setdefault(one.place[:-1], []).append((one.value, one.start, one.end))
    path = beside(folder, "pyproject.toml")
    return [Listed(path, str(place[-1]), tuple(items), toml.shown(place)) for place, items in found.items()]


def _added(here: Situation, folder: str, group: str, name: str) -> Edited | None:
    lists = [one for one in _lists(here, folder, _GROUPS) if one.extra == group]
    if lists and lists[0].place.startswith("dependency-groups"):
        made = required_by_extra(here, Project(folder, frozenset(("", f"group:{group}"))), f"group:{group}", name)
        return made if isinstance(made, Edited) else None
    made = appended(here, lists[0], name) if lists else _in_table(here, folder, group, name)
    if not isinstance(made, Edited):
        return None
    lock, command = lock_command(here.tree, folder)
    title = f"Require {name} in the group `{group}`"
    noted = made.noting(f"{lock} no longer fits: run `{command}` and commit it too" if lock else "")
    return Edited(
        noted.edits, noted.declared, noted.expectations, noted.notes, blast_radius=noted.blast_radius, title=title
    )


def _in_table(here: Situation, folder: str, group: str, name: str) -> Edited | None:
    """One more key of poetry's table for the group, as the last one stands."""
    table = (*_POETRY, group, "dependencies")
    own = [one for one in _placed(here, folder) if one.place[:-1] == table]
    path = beside(folder, "pyproject.toml")
    if not own or path not in here.tree:
        return None
    data = here.tree.read(path)
    at, begin = line_end(data, own[-1].end), line_start(data, own[-1].start)
    if not data[begin:at].lstrip().startswith(str(own[-1].place[-1]).encode()):
        return None
    key = normalised(name)
    why = f"{here.job.id} installs the group `{group}` that {path}:{line_of(data, begin)} stands in"
    text = f'{key} = "*"'
    edit = Edit(path, at, at, eol_at(data, begin) + text.encode(), why)
    promise = Expectation("line", as_promised(text.encode()), here.target.job, path)
    place = toml.shown((*table, key))
    return Edited(
        (edit,), (f"{path}:{place}",), (promise,), (why,), blast_radius=(f"everyone who installs the group {group}",)
    )
