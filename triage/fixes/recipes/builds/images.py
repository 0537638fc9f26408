"""From the image that a job runs in to the Dockerfile of this repository that it is made from."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.builds.dockerfiles import Build, baked, of_action, of_words
from triage.fixes.recipes.dependencies.installs import words_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.displayed import displayed
from triage.fixes.workflow.load import job_layers, load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree

_METADATA = "docker/metadata-action@"
_OUTPUT = re.compile(r"steps\.([\w-]+)\.outputs\.(?:tags|json)")
_TEXTS = (".sh", ".md", ".rst", ".bash")
_MAKEFILES = ("Makefile", "justfile", "Justfile")
_LIMIT = 200_000
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::[0-9]+)?/|localhost(?::[0-9]+)?/")


@dataclass(frozen=True, slots=True)
class Made:
    """`how` says in words why the image is made from `build.path`."""

    image: str
    build: Build
    how: str


def image_source(here: Situation) -> Made | Refusal:
    """Certain where workflows build an image of that name from one Dockerfile, or only one Dockerfile is called so."""
    images = images_of(here.job)
    if len(images) != 1:
        return Refusal(f"{here.job.id} runs in {len(images)} images" if images else f"{here.job.id} names no image")
    return source_of(here, images[0])


def source_of(here: Situation, image: str) -> Made | Refusal:
    """Of one of the images of a job that has a matrix of them."""
    baked_here = ((one, "the bake file") for one in baked(here.tree) if one.path in here.tree)
    for built in (_built(here), baked_here, _described_builds(here.tree)):
        found = [(rank, build, where) for build, where in built if (rank := _rank(build, image))]
        best = max((rank for rank, _, _ in found), default=0)
        places = {build.path: (build, where) for rank, build, where in found if rank == best}
        if len(places) == 1:
            ((path, (build, where)),) = places.items()
            return Made(image, build, f"{where} builds {image} from {path}")
        if places:
            return Refusal(f"{image} is built from {', '.join(sorted(places))}: the tree does not say which one it is")
    called = [path for path in here.tree.paths() if is_dockerfile(path) and _called(path, image)]
    if len(called) == 1:
        return Made(image, Build(called[0]), f"{called[0]} is the only Dockerfile that is called like {image}")
    return Refusal(f"no workflow builds {image}, and {len(called)} Dockerfiles are called so")


# Whose images others start from.
_PUBLISHERS = (
    "pytorch/pytorch:",
    "nvidia/cuda:",
    "nvcr.io/nvidia/",
    "rocm/pytorch:",
    "rocm/dev-",
    "ubuntu:",
    "python:",
    "debian:",
)


def is_public(here: Situation, image: str) -> bool:
    """Whether it is a base that its publisher makes for everybody, and nothing of this repository builds it."""
    return image.startswith(_PUBLISHERS) and isinstance(source_of(here, image), Refusal)


def images_of(job: Job) -> tuple[str, ...]:
    """The images of the job's container, expressions filled in; those that only a run knows are none."""
    node = job.image
    if node is None:
        return ()
    shown = (displayed(node.value, job_layers(job, cell).context) for cell in job.combinations)
    return tuple(dict.fromkeys(one for one in shown if one and "${" not in one))


def _built(here: Situation) -> Iterator[tuple[Build, str]]:
    """Every build of the tree's workflows, by the action or by `docker build` lines, and where it stands."""
    for path in workflow_paths(here.tree):
        data = here.tree.read(path)
        workflow = load_workflow(here.tree, path) if b"docker" in data or b"podman" in data else Refusal("")
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            for build in _of_job(job):
                if build.path in here.tree:
                    yield build, f"{job.id} of {job.path}"


def _of_job(job: Job) -> Iterator[Build]:
    for cell in job.combinations:
        for step in job.steps:
            for build in of_action(job, cell, step):
                yield replace(build, tags=(*build.tags, *_described(job, text_of(child(step.node, "with", "tags")))))
            context = job_layers(job, cell).context
            for line in step.run.value.replace("\\\n", " ").splitlines() if step.run is not None else ():
                yield from of_words(words_of(displayed(line, context)))


def _described(job: Job, tags: str) -> Iterator[str]:
    """Images of the metadata action whose output the tags are."""
    wanted = set(_OUTPUT.findall(tags))
    for step in job.steps:
        if step.uses.startswith(_METADATA) and step.id in wanted:
            yield from (one.strip() for one in text_of(child(step.node, "with", "images")).splitlines() if one.strip())


def _described_builds(tree: Tree) -> Iterator[tuple[Build, str]]:
    """`docker build` lines of scripts and of the repository's own instructions, from their folder or the root."""
    for path in tree.paths():
        data = tree.read(path) if path.endswith(_TEXTS) or posixpath.basename(path) in _MAKEFILES else b""
        if b"docker" not in data or b"build" not in data or len(data) > _LIMIT:
            continue
        text = data.decode("utf-8", "replace").replace("\\\r\n", " ").replace("\\\n", " ")
        for line in text.splitlines():
            words = words_of(line.strip().lstrip("@$> "))
            for folder in (posixpath.dirname(path) or ".", "."):
                found = [one for one in of_words(words, folder, closed=False) if one.path in tree]
                yield from ((one, path) for one in found)
                if found:
                    break


def _rank(build: Build, image: str) -> int:
    """3: a tag is the image to the letter; 2: it may be, where a run fills it in; 1: the same name with another tag; a
    registry's host may be left out. 0: none."""
    bare = _HOST.sub("", image, count=1)
    ranks = [0]
    for tag in build.tags:
        own = _HOST.sub("", tag, count=1)
        head, hole, _ = own.partition("$")
        if own == bare:
            ranks.append(3)
        elif hole and ":" in head and not head.endswith(":") and bare.startswith(head):
            ranks.append(2)
        elif (":" in head or not hole) and repository_of(head.rstrip(":")) == repository_of(bare):
            ranks.append(1)
    return max(ranks)


def repository_of(image: str) -> str:
    """Without its tag and digest."""
    name = image.partition("@")[0]
    return name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name


def _called(path: str, image: str) -> bool:
    """`docker/NAME/Dockerfile`, `Dockerfile.NAME` or `NAME.Dockerfile`, where the name says more than a word."""
    name = repository_of(image).rpartition("/")[2].lower()
    file, folder = posixpath.basename(path).lower(), posixpath.basename(posixpath.dirname(path)).lower()
    own = folder if file in ("dockerfile", "containerfile") else file.replace("dockerfile", "").strip(".-_")
    return own == name and len(re.findall(r"[a-z0-9]+", name)) > 1
