"""Projects of the repository that a job installs, by pip or by uv, with the extras and groups that it chooses."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.project import project_name
from triage.fixes.recipes.dependencies.declarations import ANY, beside, closure
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised
from triage.interfaces import Tree

_SYNCS = ("sync", "run")
_STRICT = ("--frozen", "--locked", "--no-sync")
_LOCKS = {"uv.lock": "uv lock", "poetry.lock": "poetry lock", "pdm.lock": "pdm lock"}


@dataclass(frozen=True, slots=True)
class Project:
    """What is installed from one folder. `chosen` holds "" and the extras, dependency groups as "group:NAME".

    `locked`: every command that installs it takes exactly what the lock holds, or refuses a lock that does not fit.
    """

    folder: str
    chosen: frozenset[str]
    locked: bool = False


def projects(here: Situation, done: Sequence[Install]) -> tuple[Project, ...]:
    """One a folder; what several commands choose is taken together."""
    found: dict[str, Project] = {}
    every = (_of_pip(done), _by_name(here, done), _of_uv(here.evaluation.invocations), _of_poetry(here))
    for folder, extras, locked in (place for places in every for place in places):
        before = found.get(folder, Project(folder, frozenset(), locked=True))
        chosen = before.chosen | closure(here.tree, folder, extras)
        found[folder] = Project(folder, chosen, before.locked and locked)
    return tuple(found.values())


def _of_pip(done: Sequence[Install]) -> Iterator[tuple[str, Sequence[str], bool]]:
    for one in done:
        for place in one.places:
            yield place.folder, (*place.extras, *(["group:uv"] if one.uv else [])), False


def _by_name(here: Situation, done: Sequence[Install]) -> Iterator[tuple[str, Sequence[str], bool]]:
    """`pip install NAME[extra]` of the repository's own name, where the log lists a version that is no release."""
    own = normalised(project_name(here.tree))
    listed = here.facts.installed.get(own, "") if own else ""
    for named in (one for install in done for one, _ in install.named if ".dev" in listed or "+" in listed):
        if named.name == own:
            extras = named.spec.partition("[")[2].partition("]")[0].split(",")
            yield ".", [extra.strip() for extra in extras if extra.strip()], False


def _of_uv(invocations: Sequence[Invocation]) -> Iterator[tuple[str, Sequence[str], bool]]:
    """`uv sync` and `uv run` install the project that they stand in, from its lock, which they renew if they may."""
    for one in invocations:
        words = [value.text or "" for value in one.argv]
        verb = _verb(words)
        own = words[verb : one.inner if words[verb] == "run" and one.inner > verb else len(words)]
        if not verb or one.directory is None or "--no-project" in own:
            continue
        folder = posixpath.normpath(posixpath.join(one.directory, *_values(words[:verb] + own, "--project")))
        if not folder.startswith(("/", "..")):
            strict = any(word in _STRICT for word in (*words[:verb], *own)) or _strict_by_environment(one)
            yield folder, [*_chosen(own)], strict


def _of_poetry(here: Situation) -> Iterator[tuple[str, Sequence[str], bool]]:
    """`poetry install` takes what its lock holds, where there is one; groups come with it unless they are left out."""
    for one in here.evaluation.invocations:
        words = [posixpath.basename(value.text or "") for value in one.argv]
        at = words.index("poetry") + 1 if "poetry" in words[:4] else 0
        if (
            not at
            or words[at : at + 1] != ["install"]
            or one.directory is None
            or one.directory.startswith(("/", ".."))
        ):
            continue
        only = [name for text in _values(words, "--only") for name in text.split(",")]
        extras = [name for option in ("-E", "--extras") for text in _values(words, option) for name in text.split()]
        chosen = [f"group:{name}" for name in only] or ["group:*"]
        folder = one.directory or "."
        yield folder, [*chosen, *extras], beside(folder, "poetry.lock") in here.tree


def _strict_by_environment(invocation: Invocation) -> bool:
    values = (invocation.environment.get(name) for name in ("UV_FROZEN", "UV_LOCKED"))
    return any(value is not None and value.text not in ("", "0", "false") for value in values)


def _verb(words: Sequence[str]) -> int:
    """Where `sync` or `run` stands; 0 for none. `uv pip sync` and `uv tool run` install no project."""
    at = next((at for at, word in enumerate(words) if word in _SYNCS and "uv" in words[:at]), 0)
    return at if words[at - 1] not in ("pip", "tool") else 0


def syncs(here: Situation, folder: str) -> tuple[Invocation, ...]:
    """The `uv sync` commands of the project in `folder`."""
    written = [one for one in here.evaluation.invocations if one.calls and not one.substitution]
    found = [one for one in written if "sync" in (words := [value.text or "" for value in one.argv]) and _verb(words)]
    return tuple(one for one in found if [place for place, _, _ in _of_uv([one])] == [folder])


def _chosen(words: Sequence[str]) -> Iterator[str]:
    yield "group:uv"
    yield from (["group:dev"] if "--no-dev" not in words else [])
    yield from _values(words, "--extra")
    yield from (f"group:{name}" for name in _values(words, "--group"))
    yield from ([ANY] if "--all-extras" in words else [])
    yield from (["group:*"] if "--all-groups" in words else [])


def _values(words: Sequence[str], option: str) -> list[str]:
    joined = [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return joined + [after for word, after in pairwise(words) if word == option]


def lock_command(tree: Tree, folder: str) -> tuple[str, str]:
    """The lock that a change of the project's requirements makes stale, and what renews it; "" and "" for none.

    Members of a uv workspace share the lock of its root.
    """
    for name, command in _LOCKS.items():
        if (path := beside(folder, name)) in tree:
            return path, command
    while folder not in ("", "."):
        folder = posixpath.dirname(folder) or "."
        project = beside(folder, "pyproject.toml")
        if beside(folder, "uv.lock") in tree and project in tree and b"[tool.uv.workspace]" in tree.read(project):
            return beside(folder, "uv.lock"), _LOCKS["uv.lock"]
    return "", ""
