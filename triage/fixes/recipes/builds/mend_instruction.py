"""`mend_instruction`: the instruction at which the build of an image ended, or one before it, by what the log says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.document import eol_at, line_end, line_of, line_start
from triage.fixes.manifests.dockerfile import Instruction, instructions
from triage.fixes.recipes.builds.building import chain
from triage.fixes.recipes.builds.instructed import enter_project, quote_version
from triage.fixes.recipes.builds.joined import drop_operator, join_commands
from triage.fixes.recipes.builds.older_system import newer_system
from triage.fixes.recipes.builds.own_instruction import instruction_before
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import MendInstruction

# The repositories whose keys NVIDIA replaced in April 2022, by their path on its server, and their key since then.
_NVIDIA = "https://developer.download.nvidia.com/compute"
_KEYS = {"cuda": "3bf863cc", "machine-learning": "7fa2af80"}
_SYSTEM = re.compile(r"(?:ubuntu[0-9]{4}|debian[0-9]{1,2})/(?:x86_64|sbsa|ppc64el)\Z")
_TOOLCHAIN = re.compile(
    r"([0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?|(?:stable|nightly|beta)(?:-[0-9]{4}-[0-9]{2}-[0-9]{2})?)(?:-[a-z0-9_-]+)?\Z"
)
_ASKED = re.compile(rb"rustup (?:toolchain install|default|update)\b|--default-toolchain[ =](?!none\b)")
_NONE = re.compile(rb"--default-toolchain[ =]none\b")


def mend_instruction(recipe: MendInstruction, here: Situation) -> Outcome:
    if not here.image or here.instruction < 0:
        return Refusal("no build of an image failed")
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal):
        return Refusal(found.reason, here.image)
    match recipe.fault:
        case "new-key":
            return _new_key(here, data, found)
        case "older-system":
            return newer_system(here)
        case "member":
            return _member(here, data, found)
        case "toolchain":
            return _toolchain(here, data, found)
        case "project":
            return enter_project(recipe, here, data, tuple(found), found[here.instruction])
        case "redirected":
            return quote_version(recipe, here, data, found[here.instruction])
        case "joined":
            return drop_operator(recipe, here, data, found[here.instruction])
        case "swallowed":
            return join_commands(recipe, here, data, found[here.instruction])


def _new_key(here: Situation, data: bytes, found: Sequence[Instruction]) -> Outcome:
    """Fetched before the instruction that updates the lists, by an instruction of its own."""
    own = found[here.instruction]
    kind, system = here.captures.get("kind", ""), here.captures.get("system", "")
    if kind not in _KEYS or not _SYSTEM.match(system):
        return Refusal("the log names no repository whose key is known to be replaced")
    key = f"{_NVIDIA}/{kind}/repos/{system}/{_KEYS[kind]}.pub"
    if any(key.encode() in data[one.start : one.end] for one in _before(here, data, found)):
        return InPlace(f"{here.image} fetches {key} before the lists are updated")
    run = f"RUN apt-key adv --fetch-keys {key}"
    title = f"Fetch the repository's new key before {here.image}:{line_of(data, own.named)} updates the lists"
    edit = instruction_before(here.image, data, own, run, "the image holds the key that was taken back")
    made = Edited((edit,), (here.image, f"{here.image}:+RUN"), promised(here, (edit,)), title=title)
    return made.noting("an image that was built after April 2022 holds the new key: a newer tag of the base does too")


def _before(here: Situation, data: bytes, found: Sequence[Instruction]) -> list[Instruction]:
    """What runs up to the failed instruction: in its stage, and in the stages of the file that this one is built on."""
    kept = chain(data, found, here.instruction)
    return [one for at, one in enumerate(found[: here.instruction + 1]) if at in kept]


def _member(here: Situation, data: bytes, found: Sequence[Instruction]) -> Outcome:
    """Wherever the workspace's manifest is copied, with what is copied beside it."""
    missing = here.captures.get("path", "")
    folder = posixpath.basename(posixpath.dirname(missing)) if missing.endswith("/Cargo.toml") else ""
    sources = [path for path in here.tree.paths() if path.endswith(f"{folder}/Cargo.toml") and missing.endswith(path)]
    if not folder or not sources:
        return Refusal("the tree holds no such member of the workspace", here.image)
    own = posixpath.dirname(max(sources, key=len))
    edits = tuple(_copies(here.image, data, found, own))
    if not edits and re.search(
        rb"(?m)^[ \t]*COPY[ \t]+" + re.escape(own.partition("/")[0].encode()) + rb"/?[ \t]", data
    ):
        return InPlace(f"{here.image} copies {own}")
    if not edits:
        return Refusal(f"{here.image} copies no other member of the workspace on a line of its own", here.image)
    title = f"Copy {own}, which the workspace names, where its other members are copied"
    return Edited(edits, (here.image, f"{here.image}:+COPY"), promised(here, edits), title=title)


def _copies(path: str, data: bytes, found: Sequence[Instruction], own: str) -> Iterator[Edit]:
    """Before the first sibling that each stage copies by its own name: `COPY router router`."""
    stages: dict[int, list[Instruction]] = {}
    stage = 0
    for index, one in enumerate(found):
        stage = index if one.name == "FROM" else stage
        if one.name == "COPY" and b"--from" not in data[one.named : one.start]:
            stages.setdefault(stage, []).append(one)
    top = own.partition("/")[0]
    for copies in stages.values():
        words = {one: data[one.start : one.end].decode("utf-8", "replace").split() for one in copies}
        if any(top in pair[:-1] or "." in pair[:-1] for pair in words.values()):
            continue
        manifest = any("Cargo.toml" in pair[:-1] for pair in words.values())
        alike = [one for one, pair in words.items() if len(pair) == 2 and pair[0] == pair[1] and "." not in pair[0]]
        if manifest and alike:
            at = line_start(data, alike[0].named)
            yield Edit(path, at, at, f"COPY {top} {top}".encode() + eol_at(data, at), f"the workspace names {own}")


def _toolchain(here: Situation, data: bytes, found: Sequence[Instruction]) -> Outcome:
    """`--default-toolchain none` leaves it to the first call of cargo, which installs none since rustup 1.28."""
    match = _TOOLCHAIN.match(here.captures.get("toolchain", ""))
    if match is None:
        return Refusal("the log names no release of a toolchain")
    before = _before(here, data, found)
    for one in before:
        none = _NONE.search(data, one.start, one.end) if one.name == "RUN" else None
        if none is not None and b"#" not in data[line_start(data, none.start()) : none.start()]:
            start = none.end() - len(b"none")
            why = "rustup installs no toolchain by itself any more"
            edit = Edit(here.image, start, none.end(), match[1].encode(), why)
            title = f"Install the toolchain {match[1]} at {here.image}:{line_of(data, start)}"
            return Edited((edit,), (here.image,), promised(here, (edit,)), title=title)
    own = found[here.instruction]
    asked = [one for one in before if _ASKED.search(data, one.start, one.end)]
    if asked:
        return InPlace(f"{here.image}:{line_of(data, asked[-1].named)} asks for a toolchain")
    if own.name != "RUN" or not re.match(rb"\s*cargo\s", data[own.start : line_end(data, own.start)]):
        return Refusal(f"{here.image} asks rustup for no toolchain, and runs cargo in no instruction of its own")
    edit = Edit(here.image, own.start, own.start, b"rustup toolchain install && ", "it installs what the file names")
    title = f"Install the toolchain before {here.image}:{line_of(data, own.named)} calls cargo"
    return Edited((edit,), (here.image,), promised(here, (edit,)), title=title)
