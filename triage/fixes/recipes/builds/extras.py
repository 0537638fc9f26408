"""An extra of the repository's project, chosen where the images are built that its jobs run in."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.recipes.builds.building import inside
from triage.fixes.recipes.builds.built import in_image_of_job, with_own_project
from triage.fixes.recipes.builds.images import images_of, source_of
from triage.fixes.recipes.dependencies.installing import pip_install
from triage.fixes.recipes.dependencies.installs import installs, without_required
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.recipe import PipInstall


def with_extra_in_images(recipe: PipInstall, here: Situation) -> Edited | InPlace | None:
    """A job that installs the repository's own project with --no-deps takes what that requires from its image: an extra
    is chosen where the images of its matrix are built, in all of them. None where one of them chooses no extra."""
    if here.image or not without_required(installs(here.evaluation.invocations)):
        return None
    made = [_in_image(replace(recipe, form="extra"), here, image) for image in images_of(here.job)]
    whole = together(made) if made else None
    if isinstance(whole, Edited):
        edited = tuple(edit.path for edit in whole.edits)  # others that hold the same are left as they are
        return replace(whole, notes=tuple(note for note in whole.notes if not note.startswith(edited)))
    return whole if isinstance(whole, InPlace) else None


def _in_image(recipe: PipInstall, here: Situation, image: str) -> Outcome:
    found = source_of(here, image)
    build = found if isinstance(found, Refusal) else inside(here, found.build)
    if isinstance(found, Refusal) or isinstance(build, Refusal):
        return Refusal(f"the tree does not say what {image} is made from")
    every = with_own_project(here.tree, installs(build.evaluation.invocations))
    if not any(place.extras for one in every for place in one.places):
        return Refusal(f"{build.image} chooses no extra of the project")
    how = f"{found.how}: the image has to be built and pushed anew first"
    made = pip_install(recipe, build)
    return in_image_of_job(made, build, how, otherwise=made)
