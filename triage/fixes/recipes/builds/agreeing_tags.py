"""`agreeing_tag`: an image that no registry has, where the tree names another tag of the same version for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import child, entries, items
from triage.model.patch import Edit, Expectation
from triage.model.recipe import AgreeingTag

_IMAGE = re.compile(r"(?P<name>[a-z0-9][\w./-]*(?::[0-9]+/[\w./-]+)?):(?P<tag>[\w.-]+)\Z")
_TEXTS = (".yml", ".yaml", ".sh", ".toml", ".json", ".hcl")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_VERSIONS = re.compile(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)+")
# What tells builds of one version apart by their age, not by what is in them.
_AGES = {"", "v", "dev", "rc", "nightly", "release", "releases", "latest", "stable", "main", "beta", "alpha", "post"}
_MOST = 8
_REGISTRY = re.compile(r"\A(?:docker|nvcr)\.io/")
_CUDA_TAG = re.compile(r"(?P<series>[0-9]+\.[0-9]+)(?P<patch>\.[0-9]+)?(?P<rest>-[\w.-]+)\Z")
# From here on tags no longer say which cuDNN they hold.
_UNNUMBERED = (12, 4)


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
    named = _of_job(here, tag, {one.tag for one in every}) if not agreeing else None
    wanted = [one for one in own if named is not None and _beside(here, one, tag, named)]
    if named is not None and not wanted and recipe.settled == named:
        return InPlace(f"{here.job.id} runs in {name}:{named}")
    if named is not None and wanted:
        agreeing, own = {named}, wanted
    kept = "" if agreeing else _last_patch(here, name, tag)
    agreeing = agreeing or ({kept} if kept else set())
    if len(agreeing) != 1 or len({one.path for one in own}) != 1:
        others = ", ".join(sorted({one.tag for one in every if one.tag != tag})[:_MOST])
        listed = f"; other tags in the tree: {others}" if others else "; the tree names no other tag of it"
        return Words(f"{name}:{tag} stands at {sites}{listed}")
    new = agreeing.pop()
    said = f"NVIDIA keeps the last patch of a release, {new}" if new == kept else f"the tree names {new} elsewhere"
    why = f"no registry has the tag {tag}; {said}"
    edits = tuple(Edit(one.path, one.start, one.end, new.encode(), why) for one in own)
    declared = (own[0].path,)
    promises = promised(here, edits) or tuple(_in_matrix(here, own, f"{name}:{new}"))
    made = Edited(edits, declared, promises, title=f"Use {name}:{new}", settled=replace(recipe, settled=new))
    return made.noting("whether the registry has that tag is not checked", f"the missing tag stands at {sites}")


def _last_patch(here: Situation, name: str, tag: str) -> str:
    """The image for the last patch of the same release, and for the same system; "" where none is known."""
    kept, found = here.tables.images.get(_REGISTRY.sub("", name, count=1), {}), _CUDA_TAG.match(tag)
    last = kept.get(found["series"], "") if found else ""
    if found is None or not last or (_unnumbered(found["series"]) and re.search("cudnn[0-9]", found["rest"])):
        return ""
    new = f"{last}{found['rest']}"
    return "" if new == tag else new


def _unnumbered(series: str) -> bool:
    return tuple(map(int, series.split("."))) >= _UNNUMBERED


def _in_matrix(here: Situation, sites: Sequence[Named], image: str) -> Iterator[Expectation]:
    """Where another cell of the matrix has the same line already."""
    document, place = here.job.document, f"{here.place}.strategy.matrix.include"
    for at, cell in enumerate(items(child(here.job.node, "strategy", "matrix", "include"))):
        for key, _, value in entries(cell):
            inside = [one for one in sites if document.start(value) <= one.start < document.end(value)]
            if inside and inside[0].path == here.job.path:
                yield Expectation("value", f"{place}[{at}].{key}={image}", here.target.job, here.job.path)


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


def _of_job(here: Situation, tag: str, tags: set[str]) -> str | None:
    """The tag that differs in one version, which the job's own name says where the missing tag says another one."""
    said = set(_VERSIONS.findall(here.target.job))
    fitting = []
    for other in tags - {tag}:
        pairs = list(zip(_NUMBERS.findall(tag), _NUMBERS.findall(other), strict=False))
        moved = [(old, new) for old, new in pairs if old != new]
        same = len(_NUMBERS.findall(tag)) == len(_NUMBERS.findall(other)) and _words(tag) == _words(other)
        if same and len(moved) == 1 and moved[0][1] in said and moved[0][0] not in said:
            fitting.append(other)
    return fitting[0] if len(fitting) == 1 else None


def _beside(here: Situation, one: Named, tag: str, wanted: str) -> bool:
    """Whether what stands around the tag says the version too: other entries of the matrix may mean what they say."""
    lines = here.tree.read(one.path).decode("utf-8", "replace").splitlines()
    around = " ".join(lines[max(one.line - 4, 0) : one.line - 1])
    moved = set(_NUMBERS.findall(wanted)) - set(_NUMBERS.findall(tag))
    return bool(moved) and moved <= set(_VERSIONS.findall(around))


def _agree(one: str, other: str) -> bool:
    """The same numbers in the same order, and the same words apart from those that say how old a build is."""
    numbers = _NUMBERS.findall(one)
    return bool(numbers) and numbers == _NUMBERS.findall(other) and _words(one) == _words(other)


def _words(tag: str) -> list[str]:
    rest = _NUMBERS.sub("-", tag.lower())
    return [word for word in re.split(r"[-_.]", rest) if word.rstrip("0123456789") not in _AGES]
