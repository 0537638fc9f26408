"""Jobs whose image has the libraries: they install their project without what it requires, and tools beside it."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.recipes.builds.images import image_source
from triage.fixes.recipes.dependencies.installs import Install, without_required
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import in_file

# A command that names more than these few is a list of what the job needs beside its image.
_FEW = 3
# So many distributions of a requirements file that a log lists show that the image was made with it.
_SOME = 3


def left_to_image(here: Situation, done: Sequence[Install], name: str) -> Words | None:
    """Where the repository makes the image itself, that is where its libraries stand; None for other jobs."""
    lists = [one for one in done if one.files or len(one.named) > _FEW]
    if here.image or not without_required(done) or lists or isinstance(made := image_source(here), Refusal):
        return None
    return Words(f"{here.job.id} leaves libraries to its image: add {name} to {made.build.path}", image=True)


def image_has_rest(here: Situation, done: Sequence[Install], path: str) -> bool:
    """Whether the job installs the project without what it requires, and the log lists other distributions of the file:
    its image brings them, and only the one is missing there."""
    listed = [one for one in in_file(here.tree, path) if one.name in here.facts.installed]
    return without_required(done) and len(listed) >= _SOME
