"""`base_image`: the FROM of an image whose toolkit does not fit, at a tag that another Dockerfile of the tree has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.manifests.dockerfile import instructions, is_dockerfile
from triage.fixes.recipes.builds.images import repository_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import BaseImage

# The image of a FROM, or of the ARG that a FROM takes it from.
_FROM = re.compile(rb"(?:--\S+[ \t]+)*([\w./:@-]+)")
_ARGUMENT = re.compile(rb"[ \t]*\w+=[\"']?([\w./-]+:[\w.-]+)[\"']?[ \t\r]*\Z")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")


@dataclass(frozen=True, slots=True)
class _Base:
    path: str
    start: int
    end: int
    image: str


def base_image(recipe: BaseImage, here: Situation) -> Outcome:
    """`here` is the build of an image. Versions are those of the log: they choose among tags that the tree holds."""
    held, wanted = here.fill(recipe.held), here.fill(recipe.wanted)
    if isinstance(held, Refusal):
        return held
    if isinstance(wanted, Refusal):
        return wanted
    if not here.image:
        return Refusal("the image that the job runs in is made elsewhere")
    own = list(_bases(here.tree, here.image))
    old = [one for one in own if _has(one.image, held)]
    if len(old) != 1:
        new = [one for one in own if _has(one.image, wanted)]
        if new and not old:
            return InPlace(f"{here.image} is made from {new[0].image}: the image was not built anew since")
        return Refusal(f"{len(old)} FROM lines of {here.image} have {held} in their tags", here.image)
    return _moved(here, old[0], wanted, f"{recipe.title or 'the toolkit'} {wanted}")


def _moved(here: Situation, old: _Base, wanted: str, what: str) -> Outcome:
    line = line_of(here.tree.read(old.path), old.start)
    paths = [path for path in here.tree.paths() if is_dockerfile(path)]
    every = [one for path in paths for one in _bases(here.tree, path)]
    fitting = [one for one in every if repository_of(one.image) == repository_of(old.image) and _has(one.image, wanted)]
    tags = sorted({one.image for one in fitting})
    if len(tags) != 1:
        found = f"the tree has {', '.join(tags)}" if tags else "no Dockerfile of the tree is made from one"
        return Words(f"{old.path}:{line} is made from {old.image}: it needs a tag with {what}, and {found}")
    source = next(one for one in fitting if one.image == tags[0])
    data = here.tree.read(old.path)
    start, end = line_start(data, old.start), line_end(data, old.end)
    text = (data[start : old.start] + tags[0].encode() + data[old.end : end]).decode("utf-8", "replace").strip()
    why = f"{source.path}:{line_of(here.tree.read(source.path), source.start)} is made from {tags[0]}"
    promise = Expectation("line", as_promised(text), here.target.job, old.path)
    edit = Edit(old.path, old.start, old.end, tags[0].encode(), why)
    return Edited((edit,), (old.path,), (promise,), notes=(why,), title=f"Make the image from {tags[0]}")


def _bases(tree: Tree, path: str) -> Iterator[_Base]:
    data = tree.read(path)
    found = instructions(data)
    for one in () if isinstance(found, Refusal) else found:
        pattern = {"FROM": _FROM, "ARG": _ARGUMENT}.get(one.name)
        hit = pattern.match(data, one.start, one.end) if pattern is not None else None
        if hit is not None and b":" in hit[1]:
            yield _Base(path, hit.start(1), hit.end(1), hit[1].decode())


def _has(image: str, version: str) -> bool:
    """Whether the tag names a release of this version: 12.1 is 12.1.0, and neither 12.10 nor 2.12.1."""
    tag = image.removeprefix(repository_of(image))
    return any(found == version or found.startswith(f"{version}.") for found in _VERSION.findall(tag))
