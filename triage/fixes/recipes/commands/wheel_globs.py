"""A pattern of wheels that no file fits: as those are called that were copied there, or as every wheel is called."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.manifests.dockerfile import instructions
from triage.fixes.project import project_name
from triage.fixes.recipes.builds.building import chain
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.resembling import one_slip
from triage.fixes.shell.edits import replace_at
from triage.model.patch import Edit

_PATTERN = re.compile(rb"(?<![\w./$}{*-])[\w./$}{-]*\*[\w.*+-]*\.whl(?![\w.*-])")
_WHEEL = re.compile(r"([\w.+-]*?)-?\*[\w.*+-]*\.whl\Z")


def mend_wheel_glob(here: Situation) -> Outcome:
    """`pattern`: the one that pip could not find a file for. Others of the command that fit as little go along."""
    lost = here.captures.get("pattern", "")
    found = [(one, hits) for one in here.concerned if (hits := list(_patterns(here, one)))]
    owner = next((one for one in found if any(_same(text, lost) for _, text in one[1])), None)
    known = list(_copied(here))
    if owner is None:
        others = [text for _, hits in found for _, text in hits]
        own = normalised(project_name(here.tree))
        fits = any(_known(text, known) or (own and normalised(_stem(text)) == own) for text in others)
        return InPlace("the pattern names what is there") if fits else Refusal(f"no command installs `{lost}`")
    one, hits = owner
    call = one.calls[-1]
    taken = {_stem(text) for _, text in hits} & {_stem(text) for text in known}
    free = [each for each in known if _stem(each) not in taken]
    edits: list[Edit] = []
    for at, text in hits:
        if not _same(text, lost) and _known(text, known):
            continue
        new = _called(here, text, free)
        if not new and _same(text, lost):
            return Words(f"{call.path}:{call.line} installs `{text}`: name the wheel that is there")
        made = replace_at(here.tree, call.path, at, text, new, why=f"no wheel is called {text}") if new else ()
        if isinstance(made, Refusal):
            return made
        edits += made
    title = f"Name the wheel as it is called at {call.path}:{line_of(here.tree.read(call.path), edits[0].start)}"
    return Edited(tuple(edits), (declared_at(here, call.path, one.step),), promised(here, edits), title=title)


def _patterns(here: Situation, one: Invocation) -> Iterator[tuple[int, str]]:
    """Where each pattern of an install stands in its file, and its text."""
    if not one.calls or one.substitution or not one.calls[-1].insertable:
        return
    call = one.calls[-1]
    data = here.tree.read(call.path)
    if b"install" in data[call.start : call.end]:
        yield from ((hit.start(), hit[0].decode()) for hit in _PATTERN.finditer(data, call.start, call.end))


def _copied(here: Situation) -> Iterator[str]:
    """Patterns of wheels that the stage copies, up to the failed instruction."""
    data = here.tree.read(here.image) if here.image else b""
    found = instructions(data)
    if isinstance(found, Refusal) or here.instruction < 0:
        return
    kept = chain(data, found, here.instruction)
    for at, one in enumerate(found[: here.instruction]):
        words = data[one.start : one.end].decode("utf-8", "replace").split() if at in kept else []
        if one.name in ("COPY", "ADD"):
            yield from (posixpath.basename(word) for word in words[:-1] if word.endswith(".whl"))


def _called(here: Situation, text: str, copied: Sequence[str]) -> str:
    """The pattern as it has to be; "" where nothing tells. A wheel's name has no hyphen (PEP 427)."""
    folder, _, name = text.rpartition("/")
    found = _WHEEL.match(name)
    stem = found[1] if found else ""
    bare = normalised(stem)
    alike = {each for each in copied if stem and normalised(_stem(each)).startswith(f"{bare}-")}
    slipped = one_slip(stem, map(_stem, copied))
    alike = alike or {each for each in copied if slipped and _stem(each) == slipped}
    own = bare and bare == normalised(project_name(here.tree)) and "-" in stem
    if len(alike) == 1:
        new = alike.pop()
    elif own and not alike:
        new = stem.replace("-", "_").replace(".", "_") + name[len(stem) :]
    else:
        return ""
    return f"{folder}/{new}" if folder else new


def _known(text: str, copied: Sequence[str]) -> bool:
    return any(_stem(each) == _stem(text) for each in copied)


def _stem(text: str) -> str:
    found = _WHEEL.match(posixpath.basename(text))
    return found[1] if found else posixpath.basename(text)


def _same(text: str, lost: str) -> bool:
    """What the shell may have filled in stands as a variable in the file."""
    return text == lost or (bool(lost) and posixpath.basename(text) == posixpath.basename(lost))
