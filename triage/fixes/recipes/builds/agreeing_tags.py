"""`agreeing_tag`: an image that no registry has, where the tree names another tag of the same version for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import AgreeingTag

_IMAGE = re.compile(r"(?P<name>[a-z0-9][\w./-]*(?::[0-9]+/[\w./-]+)?):(?P<tag>[\w.-]+)\Z")
_TEXTS = (".yml", ".yaml", ".sh", ".toml", ".json", ".hcl")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)+")
# What tells builds of one version apart by their age, not by what is in them.
_AGES = {"", "v", "dev", "rc", "nightly", "release", "releases", "latest", "stable", "main", "beta", "alpha", "post"}
_MOST = 8


@dataclass(frozen=True, slots=True)
class Named:
    """A tag of the image, at bytes `start`..`end` of `path`."""

    path: str
    line: int
    start: int
    end: int
    tag: str


def agreeing_tag(recipe: AgreeingTag, here: Situation) -> Outcome:
    found = _IMAGE.match(here.captures.get(recipe.image.strip("{}"), ""))
    if found is None:
        return Refusal("the log does not name the image with its tag")
    name, tag = found["name"], found["tag"]
    every = list(_named(here, name))
    missing = [one for one in every if one.tag == tag]
    if not missing:
        gone = recipe.settled and any(one.tag == recipe.settled for one in every)
        return InPlace(f"the tree names {name}:{recipe.settled}") if gone else Refusal(f"nothing names {name}:{tag}")
    agreeing = {one.tag for one in every if one.tag != tag and _agree(tag, one.tag)}
    sites = ", ".join(f"{one.path}:{one.line}" for one in missing[:_MOST])
    own = [one for one in missing if _own(here, one.path)] or missing
    if len(agreeing) != 1 or len({one.path for one in own}) != 1:
        others = ", ".join(sorted({one.tag for one in every if one.tag != tag})[:_MOST])
        listed = f"; other tags in the tree: {others}" if others else "; the tree names no other tag of it"
        return Words(f"{name}:{tag} stands at {sites}{listed}")
    new = agreeing.pop()
    why = f"no registry has the tag {tag}; the tree names {new} for the same version elsewhere"
    edits = tuple(Edit(one.path, one.start, one.end, new.encode(), why) for one in own)
    declared = (own[0].path,)
    made = Edited(
        edits, declared, promised(here, edits), title=f"Use {name}:{new}", settled=replace(recipe, settled=new)
    )
    return made.noting("whether the registry has that tag is not checked", f"the missing tag stands at {sites}")


def _own(here: Situation, path: str) -> bool:
    build = here.facts.build
    dockerfile = build.dockerfile.rpartition("/")[2] if build is not None else ""
    return path in (here.job.path, here.image) or bool(dockerfile and path.rpartition("/")[2] == dockerfile)


def _named(here: Situation, name: str) -> Iterator[Named]:
    pattern = re.compile(rb"(?<![\w./-])" + re.escape(name.encode()) + rb":([\w.-]+)")
    for path in here.tree.paths():
        if is_dockerfile(path) or path.endswith(_TEXTS):
            data = here.tree.read(path)
            for hit in pattern.finditer(data) if name.encode() in data else ():
                yield Named(path, line_of(data, hit.start()), *hit.span(1), hit[1].decode())


def _agree(one: str, other: str) -> bool:
    """The same numbers in the same order, and the same words apart from those that say how old a build is."""
    numbers = _NUMBERS.findall(one)
    return bool(numbers) and numbers == _NUMBERS.findall(other) and _words(one) == _words(other)


def _words(tag: str) -> list[str]:
    rest = _NUMBERS.sub("-", tag.lower())
    return [word for word in re.split(r"[-_.]", rest) if word.rstrip("0123456789") not in _AGES]
