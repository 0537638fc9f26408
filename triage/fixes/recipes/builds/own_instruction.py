"""A package of the system by an instruction of its own, before the one that misses it, in a stage that uses apt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.document import eol_at, line_of, line_start
from triage.fixes.manifests.dockerfile import Instruction, arguments, instructions, stage_start
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

_APT = re.compile(rb"\bapt(?:-get)?\s+(?:-\S+\s+)*install\b")
# Images of Debian and Ubuntu in which root installs, by their makers' documentation.
_DEBIAN = re.compile(
    r"\A(?:docker\.io/)?(?:library/)?(?:"
    r"(?:debian|ubuntu|buildpack-deps)(?::[\w.-]+)?|(?:python|node|golang|rust):(?![\w.-]*(?:alpine|windows|nanoserver))[\w.-]+"
    r"|pytorch/pytorch:[\w.-]+|nvidia/cuda:[\w.-]*ubuntu[\w.-]*)\Z"
    r"|\Anvcr\.io/nvidia/(?:pytorch|cuda|tritonserver):(?![\w.-]*(?:ubi|rocky|alpine|sles))[\w.-]+\Z"
)
_ARGUMENT = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
# What an instruction that installs may stand behind.
_BESIDE = ("ARG", "ENV", "LABEL", "MAINTAINER", "SHELL", "WORKDIR")
_ROOT = (b"root", b"0", b"0:0", b"root:root")


def own_instruction(here: Situation, package: str, needed: str) -> Edited | Refusal:
    """`here` is the build of an image. What stands below the failed instruction says which manager its stage has."""
    data = here.tree.read(here.image)
    found = instructions(data)
    if here.in_own_container and not isinstance(found, Refusal):
        return _in_last_stage(here, data, found, package, needed)
    if isinstance(found, Refusal) or not 0 <= here.instruction < len(found):
        return Refusal("the failed instruction is not known", here.image)
    own = found[here.instruction]
    start = stage_start(found, here.instruction)
    end = next((at for at, one in enumerate(found) if at > here.instruction and one.name == "FROM"), len(found))
    stage = found[start:end]
    users = [one for one in stage if one.name == "USER" and one.start < own.start]
    if users and data[users[-1].start : users[-1].end].strip() not in _ROOT:
        return Refusal("another user than root runs the instruction", here.image)
    below = [one for one in stage if one.name == "RUN" and one.start > own.start]
    if own.name != "RUN" or not any(_APT.search(data, one.start, one.end) for one in below):
        return Refusal("no instruction of the stage installs packages of the system", here.image)
    run = f"RUN apt-get update && apt-get install -y {package} && rm -rf /var/lib/apt/lists/*"
    edit = instruction_before(here.image, data, own, run, f"{package} brings `{needed}`")
    title = f"Install {package} before {here.image}:{line_of(data, own.named)}, which needs `{needed}`"
    made = Edited((edit,), (here.image, f"{here.image}:+RUN"), promised(here, (edit,)), title=title)
    return made.noting("an instruction below it installs packages too: it may stand before this one instead")


def _in_last_stage(
    here: Situation, data: bytes, found: Sequence[Instruction], package: str, needed: str
) -> Edited | Refusal:
    """What a container of the image lacks: before the first instruction that takes or runs anything."""
    start = stage_start(found, len(found))
    stage = found[start:]
    first = next((one for one in stage[1:] if one.name not in _BESIDE), None)
    with_apt = any(one.name == "RUN" and _APT.search(data, one.start, one.end) for one in stage)
    if first is None or not (with_apt or _DEBIAN.search(_base(data, stage[0]))):
        return Refusal("nothing says which packages the image's last stage takes", here.image)
    run = f"RUN apt-get update && apt-get install -y {package} && rm -rf /var/lib/apt/lists/*"
    edit = instruction_before(here.image, data, first, run, f"{package} brings `{needed}`")
    title = f"Install {package} in the last stage of {here.image}, which needs `{needed}`"
    made = Edited((edit,), (here.image, f"{here.image}:+RUN"), promised(here, (edit,)), title=title)
    return made.noting("what earlier stages install is not in the image", "the image has to be built anew")


def _base(data: bytes, one: Instruction) -> str:
    """What the stage is made from, arguments filled in with their defaults."""
    held = arguments(data)
    known = {} if isinstance(held, Refusal) else {each.name: each.text for each in held if each.start < one.start}
    words = data[one.start : one.end].decode("utf-8", "replace").split()
    return _ARGUMENT.sub(lambda found: known.get(found[1], found[0]), words[0] if words else "")


def instruction_before(path: str, data: bytes, own: Instruction, text: str, why: str) -> Edit:
    """On a line of its own, above the comments that belong to the instruction."""
    at = line_start(data, own.named)
    while at > 0 and data[line_start(data, at - 1) : at].lstrip().startswith(b"#"):
        at = line_start(data, at - 1)
    return Edit(path, at, at, text.encode() + eol_at(data, at) * 2, why)
