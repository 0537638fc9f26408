"""A folder of the repository that an image lacks, where its Dockerfile copies others by their names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from triage.fixes.document import eol_at, line_end, line_of
from triage.fixes.manifests.dockerfile import Instruction, instructions, is_dockerfile
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit

_OPTIONS = re.compile(rb"(?:--ch(?:own|mod)=\S+[ \t]+)+")


def copy_folder(tree: Tree, target: Target, missing: str) -> Outcome | None:
    """`COPY benchmarks benchmarks` behind `COPY examples examples`. None where not just one Dockerfile of the tree has
    such a stage whose WORKDIR is the folder that the path begins with."""
    if not missing.startswith("/"):
        return None
    found = [(path, one) for path in tree.paths() if is_dockerfile(path) for one in _places(tree, path, missing)]
    if len(found) != 1:
        return None
    path, (own, top) = found[0]
    data = tree.read(path)
    at = line_end(data, own.end)
    eol = eol_at(data, at)
    given = _OPTIONS.fullmatch(data, own.named, own.start)
    new = b"COPY " + (given[0] if given else b"") + f"{top} {top}".encode()
    if rule := _ignored(tree, path, top):
        return Words(f"{path}:{line_of(data, own.named)} copies the folders that the image has, and not {top}: {rule}")
    edit = Edit(path, at, at, eol + new, f"the image has no {top}")
    title = f"Copy {top} into the image at {path}:{line_of(data, own.named) + 1}"
    made = Edited((edit,), (path, f"{path}:+COPY"), promised_of(tree, target.job, (edit,)), title=title)
    return made.noting("the image has to be built and published again before a job finds the folder there")


def left_out(tree: Tree, dockerfile: str, path: str) -> str:
    """What keeps a file, or a folder that it is in, out of the build, in words; "" for nothing."""
    parts = path.split("/")
    told = (
        _ignored(tree, dockerfile, one) for at in range(len(parts)) for one in ("/".join(parts[: at + 1]), parts[at])
    )
    return next((one for one in told if one), "")


def _ignored(tree: Tree, dockerfile: str, top: str) -> str:
    """What keeps the folder out of the build, in words; "" for nothing. The last rule of the file that fits decides."""
    own = next((one for one in (f"{dockerfile}.dockerignore", ".dockerignore") if one in tree), "")
    told = ""
    for line in tree.read(own).decode("utf-8", "replace").splitlines() if own else ():
        rule = line.strip().removeprefix("!").removeprefix("**/").strip("/")
        if rule and not rule.startswith("#") and fnmatchcase(top, rule.removesuffix("/**")):
            told = "" if line.lstrip().startswith("!") else f"{own} leaves it out (`{line.strip()}`)"
    return told


def _places(tree: Tree, path: str, missing: str) -> Iterator[tuple[Instruction, str]]:
    data = tree.read(path)
    found = instructions(data)
    if isinstance(found, Refusal):
        return
    for stage in _stages(found):
        work, copies = "", dict[str, Instruction]()
        for one in stage:
            words = data[one.start : one.end].decode("utf-8", "replace").split()
            if one.name == "WORKDIR" and len(words) == 1:
                work, copies = posixpath.join(work, words[0]), {}
            elif one.name in ("COPY", "ADD") and b"--from" not in data[one.named : one.start]:
                copies |= {word.strip("/").removeprefix("./"): one for word in words[:-1]}
                if len(words) != 2 or words[0].strip("./") != words[1].strip("./"):
                    copies[words[0].strip("/")] = one
        tail = missing.removeprefix(f"{work}/") if work not in ("", "/") else missing
        top = tail.partition("/")[0]
        fits = tail != missing and tail in tree and "/" in tail
        alike = [one for name, one in copies.items() if _is_whole(tree, data, name, one)]
        if (
            fits
            and alike
            and not {"", ".", "..", top} & {*copies}
            and not any(one.startswith(f"{top}/") for one in copies)
        ):
            yield alike[-1], top


def _stages(found: Sequence[Instruction]) -> Iterator[list[Instruction]]:
    stage: list[Instruction] = []
    for one in found:
        if one.name == "FROM":
            yield stage
            stage = []
        stage.append(one)
    yield stage


def _is_whole(tree: Tree, data: bytes, name: str, one: Instruction) -> bool:
    """A folder at the root of the repository, copied to one of the same name."""
    words = data[one.start : one.end].decode("utf-8", "replace").split()
    folder = "/" not in name and name not in tree and any(path.startswith(f"{name}/") for path in tree.paths())
    return folder and len(words) == 2 and words[1].strip("/").removeprefix("./") == name
