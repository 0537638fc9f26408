"""`strip_archive`: an archive that holds a folder, where the step expects its files at the top."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument
from triage.model.recipe import StripArchive

_OPTION = "--strip-components=1"
_ARCHIVE = re.compile(r"\.(?:tar(?:\.\w+)?|tgz|tbz2|txz)$")
_UNPACKS = re.compile(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get")


def strip_archive(recipe: StripArchive, here: Situation) -> Outcome:
    path = posixpath.normpath(here.captures.get(recipe.path.strip("{}"), ""))
    folder, name = posixpath.split(path)
    unpacking = [one for one in here.concerned if one.calls and _unpacks(one, folder)]
    if not folder or len(unpacking) != 1:
        return Refusal(f"no one command unpacks an archive into {folder or path}", here.job.path, here.job.line)
    (one,) = unpacking
    words = [word.text or "" for word in one.program]
    archive = next((posixpath.basename(word) for word in words[1:] if _ARCHIVE.search(word)), "")
    if any(word.startswith("--strip") for word in words):
        return InPlace(f"{one.calls[-1].path}:{one.calls[-1].line} unpacks without folders")
    if not re.match(rf"{re.escape(name)}(?![A-Za-z0-9])", archive):
        return Refusal(f"nothing says that {archive or 'the archive'} holds `{name}`", here.job.path, here.job.line)
    if len([word for word in words[1:] if not _of_tar(word, folder)]) > 1:
        return Refusal("the command names what it unpacks", here.job.path, here.job.line)
    if used := _used(here, folder, archive):
        return Words(f"{used} looks for files in the folder of {archive}: say there or here where they are")
    call = one.calls[-1]
    edits = append_argument(here.tree, call, _OPTION, why=f"{name} lies in a folder of the archive")
    if isinstance(edits, Refusal):
        return edits
    made = Edited(edits, (declared_at(here, call.path, one.step),), promised(here, edits))
    made = replace(made, title=f"Unpack {archive} without its folder", blast_radius=blast_of_calls(here, (call,)))
    return made.noting("not checked: how the archive is laid out (`tar -tf` lists it)")


def _used(here: Situation, folder: str, archive: str) -> str:
    """A command that reaches into the folder that the archive makes."""
    made = f"{folder}/{_ARCHIVE.sub('', archive)}"
    for one in here.evaluation.invocations:
        words = [(word.text or "").rpartition("=")[2] for word in one.program]
        if any(word == made or word.startswith(f"{made}/") for word in map(posixpath.normpath, filter(None, words))):
            return f"`{one.command_line[:80]}`"
    return ""


def _of_tar(word: str, folder: str) -> bool:
    """An option, a bundle of letters, or the folder to unpack into: the archive and what is taken from it are left."""
    return word.startswith("-") or _UNPACKS.fullmatch(word) is not None or posixpath.normpath(word) == folder


def _unpacks(one: Invocation, folder: str) -> bool:
    words = [word.text or "" for word in one.program]
    if not words or posixpath.basename(words[0]) != "tar" or not any(_UNPACKS.fullmatch(word) for word in words[1:]):
        return False
    targets = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-C", "--directory")]
    return [posixpath.normpath(target) for target in targets] == [folder]
