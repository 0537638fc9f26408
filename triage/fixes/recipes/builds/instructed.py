"""Two slips in a RUN: a project that is installed from outside of its folder, and a version that the shell reads as a
file."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from itertools import pairwise

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import Instruction, simple_commands
from triage.fixes.recipes.builds.building import chain
from triage.fixes.recipes.builds.dockerfiles import builds
from triage.fixes.recipes.commands.said.redirected import reads, redirecting
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.dependencies.installs import TAKES
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import MendInstruction

_PROJECT = ("pyproject.toml", "setup.py")
# The project of the folder that the command runs in, with its extras.
_HERE = re.compile(r"(?:file:)?\.(?:/)?(?:\[[\w.,-]+\])?\Z")
_OPTIONS = ("-e", "--editable")


def enter_project(
    recipe: MendInstruction, here: Situation, data: bytes, found: tuple[Instruction, ...], own: Instruction
) -> Outcome:
    """`cd FOLDER &&` before the install, where the stage copied the repository to that one folder of its own."""
    kept = chain(data, found, here.instruction)
    before = [one for at, one in enumerate(found[: here.instruction]) if at in kept]
    installs = [words for words in simple_commands(data, own) if _installs([word.literal or "" for word in words])]
    if own.name != "RUN" or len(installs) != 1:
        return Refusal("the instruction does not install the project of its folder", here.image)
    first = installs[0][0]
    if re.search(rb"(?:^|[\s;&(])(?:cd|pushd)[ \t]", data[own.start : first.start]):
        entered = InPlace(f"{here.image}:{line_of(data, own.named)} enters a folder first")
        return entered if recipe.settled else Refusal(entered.reason, here.image)
    folders = _copied(here, data, before)
    if len(folders) != 1:
        return Refusal(
            f"{here.image} does not copy the project to one folder below the one that it runs in", here.image
        )
    (folder,) = folders
    edit = Edit(here.image, first.start, first.start, f"cd {folder} && ".encode(), f"the project is in {folder}")
    title = f"Install the project in {folder} at {here.image}:{line_of(data, first.start)}"
    made = Edited((edit,), (here.image,), promised(here, (edit,)), title=title)
    return replace(made, settled=replace(recipe, settled=here.image))


def _installs(words: list[str]) -> bool:
    asked = any(posixpath.basename(word) in ("pip", "pip3", "uv") for word in words[:3]) and "install" in words
    return asked and any(
        _HERE.match(word) and (before in _OPTIONS or before not in TAKES) for before, word in pairwise(words)
    )


def _copied(here: Situation, data: bytes, before: list[Instruction]) -> set[str]:
    """The folders, told from where the instruction runs, to which the whole of a project was copied or cloned since
    the last change of that place."""
    contexts = {one.context for one in builds(here) if one.path == here.image} or {"."}
    roots = [*contexts, posixpath.dirname(here.image)]
    has_project = any(
        posixpath.normpath(posixpath.join(root, name)) in here.tree for root in roots for name in _PROJECT
    )
    folders: set[str] = set()
    for one in before:
        words = data[one.start : one.end].decode("utf-8", "replace").split()
        if one.name == "WORKDIR":
            folders.clear()
        elif one.name in ("COPY", "ADD") and b"--from" not in data[one.named : one.start] and len(words) == 2:
            folder = words[1].strip("/") if not words[1].startswith("/") else ""
            whole = words[0].rstrip("/") in (".", "")
            folders |= {folder.removeprefix("./")} if whole and has_project and folder not in ("", ".") else set()
    return {one for one in folders if re.fullmatch(r"[\w./-]+", one)}


def quote_version(recipe: MendInstruction, here: Situation, data: bytes, own: Instruction) -> Outcome:
    """All requirements of the instruction whose bounds the shell would read as redirections."""
    text = data[own.start : own.end].decode("utf-8", "surrogateescape")
    found = list(redirecting(text))
    if own.name != "RUN" or not any(reads(bounds, here.captures.get("file", "")) for _, _, bounds in found):
        given = InPlace(f"{here.image}:{line_of(data, own.named)} quotes its requirements")
        return given if recipe.settled else Refusal("the instruction hands the shell no such redirection", here.image)
    edits = []
    for first, last, _ in found:
        start, end = (own.start + len(text[:at].encode("utf-8", "surrogateescape")) for at in (first, last))
        why = "the shell takes a version behind `<` for a file to read"
        edits.append(Edit(here.image, start, end, b'"' + data[start:end] + b'"', why))
    title = f"Quote the requirement at {here.image}:{line_of(data, edits[0].start)}"
    made = Edited(tuple(edits), (here.image,), promised(here, edits), title=title)
    return replace(made, settled=replace(recipe, settled=here.image))
