"""`devel_base` and `copy_mount`: what an instruction of a Dockerfile stands on, and its way out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.document import line_of, line_with
from triage.fixes.manifests.dockerfile import Instruction, instructions
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation, as_promised

# Repositories whose tags say whether the compiler is in the image, and the word that says it is.
_VARIANTS = re.compile(rb"(?<![\w.-])(?:nvidia/cuda|pytorch/pytorch):[\w.${}-]*?-(runtime|base)(?=[-\"'\s]|$)")
_DEVEL = re.compile(rb"(?<![\w.-])(?:nvidia/cuda|pytorch/pytorch):[\w.${}-]*?-devel(?=[-\"'\s]|$)")
_REFERENCE = re.compile(rb"\s*(?:--\S+\s+)*[\"']?\$\{?(\w+)\}?[\"']?(?:\s|\Z)")
_PROXY = re.compile(rb"--mount=type=secret,\S*proxy\S*|--network=host", re.I)


def devel_base(here: Situation) -> Outcome:
    """`here` is the build of an image; its failed instruction, or its last stage, decides which FROM is meant."""
    if not here.image:
        return Refusal("the image that the job runs in is made elsewhere")
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal):
        return Refusal(found.reason, here.image)
    origin = _origin(data, found, here.instruction if here.instruction >= 0 else len(found) - 1)
    held = [one for one in origin if _DEVEL.search(data, one.start, one.end)]
    if held:
        return InPlace(f"{here.image}:{line_of(data, held[0].named)} is the variant that holds the compiler")
    hits = [hit for one in origin if (hit := _VARIANTS.search(data, one.start, one.end)) is not None]
    if len(hits) != 1:
        return Refusal(f"{here.image} is not made from an image whose tag says that it has no compiler", here.image)
    start, end = hits[0].span(1)
    why = f"the variant -{hits[0][1].decode()} holds no compiler of CUDA, -devel does"
    edit = Edit(here.image, start, end, b"devel", why)
    promise = Expectation("line", as_promised(line_with(data, start, end, b"devel")), here.target.job, here.image)
    title = f"Make the image from the -devel variant at {here.image}:{line_of(data, start)}"
    made = Edited((edit,), (here.image,), (promise,), title=title)
    return made.noting("the image grows by some gigabytes: build the extension in a stage of its own where that counts")


def _origin(data: bytes, found: Sequence[Instruction], index: int) -> list[Instruction]:
    """The FROM that the stage goes back to, and the ARGs that it takes its image from."""
    stages = [at for at, one in enumerate(found) if one.name == "FROM" and at <= index]
    at = stages[-1] if stages else -1
    while at >= 0:
        words = _words(data, found[at])
        base = words[0] if words else ""
        before = next((other for other in stages if other < at and base and _called(data, found[other]) == base), -1)
        if before < 0:
            break
        at = before
    if at < 0:
        return []
    named = _REFERENCE.match(data, found[at].start, found[at].end)
    given = [one for one in found[:at] if one.name == "ARG" and named and _sets(data, one, named[1])]
    return given[-1:] if named else [found[at]]


def _words(data: bytes, one: Instruction) -> list[str]:
    words = data[one.start : one.end].decode("utf-8", "replace").lower().split()
    return [word for word in words if not word.startswith("--")]


def _called(data: bytes, one: Instruction) -> str:
    words = _words(data, one)
    return words[-1] if len(words) >= 3 and words[-2] == "as" else ""


def _sets(data: bytes, one: Instruction, name: bytes) -> bool:
    return data[one.start : one.end].strip().startswith(name + b"=")


def copy_mount(here: Situation) -> Outcome:
    """Before the command of the failed RUN, as the nearest instruction above it has it, else the nearest below."""
    if not here.image or here.instruction < 0:
        return Refusal("no build of an image failed")
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal):
        return Refusal(found.reason, here.image)
    own = found[here.instruction]
    if own.name != "RUN":
        return Refusal(f"the instruction at {here.image}:{line_of(data, own.named)} runs no command")
    if _ways(data, own):
        return InPlace(f"the instruction at {here.image}:{line_of(data, own.named)} is given a way to the network")
    others = [one for one in found if one.name == "RUN" and _ways(data, one)]
    if not others:
        return Refusal(f"no instruction of {here.image} is given a way to the network")
    above = [one for one in others if one.start < own.start]
    source = above[-1] if above else others[0]
    options = b" ".join(_ways(data, source))
    where = f"{here.image}:{line_of(data, source.named)}"
    why = f"what {where} fetches goes this way too"
    new = options + (b" \\\n    " if b"\n" in data[source.named : source.start] else b" ")
    if b"\r\n" in data[: own.start]:
        new = new.replace(b"\n", b"\r\n")
    edit = Edit(here.image, own.named, own.named, new, why)
    title = f"Give the instruction at {here.image}:{line_of(data, own.named)} the network as {where} has it"
    declared = (here.image,)
    return Edited((edit,), declared, promised(here, (edit,)), title=title)


def _ways(data: bytes, one: Instruction) -> list[bytes]:
    return _PROXY.findall(data, one.named, one.start)
