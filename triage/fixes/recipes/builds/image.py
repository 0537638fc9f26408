"""`image`: what a job's container is made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import slip_of
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.edits import comment_above, replace_scalar
from triage.fixes.yaml.nodes import child, entries
from triage.model.patch import Expectation, Sibling
from triage.model.recipe import Image

_REFERENCE = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}\Z")


def set_image(recipe: Image, here: Situation) -> Outcome:
    found = image_of(here.job)
    if isinstance(found, Refusal):
        return found
    node, place = found
    if recipe.from_image and not fnmatchcase(node.value, recipe.from_image):
        if recipe.to and node.value == recipe.to:
            return InPlace(f"{here.job.id} already uses {recipe.to}")
        return Refusal(
            f"the image is `{node.value}`, and the fix is for {recipe.from_image}", here.job.path, here.job.line
        )
    wanted = recipe.to if not recipe.copy_from_sibling else _siblings_image(here, node.value)
    if isinstance(wanted, Refusal):
        return wanted
    if not wanted:
        return Words(f"use a newer image than {node.value}: which one, the tree does not say")
    if wanted == node.value:
        return InPlace(f"{here.job.id} already uses {wanted}")
    made = _edited(recipe, here, node, place, wanted)
    settled = replace(recipe, to=wanted, from_image="", copy_from_sibling=False)
    return replace(made, settled=settled) if isinstance(made, Edited) else made


def image_of(job: Job) -> tuple[yaml.ScalarNode, str] | Refusal:
    """The scalar that names the job's image and its semantic path: the container's, or the `env` entry behind it."""
    container = job.image
    named = _REFERENCE.match(container.value) if container is not None else None
    if container is not None and named is None:
        direct = child(job.node, "container")
        return container, f"jobs.{job.id}.container" + ("" if direct is container else ".image")
    layers = ((child(job.node, "env"), f"jobs.{job.id}.env"), (child(job.workflow.node, "env"), "env"))
    for layer, place in layers:
        for name, _, value in entries(layer):
            wanted = name == named[1] if named else "IMAGE" in name.upper()
            if wanted and isinstance(value, yaml.ScalarNode) and "${{" not in value.value and value.value:
                return value, f"{place}.{name}"
    return Refusal(f"{job.id} names no container image", job.path, job.line)


def _edited(recipe: Image, here: Situation, node: yaml.ScalarNode, place: str, wanted: str) -> Outcome:
    document = here.job.document
    edits = replace_scalar(document, node, wanted, why=f"{node.value} is what the job fails with")
    if isinstance(edits, Refusal):
        return edits
    if recipe.comment:
        above = comment_above(document, node, recipe.comment, why=recipe.comment)
        edits = above if isinstance(above, Refusal) else (*above, *edits)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={wanted}", here.target.job, here.job.path)
    return Edited(
        edits,
        (f"{here.job.path}:{place}",),
        (promise,),
        siblings=tuple(_same_image(here, node.value)),
        blast_radius=(f"every job of {here.job.path} that uses {place}",) if place.startswith("env.") else (),
    )


def _same_image(here: Situation, image: str) -> Iterator[Sibling]:
    for job in jobs_of(here.tree, here.workflow):
        if job.id != here.job.id and job.image is not None and job.image.value == image:
            yield Sibling(job.path, job.id, f"uses the same image {image}")


def _siblings_image(here: Situation, old: str) -> str | Refusal:
    """The one other image of the same repository, such as a newer tag, that jobs of the same hardware use; of several
    the one of which it is a slip."""
    others: dict[str, int] = {}
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path)
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            found = image_of(job)
            if not isinstance(found, Refusal) and job_platform(job) == job_platform(here.job):
                others[found[0].value] = others.get(found[0].value, 0) + 1
    others.pop(old, None)
    same_repository = {name: count for name, count in others.items() if _repository(name) == _repository(old)}
    candidates = same_repository or {}
    if len(candidates) > 1 and (meant := slip_of(old, candidates)):
        return meant
    if len(candidates) != 1:
        return Refusal(f"the siblings use {len(candidates)} other images of {_repository(old)}, so none can be chosen")
    return next(iter(candidates))


def _repository(image: str) -> str:
    return image.rpartition(":")[0] if ":" in image.rpartition("/")[2] else image
