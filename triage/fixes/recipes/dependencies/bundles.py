"""What a distribution of others brings only with an extra of its own (`pip install name[extra]`): asked for where the
repository names the distribution without it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.recipes.dependencies.declarations import Declaration, in_requirements, run_time
from triage.fixes.recipes.dependencies.declaring import declared_as, promised_of
from triage.fixes.recipes.dependencies.fitting import for_hardware
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import for_a_purpose
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import compiled_with, normalised, requirement_files
from triage.interfaces import Tree
from triage.model.patch import Edit

_TEXTS = (".py", ".txt", ".toml", ".cfg", ".md", ".rst", ".yml", ".yaml", ".sh")
_MOST_BYTES = 400_000


def with_bundle(here: Situation, done: Sequence[Install], name: str, extra: str) -> Outcome | None:
    """In what the job installs; where nothing says what that is, in the only list that names the distribution. None
    where no such place names it, and for an extra that no text of the repository asks for."""
    places = [*_installed(here, done, normalised(name))]
    if not places and not done and not projects(here, done):
        places = [*_listed(here, normalised(name))]
        places = places if len({one.path for one in places}) == 1 else []
    if not places or not _asked_for(here.tree, name, extra):
        return None
    made = together([_with(here, one, extra) for one in places])
    title = f"Require {name} with its extra `{extra}`"
    return Edited(
        made.edits, made.declared, made.expectations, made.notes, blast_radius=made.blast_radius, title=title,
        because=f"The error asks for {name}[{extra}], and what is installed is {name} without it.",
    ) if isinstance(made, Edited) else made  # fmt: skip


def _installed(here: Situation, done: Sequence[Install], wanted: str) -> Iterator[Declaration]:
    for path in dict.fromkeys(path for one in done for path in one.files if path in here.tree):
        if not compiled_with(here.tree.read(path)):
            yield from (one for one in in_requirements(here.tree, path, wanted) if isinstance(one, Declaration))
    for project in projects(here, done):
        every = run_time(here.tree, project.folder, wanted)
        yield from (one for one in every if one.comes_with(project.chosen))


def _listed(here: Situation, wanted: str) -> Iterator[Declaration]:
    lists = [path for path in requirement_files(here.tree) if for_hardware(path, here.facts.platform)]
    for path in lists:
        if not for_a_purpose(path) and not compiled_with(here.tree.read(path)):
            yield from (one for one in in_requirements(here.tree, path, wanted) if isinstance(one, Declaration))
    yield from (one for one in run_time(here.tree, ".", wanted) if "" in one.extras)


def _asked_for(tree: Tree, name: str, extra: str) -> bool:
    """The log alone introduces no extra."""
    whole = re.compile(rb"(?<![\w.-])" + re.escape(f"{name}[{extra}]".encode()))
    texts = (tree.read(path) for path in tree.paths() if path.endswith(_TEXTS))
    return any(whole.search(data) for data in texts if len(data) <= _MOST_BYTES)


def _with(here: Situation, one: Declaration, extra: str) -> Outcome:
    if one.named.keyed:
        return Refusal(f"its extras stand in a list of their own: name `{extra}` there", one.path, one.named.line)
    if b"--hash=" in here.tree.read(one.path):
        return Refusal(f"it holds hashes, and has none of what `{extra}` brings", one.path, one.named.line)
    _, bracket, chosen = one.named.written.partition("[")
    if extra in [part.strip() for part in chosen.rstrip("] ").split(",")]:
        return InPlace(f"{one.path}:{one.named.line} names {one.named.spec}")
    if bracket and not chosen.rstrip().endswith("]"):
        return Refusal(f"{one.named.spec} is not written as such", one.path, one.named.line)
    at = one.start + len(one.named.written.rstrip().encode()) - (1 if bracket else 0)
    new = f",{extra}" if bracket else f"[{extra}]"
    text = one.named.spec[: at - one.start] + new + one.named.spec[at - one.start :]
    promise = promised_of(here, here.tree.read(one.path), one, text)
    why = f"{one.named.spec} leaves out what its extra `{extra}` brings"
    edit = Edit(one.path, at, at, new.encode(), why)
    return Edited(
        (edit,), (declared_as(one, text),), (promise,), blast_radius=(f"everyone who installs from {one.path}",)
    )
