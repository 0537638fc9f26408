"""`secure_address`: addresses of a protocol that their host speaks no more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import SecureAddress

# GitHub ended it on 15 March 2022; the same paths are served by https.
_HOST = "github.com"
_OLD = re.compile(rb"(?<![\w+])(?:git\+)?(git)://github\.com/([\w.-]+/[\w.-]+?)(?=\.git\b|[@#\s\"'<>);,]|/|\Z)")
_FILES = (".txt", ".in", ".py", ".toml", ".cfg", ".yml", ".yaml", ".sh", ".bash", ".json", ".ini", ".lock")
_NAMES = (".gitmodules", "Makefile", "makefile")
_MOST = 12


def secure_address(recipe: SecureAddress, here: Situation) -> Outcome:
    """The address of the log where it shows one that the tree holds, else all of them."""
    every = list(_held(here))
    if not every:
        return InPlace(f"the tree names nothing by git://{_HOST}") if recipe.address else Refusal("no address is meant")
    shown = here.captures.get(recipe.address.strip("{}"), "").removesuffix(".git").removeprefix(f"git://{_HOST}/")
    meant = [one for one in every if one[0].lower() == shown.lower()] or ([] if shown else every)
    if not meant and _named_securely(here, shown):
        return InPlace(f"the tree names {shown} by https")
    if not meant:
        return Refusal(f"the tree does not name {shown}")
    if len(meant) > _MOST or any(path.endswith(".lock") for _, path, _, _ in meant):
        places = ", ".join(sorted({path for _, path, _, _ in meant})[:_MOST])
        return Words(f"write https:// instead of git:// in {places}, and make the lock file anew where one names it")
    why = f"{_HOST} serves the same by https, and no longer by git://"
    edits = tuple(Edit(path, start, end, b"https", why) for _, path, start, end in meant)
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    others = sorted(
        {f"{path}:{line_of(here.tree.read(path), at)}" for one in every if one not in meant for _, path, at, _ in [one]}
    )
    made = Edited(edits, paths, promised(here, edits))
    return made.noting(f"git:// stands at {', '.join(others[:_MOST])} as well" if others else "")


def _named_securely(here: Situation, shown: str) -> bool:
    return any(f"https://{_HOST}/{shown}".encode() in here.tree.read(path) for path in _paths(here))


def _paths(here: Situation) -> Iterator[str]:
    for path in here.tree.paths():
        name = path.rpartition("/")[2]
        if name.endswith(_FILES) or name in _NAMES or is_dockerfile(path):
            yield path


def _held(here: Situation) -> Iterator[tuple[str, str, int, int]]:
    """Owner and name, the file, and where its `git` of `git://` stands."""
    for path in _paths(here):
        data = here.tree.read(path)
        for hit in _OLD.finditer(data) if b"git://github.com/" in data else ():
            yield hit[2].decode(), path, *hit.span(1)
