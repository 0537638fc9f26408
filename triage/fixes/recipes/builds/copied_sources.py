"""What an instruction of a Dockerfile takes from the build's context: a source that lies elsewhere in it or nowhere,
and a file that a RUN reads although no COPY brings it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from triage.fixes.document import eol_at, line_after, line_end, line_of, line_start
from triage.fixes.manifests.dockerfile import Instruction, instructions, is_dockerfile, stage_start
from triage.fixes.recipes.builds.building import Failed, locate_build
from triage.fixes.recipes.builds.dockerfiles import builds
from triage.fixes.recipes.builds.lacking_copy import left_out
from triage.fixes.recipes.commands.homes import is_made, is_there
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

_WORD = re.compile(rb"[^\s\\]+")
_PLAIN = re.compile(r"[\w./-]+\Z")
_LARGEST = 1_000_000
# Prose and rules about files, in which a name makes nothing.
_PROSE = (".md", ".rst", ".txt", ".dockerignore")


def copied(missing: str, here: Situation, place: Callable[[str], str]) -> Outcome | None:
    """At the instruction where the build failed. `place`: where else the repository has a path, "" for nowhere.
    None where that instruction takes nothing of this name."""
    build = here.facts.build
    made = [*builds(here)] if build is not None else []
    found = locate_build(here.tree, build, [one.path for one in made]) if build is not None else None
    if found is None or isinstance(found, Refusal):
        return None
    context = posixpath.normpath(next((one.context for one in made if one.path == found.path), "."))
    root = "" if context in ("", ".") else f"{context}/"
    data, one = here.tree.read(found.path), found.instruction
    if one.name == "RUN":
        return _brought(missing, here, found, root)
    if one.name not in ("COPY", "ADD") or b"--from" in data[one.named : one.start]:
        return None
    words = list(_WORD.finditer(data, one.start, one.end))
    meant = [word for word in words[:-1] if _ends(missing, word[0].decode("utf-8", "replace").lstrip("./"))]
    if len(meant) != 1:
        return None
    old = meant[0][0].decode()
    if not is_there(here.tree, posixpath.normpath(root + old.lstrip("./"))):
        new = place(old)
        if new.startswith(root) and new:
            return _renamed(here, found, meant[0], new[len(root) :])
        if (held := _holding(here, found, old, root)) and (kept := _kept(here, found, words, meant[0], held)):
            return kept
        if len(words) == 2 and (dropped := _dropped(here, found, old, words[1][0].decode("utf-8", "replace"))):
            return dropped
    return Refusal(f"the build's context has not exactly one `{posixpath.basename(old.rstrip('/'))}`", found.path)


def _ends(missing: str, text: str) -> bool:
    one, other = posixpath.normpath(missing), posixpath.normpath(text)
    return one == other or one.endswith(f"/{other}")


def _renamed(here: Situation, found: Failed, word: re.Match[bytes], new: str) -> Edited:
    edit = Edit(found.path, *word.span(), new.encode(), f"{word[0].decode()} is at {new}")
    return Edited((edit,), (found.path,), promised(here, (edit,)), title=f"Copy {new} in {found.path}")


def _kept(
    here: Situation, found: Failed, words: Sequence[re.Match[bytes]], word: re.Match[bytes], new: str
) -> Outcome | None:
    """An instruction of its own, to the folder where the stage has those that it lies above."""
    data, one = here.tree.read(found.path), found.instruction
    start, end = line_start(data, one.named), line_end(data, one.end)
    if data[start : one.named] != b"COPY " or b"\n" in data[start : one.end] or len(words) <= 2:
        return None
    line = f"COPY {new} ./{posixpath.dirname(new)}/".encode() + eol_at(data, end)
    gone = Edit(found.path, word.start(), words[words.index(word) + 1].start(), b"", f"it is at {new}")
    edits = (Edit(found.path, start, start, line, f"{word[0].decode()} is at {new}"), gone)
    declared = (found.path, f"{found.path}:+COPY")
    return Edited(edits, declared, promised(here, edits), title=f"Copy {new} in {found.path}")


def _before(data: bytes, found: Failed) -> Iterator[tuple[Instruction, list[re.Match[bytes]]]]:
    """The COPY instructions of the context before the failed one, in its stage, with their words."""
    every = instructions(data)
    if isinstance(every, Refusal):
        return
    for one in every[stage_start(every, found.index) : found.index]:
        words = list(_WORD.finditer(data, one.start, one.end))
        plain = all(_PLAIN.match(word[0].decode("utf-8", "replace")) for word in words)
        if one.name == "COPY" and b"--from" not in data[one.named : one.start] and len(words) > 1 and plain:
            yield one, words


def _holding(here: Situation, found: Failed, old: str, root: str) -> str:
    """Of several files of the name the one whose folder holds folders that the stage copies as they lie:
    `tests/conftest.py`, where it copies `tests/unit/core` to `./tests/unit/core`."""
    every = [words for _, words in _before(here.tree.read(found.path), found) if len(words) == 2]
    pairs = [[posixpath.normpath(word[0].decode()) for word in words] for words in every]
    kept = {source for source, target in pairs if source == target}
    homes = [one[len(root) :] for one in here.tree.paths() if one.startswith(root)]
    homes = [one for one in homes if "/" in one and posixpath.basename(one) == posixpath.basename(old)]
    fitting = [one for one in homes if any(source.startswith(f"{posixpath.dirname(one)}/") for source in kept)]
    return fitting[0] if len(fitting) == 1 else ""


def _brought(missing: str, here: Situation, found: Failed, root: str) -> Outcome | None:
    """`COPY requirements/b.txt .` behind `COPY requirements/a.txt .`, where the RUN reads both from one place."""
    data, own = here.tree.read(found.path), found.instruction
    text, name = data[own.start : own.end], posixpath.basename(missing)
    if not _PLAIN.match(missing) or not _reads(text, missing) or missing.startswith("/") or is_made(here.tree, missing):
        return None
    copies = list(_before(data, found))
    brought = {word[0].decode().rstrip("/").removeprefix("./") for _, words in copies for word in words[:-1]}
    for one, words in reversed(copies):
        if len(words) != 2:
            continue
        source, place = words[0][0].decode(), words[1][0].decode()
        beside = posixpath.join(posixpath.dirname(source), name)
        sibling = posixpath.basename(source)
        fits = sibling != name and _reads(text, missing[: len(missing) - len(name)] + sibling)
        held = posixpath.normpath(root + beside)
        if not fits or held not in here.tree or f"{root}{source}".removeprefix("./") not in here.tree:
            continue
        if {"", ".", posixpath.dirname(source).removeprefix("./")} & brought or beside in brought:
            return None
        if rule := left_out(here.tree, found.path, held):
            return Refusal(f"{found.path} copies {source} alone, and of {beside}: {rule}", found.path)
        if posixpath.basename(place) == sibling:
            place = posixpath.join(posixpath.dirname(place), name)
        new = data[one.named - len("COPY ") : words[0].start()] + f"{beside} {place}".encode()
        return _added(here, found.path, data, one, new, beside)
    return None


def _reads(text: bytes, path: str) -> bool:
    return re.search(rb"(?<![\w./-])" + re.escape(path.encode()) + rb"(?![\w/-]|\.\w)", text) is not None


def _added(here: Situation, path: str, data: bytes, one: Instruction, new: bytes, what: str) -> Outcome | None:
    head = data[line_start(data, one.named) : one.named]
    if head != b"COPY " or b"\n" in new:
        return None
    at = line_end(data, one.end)
    edit = Edit(path, at, at, eol_at(data, at) + new, f"a command behind it reads {what}")
    title = f"Copy {what} too at {path}:{line_of(data, one.named) + 1}"
    because = "The instruction reads it beside files that are copied one by one."
    return Edited((edit,), (path, f"{path}:+COPY"), promised(here, (edit,)), title=title, because=because)


def _dropped(here: Situation, found: Failed, old: str, place: str) -> Outcome | None:
    """The instruction goes, where the repository has nothing of the name and nothing else in it speaks of the path."""
    tree, data, one = here.tree, here.tree.read(found.path), found.instruction
    path = posixpath.normpath(old).strip("/")
    name = posixpath.basename(path)
    whole = posixpath.normpath(place).strip("/") in (path, ".") or _PLAIN.match(old) is None
    start, end = line_start(data, one.named), line_after(data, one.end)
    lone = data[start:end].count(b"\n") <= 1 and data[start : one.named].strip() == b"COPY"
    if not whole or not lone or not _PLAIN.match(path) or is_made(tree, f"{path}/x") or _holds(tree, name):
        return None
    for other in tree.paths():
        if (said := _says(tree, other, path, data[start:end])) > 0:
            where = f"{other}:{said}"
            return Refusal(f"the repository has no {path}, and {where} speaks of it: it may be made there", found.path)
    around = (data[line_start(data, max(start - 1, 0)) : start], data[end : line_end(data, end)])
    kept = "\n".join(line.decode("utf-8", "replace").strip("\r\n").lstrip() for line in around)
    edit = Edit(found.path, start, end, b"", f"the repository has no {path}")
    promise = Expectation("lines", kept, here.target.job, found.path)
    title = f"Copy no {path} at {found.path}:{line_of(data, one.named)}: the repository has none"
    because = "Nothing else in the repository speaks of it, so that nothing is known to make it."
    made = Edited((edit,), (found.path, f"{found.path}:-COPY"), (promise,), title=title, because=because)
    return made.noting(f"where {path} is still to come, add it instead")


def _holds(tree: Tree, name: str) -> bool:
    return any(name in path.split("/") for path in tree.paths())


def _says(tree: Tree, other: str, path: str, but: bytes) -> int:
    """The line that names the path, 0 for none. The same COPY elsewhere is as wrong; what lies at an address is not
    here, and prose makes nothing."""
    data = tree.read(other)
    if path.encode() not in data or other.endswith(_PROSE) or len(data) > _LARGEST:
        return 0
    own = re.escape(path.encode())
    word = rb"(?<![\w-])" + own + rb"(?![\w-])"
    wanted = re.compile(rb"[\"'](?:\./)?" + own + rb"[\"']|(?<![\w-])" + own + rb"/" if other.endswith(".py") else word)
    for number, line in enumerate(data.split(b"\n"), 1):
        same = is_dockerfile(other) and line.strip() == but.strip()
        if wanted.search(line) and not same and b"://" not in line and not line.lstrip().startswith(b"#"):
            return number
    return 0
