"""`built_image`: a step that runs the image of the job's own build by another name than it was given."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

import yaml

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.builds.dockerfiles import is_build, options
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_word
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import child, text_of
from triage.model.recipe import BuiltImage

_ACTION, _METADATA = "docker/build-push-action@", ("docker/metadata-action@", "crazy-max/ghaction-docker-meta@")
_PLAIN = re.compile(r"[\w.-]+")
_USES = ("run", "create", "push", "tag", "save", "pull", "inspect")


def built_image(recipe: BuiltImage, here: Situation) -> Outcome:
    missing = here.captures.get(recipe.image.strip("{}"), "").removeprefix("docker.io/").removeprefix("library/")
    bare = missing.removesuffix(":latest")
    found = [(one, word) for one in here.concerned for word in _named(one) if word.text in (bare, f"{bare}:latest")]
    if not found and _uses_own(here):
        return InPlace(f"{here.job.id} uses what it builds")
    if not bare or here.step is None or len(found) != 1:
        return Refusal(f"{len(found)} commands of the failed step use {bare or 'the image'}", here.job.path)
    one, word = found[0]
    names = dict.fromkeys(_before(here, one.step))
    if bare in names or f"{bare}:latest" in names:
        return InPlace(f"{here.job.id} builds {bare}")
    if len(names) != 1:
        listed = f": it builds {', '.join(names)}" if names else ""
        return Words(f"`{here.step.name}` uses {bare}, which {here.job.id} does not build{listed}")
    return _renamed(here, one, word, next(iter(names)))


def _uses_own(here: Situation) -> bool:
    """As it is written: an expression is filled in by the runner."""
    runs = [step for step in here.job.steps if step.run is not None and "docker run" in step.run.value]
    return any(name in text_of(step.run) for step in runs for name in _before(here, step.index))


def _named(one: Invocation) -> Iterator[Value]:
    """The words of a command that uses an image."""
    words = one.program
    name = posixpath.basename(words[0].text or "") if words else ""
    if name in ("docker", "podman", "nerdctl") and any(word.text in _USES for word in words[1:3]):
        yield from words[2:]


def _before(here: Situation, index: int) -> Iterator[str]:
    """What the steps before call the images that they build."""
    for other in here.evaluation.invocations:
        words = [word.text or "" for word in other.program]
        if other.step < index and is_build(words):
            yield from options(words, "-t", "--tag")[:1]
    for step in here.job.steps[:index]:
        if step.uses.startswith(_ACTION):
            yield from _of_action(here, step)


def _of_action(here: Situation, step: Step) -> Iterator[str]:
    tags = [tag.strip() for tag in text_of(child(step.node, "with", "tags")).replace(",", "\n").splitlines()]
    kept = [tag for tag in tags if tag]
    if kept and not any("steps." in tag for tag in kept):
        yield kept[0]
        return
    branches = child(here.job.workflow.document.root, "on", "push", "branches")
    names = [text_of(one) for one in branches.value] if isinstance(branches, yaml.SequenceNode) else []
    described = [one for one in here.job.steps[: step.index] if one.uses.startswith(_METADATA)]
    images = [name for one in described for name in _lines(one, "images")]
    by_branch = any("type=ref" in line and "branch" in line for one in described for line in _lines(one, "tags"))
    if len(images) == 1 == len(names) and by_branch and _PLAIN.fullmatch(names[0]):
        yield f"{images[0]}:{names[0]}"


def _lines(step: Step, name: str) -> list[str]:
    return [line.strip() for line in text_of(child(step.node, "with", name)).splitlines() if line.strip()]


def _renamed(here: Situation, one: Invocation, word: Value, name: str) -> Outcome:
    call, site = one.calls[-1], word.sites[0] if len(word.sites) == 1 else None
    if site is None or site.kind is not SiteKind.LITERAL or site.path != here.job.path or not call.insertable:
        return Refusal(f"`{word}` is put together where it cannot be edited", call.path, call.line)
    if any(after is word and before.text == "--name" for before, after in pairwise(one.argv)):
        return Refusal(f"`{word}` is what the container is called", call.path, call.line)
    edits = replace_word(here.tree, site, name, why=f"{here.job.id} builds {name} and nothing called {word.text}")
    if isinstance(edits, Refusal):
        return edits
    made = Edited(tuple(edits), (declared_at(here, call.path, one.step),), promised(here, edits))
    return made.noting("see that the build pushes or loads it whenever the step runs, by this tag")
