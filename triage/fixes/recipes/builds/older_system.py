"""An image whose system is older than a wheel was built for: the next release of the system in its base's tag."""

from __future__ import annotations

import re

from triage.fixes.document import line_of, line_with
from triage.fixes.manifests.dockerfile import Instruction, instructions
from triage.fixes.numbers import whole
from triage.fixes.recipes.builds.building import chain
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation, as_promised

# Releases of a system, as tags name them, and the glibc 2.x that each has (by their own lists of packages).
_FAMILIES = (
    (("20.04", 31), ("22.04", 35), ("24.04", 39)),
    (("bullseye", 31), ("bookworm", 36), ("trixie", 41)),
)
# Repositories that publish the same image for each release of the system: those of CUDA have Ubuntu 24.04 from 12.6 on.
_PLAIN = re.compile(r"(?:docker\.io/)?(?:library/)?(?:ubuntu|debian|python)\Z")
_CUDA = re.compile(r"(?:docker\.io/)?nvidia/cuda\Z|nvcr\.io/nvidia/cuda\Z")
_CUDA_RELEASE = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})(?:\.[0-9]+)?-")
_IMAGE = re.compile(rb"(?:--\S+[ \t]+)*([\w./-]+):([\w.-]+)")
_WHEEL = re.compile(r"manylinux_2_([0-9]{1,2})_(\w+)")


def newer_system(here: Situation) -> Outcome:
    """Captures: `held`, the 2.x of the system that the installer sees, `arch`, and `wheels`, what there is."""
    held, arch = whole(here.captures.get("held", "")), here.captures.get("arch", "")
    there = _WHEEL.findall(here.captures.get("wheels", ""))
    built = [number for each, of in there if of == arch and (number := whole(each)) is not None]
    if held is None or not built:
        return Refusal("the log names no wheel for this machine")
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal) or here.instruction < 0:
        return Refusal("the failed instruction is not known", here.image)
    kept = chain(data, found, here.instruction)
    first = next((one for at, one in enumerate(found) if at in kept and one.name == "FROM"), None)
    if first is None:
        return Refusal("it begins with no FROM", here.image)
    return _moved(here, data, first, held, min(built))


def _moved(here: Situation, data: bytes, first: Instruction, held: int, wanted: int) -> Outcome:
    base = _IMAGE.match(data, first.start, first.end)
    where = f"{here.image}:{line_of(data, first.named)}"
    needs = f"a system with glibc 2.{wanted} or newer"
    if base is None:
        return Words(f"{where} takes its image from elsewhere: it needs {needs}")
    repository, tag = base[1].decode(), base[2].decode()
    for family in _FAMILIES:
        own = [each for each in family if re.search(rf"(?<![\w.]){re.escape(each[0])}(?![\w.])", _parted(tag))]
        if len(own) != 1:
            continue
        ((release, glibc),) = own
        if glibc >= wanted:
            return InPlace(f"{where} has glibc 2.{glibc}")
        newer = next((name for name, has in family if has >= wanted), "")
        if glibc != held or not newer or not _published(repository, tag, newer):
            break
        at = base.start(2) + _parted(tag).index(release)
        why = f"{release} has glibc 2.{held}, and the oldest wheel for this machine needs 2.{wanted}"
        edit = Edit(here.image, at, at + len(release), newer.encode(), why)
        line = line_with(data, edit.start, edit.end, edit.new)
        promise = Expectation("line", as_promised(line), here.target.job, here.image)
        title = f"Make the image from the release {newer} of its system"
        made = Edited((edit,), (here.image,), (promise,), title=title)
        return made.noting(why, "packages of the system may be called otherwise there, and pip may be guarded")
    return Words(f"{where} is made from {repository}:{tag}: it needs {needs}")


def _parted(tag: str) -> str:
    """The tag with the name of the system as a word of its own, in as many characters: `ubuntu22.04`."""
    return tag.replace("ubuntu", "ubunt-").replace("debian", "debia-")


def _published(repository: str, tag: str, release: str) -> bool:
    if _PLAIN.match(repository):
        return True
    found = _CUDA_RELEASE.match(tag) if _CUDA.match(repository) else None
    return found is not None and (release != "24.04" or (int(found[1]), int(found[2])) >= (12, 6))
