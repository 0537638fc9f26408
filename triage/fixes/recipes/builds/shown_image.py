"""The image in which a log's container ran, where no job is known: the one Dockerfile of the repository whose last
stage works in the folder that the failure's traceback has above the repository's own files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.manifests.dockerfile import instructions, is_dockerfile
from triage.fixes.recipes.builds.build import Build
from triage.fixes.recipes.builds.building import chain, inside
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree

_STARTS = re.compile(r"(?<![\w./-])(?:docker|podman|nerdctl)(?: container)? run\b")


def shown_image(lone: Situation) -> Situation | Refusal:
    """`lone` is the tree without a job. What runs in the image is that of a container, of no instruction."""
    shown = (*lone.target.typed, *lone.target.script, *lone.facts.commands)
    if not any(_STARTS.search(text) for text in shown):
        return Refusal("the log shows no container that is started")
    roots = {root for frame in lone.facts.frames if (root := _root(lone, frame))}
    found = [path for path in lone.tree.paths() if is_dockerfile(path) and roots & {*_folders(lone.tree.read(path))}]
    if len(found) != 1:
        return Refusal(f"{len(found)} Dockerfiles of the repository work in the folder that the log shows")
    made = inside(lone, Build(found[0]))
    return made if isinstance(made, Refusal) else replace(made, system="container")


def _root(lone: Situation, frame: str) -> str:
    """The folder that holds the repository where the file ran; "" for what is none of its files."""
    path = in_tree(lone.tree, frame) if frame.startswith("/") else ""
    return frame.removesuffix(f"/{path}") if path else ""


def _folders(data: bytes) -> Iterator[str]:
    """Where the last stage, and those that it is made from, work."""
    found = instructions(data)
    if isinstance(found, Refusal) or not found:
        return
    folder = "/"
    for index in sorted(chain(data, found, len(found) - 1)):
        if found[index].name == "WORKDIR":
            text = data[found[index].start : found[index].end].decode("utf-8", "replace").strip().strip("\"'")
            folder = posixpath.normpath(posixpath.join(folder, text))
            yield folder
