"""`single_tag`: an image that is named with its tag twice, or several in one option: docker reads no such name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

import yaml

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value, cut
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at
from triage.fixes.yaml.nodes import child, entries, every_node
from triage.fixes.yaml.scalar_edits import splice_scalar
from triage.model.patch import Edit

# A tag has letters: what is numbers alone between colons is a time or a port.
_NAME = r"[a-z0-9][\w.-]*(?::[0-9]{1,5}(?=/))?(?:/[\w.-]+)*"
_TAG = r"(?=[\w.-]*[A-Za-z])[A-Za-z0-9_][\w.-]*"
_TAGS = re.compile(rf"(?<![\w./:@-])(?P<name>{_NAME}):(?P<tag>{_TAG}):(?P<more>{_TAG})(?![\w./:-])")
_PROGRAMS = ("docker", "podman", "nerdctl", "buildah")
# What their options hold between colons besides images.
_OF_PLACES = ("-v", "--volume", "--mount", "-p", "--publish", "--add-host", "-e", "--env", "--tmpfs")
_JOINED = re.compile(r"(?:^|\s)(?:-t|--tag)[ =]+[\"']?(?P<names>[\w./:-]+:[\w.-]+(?:,[\w./:-]+:[\w.-]+)+)")
_WHY = "a name has one tag"


def single_tag(here: Situation) -> Outcome:
    edits: list[Edit] = []
    declared: list[str] = []
    differing = ""
    for one, word in _words(here):
        made = _shortened(here, word)
        if isinstance(made, str):
            differing = differing or made
        elif isinstance(made, Refusal):
            return made
        else:
            edits += made
            # An `env` or a matrix may hold it: then it is somewhere in the file.
            written = word.sites[-1].kind is SiteKind.LITERAL
            declared += [declared_at(here, edit.path, one.step) if written else edit.path for edit in made]
    for node in _scalars(here):
        for found in _TAGS.finditer(node.value):
            if found["tag"] != found["more"]:
                differing = differing or found[0]
                continue
            start, end = found.start("more") - 1, found.end("more")
            spliced = splice_scalar(here.job.document, node, start, end, "", why=_WHY)
            if isinstance(spliced, Refusal):
                return spliced
            edits += spliced
            declared.append(f"{here.job.path}:{here.place}")
    if differing:
        return Words(f"`{differing}` names two tags of one image: keep the one that is meant")
    if edits:
        edits = list(dict.fromkeys(edits))
        title = "Name the image with its tag once"
        return Edited(tuple(edits), tuple(dict.fromkeys(declared)), promised(here, edits), title=title)
    return _otherwise(here)


def _otherwise(here: Situation) -> Outcome:
    joined = next(
        (found["names"] for line in (*here.target.script, *here.lines) if (found := _JOINED.search(line))), ""
    )
    if joined:
        return Words(f"one option holds several names (`{joined}`): each name needs a `--tag` of its own")
    return Refusal(f"no command of {here.job.id} names an image with two tags", here.job.path, here.job.line)


def _words(here: Situation) -> Iterator[tuple[Invocation, Value]]:
    return ((one, word) for one, word in _every(here) if _TAGS.search(word.text or ""))


def _every(here: Situation) -> Iterator[tuple[Invocation, Value]]:
    """Arguments of commands that take images, without those of options that take other things between colons."""
    for one in here.concerned:
        words = one.program
        if not words or posixpath.basename(words[0].text or "") not in _PROGRAMS:
            continue
        for before, word in pairwise(words):
            option = (word.text or "").partition("=")[0]
            if before.text not in _OF_PLACES and option not in _OF_PLACES:
                yield one, word


def _shortened(here: Situation, word: Value) -> tuple[Edit, ...] | str | Refusal:
    """Without the second tag; what is written, where the two are not the same."""
    text, piece = word.text or "", word.pieces[-1]
    found = _TAGS.search(text)
    if found is None or found.end() != len(text) or found["tag"] != found["more"]:
        return found[0] if found is not None else text
    again, last = f":{found['more']}", piece.text or ""
    site = cut(piece, len(last) - len(again), len(last)).site if last.endswith(again) else None
    if site is None or site.kind in (SiteKind.COMPUTED, SiteKind.FACT) or site.path not in here.tree:
        return found[0]
    return replace_at(here.tree, site.path, site.start, again, "", why=_WHY)


def _scalars(here: Situation) -> Iterator[yaml.ScalarNode]:
    """Where a job names images besides its commands: its container, its services, what its steps give their actions."""
    node = here.job.node
    places = [child(node, "container"), *(value for _, _, value in entries(child(node, "services")))]
    for place in places:
        image = place if isinstance(place, yaml.ScalarNode) else child(place, "image")
        if isinstance(image, yaml.ScalarNode):
            yield image
    for step in here.job.steps:
        for one in every_node(child(step.node, "with")):
            if isinstance(one, yaml.ScalarNode):
                yield one
