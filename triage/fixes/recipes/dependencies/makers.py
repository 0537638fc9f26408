"""`pip_pin` in what makes environments for the job: the settings of tox, the sessions of nox.

Their output shows which command of theirs installed a distribution; the same words stand in their own file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import line_of, line_start, line_with
from triage.fixes.recipes.dependencies.holding import bounded, standing_of
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, normalised, parsed
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import PipPin

_SETTINGS = ("tox.ini", "setup.cfg", "noxfile.py")
# With it tox starts the pip of its own installs.
_OWN = "-I"
_INDENTED = rb"(?m)^[ \t]+(?:[\w.{},!-]+:[ \t]*)?"


def pinned_by_makers(recipe: PipPin, here: Situation, name: str, spec: str) -> Iterator[Outcome]:
    """Where the log shows the command, and none of the job's own files holds it."""
    own = {one.command_line for one in here.evaluation.invocations}
    for text in here.facts.installs:
        words = _words(text)
        named = next(iter(_named(words, normalised(name))), None)
        if named is not None and text not in own and " ".join(words) not in own:
            yield from _in_settings(recipe, here, words, named, spec)


def _in_settings(recipe: PipPin, here: Situation, words: Sequence[str], named: Named, spec: str) -> Iterator[Outcome]:
    wanted, command = f"{named.written}{bounded(named.pin, spec)}", " ".join(words)
    found = _places(here.tree, words, named.spec)
    if not found:
        if done := _places(here.tree, words, named.spec, wanted):
            yield InPlace(f"{done[0][0]} says {wanted} already")
        return
    standing = standing_of(recipe, here, _at(here, found[0], named), spec)
    if standing is not None:
        yield standing
    elif len({line_with(here.tree.read(path), start, end, b"") for path, start, end in found}) > 1:
        said = f"{len(found)} lines of {found[0][0]} ask for {named.spec}, and the log does not say which of them ran"
        yield Refusal(said)
    else:
        yield from (_held(here, place, wanted, command) for place in found)


def _places(tree: Tree, words: Sequence[str], spec: str, instead: str = "") -> list[tuple[str, int, int]]:
    """Where the requirement stands in the command, or the one that it is to be `instead`."""
    said = [instead if instead and one == spec else one for one in words]
    paths = [path for path in _SETTINGS if path in tree]
    return [(path, *span) for path in paths for span in _spans(tree.read(path), path, said, instead or spec)]


def _words(text: str) -> Sequence[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return ()


def _named(words: Sequence[str], wanted: str) -> Iterator[Named]:
    at = verb_at(list(words), "install")
    for word in words[at + 1 :] if at >= 0 else ():
        yield from (one for one in parsed(word, "", 0) if one.name == wanted and one.spec == word)


def _spans(data: bytes, path: str, words: Sequence[str], named: str) -> Iterator[tuple[int, int]]:
    """Where the requirement stands: in the line of the command, among the arguments of a session's `install`, or, of
    what tox installs itself, in a line of its own."""
    spec = re.escape(named.encode())
    if path.endswith(".py"):
        quoted = rb"\.install\((?:[^()#]|#[^\n]*\n)*?(?P<quote>[\"'])(?P<word>" + spec + rb")(?P=quote)"
        return (hit.span("word") for hit in re.finditer(quoted, data))
    if _OWN in words:
        alone = _INDENTED + rb"(?P<word>" + spec + rb")[ \t]*(?:#[^\n]*)?\r?$"
        return (hit.span("word") for hit in re.finditer(alone, data))
    at = words.index(named)
    before, after = (rb"[ \t]+".join(_word(one) for one in some) for some in (words[:at], words[at + 1 :]))
    tail = rb"[ \t]+" + after if after else b""
    line = _INDENTED + before + rb"[ \t]+(?P<word>[\"']?" + spec + rb"[\"']?)" + tail + rb"[ \t]*\r?$"
    return (hit.span("word") for hit in re.finditer(line, data))


def _word(text: str) -> bytes:
    return rb"[\"']?" + re.escape(text.encode()) + rb"[\"']?"


def _at(here: Situation, place: tuple[str, int, int], named: Named) -> Named:
    path, start, _ = place
    return replace(named, path=path, line=line_of(here.tree.read(path), start))


def _held(here: Situation, place: tuple[str, int, int], text: str, command: str) -> Outcome:
    path, start, end = place
    data = here.tree.read(path)
    alone = path.endswith(".py") or b"install" not in data[line_start(data, start) : start]
    new = text.encode() if alone else b"'" + text.encode() + b"'"
    why = f"the log shows that {path} runs `{command}`"
    promise = Expectation("line", as_promised(line_with(data, start, end, new)), here.target.job, path)
    return Edited((Edit(path, start, end, new, why),), (path,), (promise,))
