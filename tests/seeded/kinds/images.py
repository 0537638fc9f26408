"""What a Dockerfile no longer installs, or installs without what makes the installer work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.kinds.debian import NAME, PROGRAMS, asks
from tests.seeded.kinds.dockerfiles import Image, Instruction, images
from tests.seeded.kinds.uv_places import NO_ENVIRONMENT
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_APT = re.compile(r"apt(?:-get)?(?P<before>(?: -\S+)*) install(?P<rest>(?:\s+[^\s&|;\\]+|\s*\\\n)+)")
_YES = re.compile(r" (?:-y|--yes|-yq|-qy|-qqy|-yqq|--assume-yes)(?=\s)")
_UPDATE = re.compile(r"apt(?:-get)? update(?: -\S+)*\s*&&\s*(?:\\\n\s*)?")
_LISTS = re.compile(r"apt(?:-get)? update|apt-key|sources\.list|add-apt")
# Images that bring next to nothing.
_BARE = re.compile(
    r"^(?:docker\.io/|public\.ecr\.aws/docker/library/)?(?:ubuntu|debian|python:[\w.-]*slim[\w-]*|nvidia/cuda)\b"
)
_DEVEL = frozenset(("build-essential", "cmake", "clang"))
_ADDRESS = re.compile(r"(?:pip3?|uv pip) install[^\n&]*git\+")


def apt_out(site: Site) -> Iterator[Seed]:
    """One of several packages of the system, where a later instruction of the stage calls the program that it brings."""
    for image in images(site):
        for one in image.runs():
            for line, name in _packages(image, one):
                program = PROGRAMS.get(name, "")
                spoilt = _without(image, line, name)
                if not program or not spoilt or not _bare(image, one, name) or _again(name, spoilt):
                    continue
                failed = _user(image, one, program)
                if failed is not None:
                    said, code = _said(failed, program)
                    yield image.seed(failed, spoilt, said, name, code=code, accepts=rf"\b{re.escape(name)}\b")


def _packages(image: Image, one: Instruction) -> Iterator[tuple[int, str]]:
    """Packages that its lines name, with the line of each, where the instruction installs several."""
    lines = image.text.split("\n")[one.lines[0] : one.lines[1] + 1]
    found = _APT.search("\n".join(line for line in lines if not line.lstrip().startswith("#")))
    names = [word for word in found["rest"].split() if NAME.fullmatch(word)] if found else []
    for name in names if len(names) > 1 else ():
        at = [number for number, line in enumerate(lines, start=one.lines[0]) if name in line.split()]
        if len(at) == 1:
            yield at[0], name


def _without(image: Image, at: int, name: str) -> str:
    lines = image.text.split("\n")
    alone = lines[at].split() in ([name], [name, "\\"])
    if alone and lines[at].rstrip().endswith("\\"):
        return "\n".join([*lines[:at], *lines[at + 1 :]])
    changed = re.sub(rf" {re.escape(name)}(?=\s|$)", "", lines[at], count=1)
    if alone or changed == lines[at]:
        return ""
    return "\n".join([*lines[:at], changed, *lines[at + 1 :]])


def _bare(image: Image, one: Instruction, name: str) -> bool:
    base = image.base(one)
    return bool(_BARE.match(base)) and not ("devel" in base and name in _DEVEL)


def _again(name: str, spoilt: str) -> bool:
    """Whether something else may install it."""
    named = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])")
    lines = (line for line in spoilt.split("\n") if "install" in line or line.strip().rstrip("\\").strip() == name)
    return any(map(named.search, lines)) or "conda" in spoilt


def _user(image: Image, one: Instruction, program: str) -> Instruction | None:
    called = re.compile(rf"(?:^|&&|;|\||\$\()\s*(?:sudo )?{re.escape(program)}\s")
    rest = [each for each in image.runs() if each.stage == one.stage and each.lines > one.lines]
    for each in rest:
        if called.search(each.command) or (program == "git" and _ADDRESS.search(each.command)):
            return each if "--mount" not in each.command and "apt" not in each.command else None
    return None


def _said(failed: Instruction, program: str) -> tuple[tuple[str, ...], int]:
    if program == "git" and _ADDRESS.search(failed.command) and "git clone" not in failed.command:
        return (
            "  ERROR: Error [Errno 2] No such file or directory: 'git' while executing command git version",
            "ERROR: Cannot find command 'git' - do you have 'git' installed and in your PATH?",
        ), 1
    return (f"/bin/sh: 1: {program}: not found",), 127


def apt_yes_out(site: Site) -> Iterator[Seed]:
    """`-y` taken out: apt asks, and nobody answers."""
    for image in images(site):
        if "DEBIAN_FRONTEND" in image.text or "assume-yes" in image.text.lower():
            continue
        for one in image.runs():
            found = _APT.search(image.text, _start(image, one))
            if not found or found.start() > _end(image, one) or len(_YES.findall(f"{found[0]} ")) != 1:
                continue
            bare = _YES.sub("", f"{found[0]} ", count=1)[:-1]
            spoilt = image.text[: found.start()] + bare + image.text[found.end() :]
            names = [word for word in found["rest"].split() if NAME.fullmatch(word)]
            if names and "#" not in found[0]:
                yield image.seed(one, spoilt, asks(names), names[0], accepts=r"-y\b")


def apt_update_out(site: Site) -> Iterator[Seed]:
    """The only `apt-get update` of a stage taken out: a bare image has no lists."""
    for image in images(site):
        for one in image.runs():
            found = _UPDATE.search(image.text, _start(image, one))
            installs = _APT.search(image.text, _start(image, one))
            if not found or not installs or max(found.start(), installs.start()) > _end(image, one):
                continue
            stage = [each.command for each in image.runs() if each.stage == one.stage]
            if sum(map(bool, map(_LISTS.search, stage))) != 1:
                continue
            names = [word for word in installs["rest"].split() if NAME.fullmatch(word)]
            if found.end() > installs.start() or not names or not _BARE.match(image.base(one)):
                continue
            spoilt = image.text[: found.start()] + image.text[found.end() :]
            said = (
                "Reading package lists...",
                "Building dependency tree...",
                "Reading state information...",
                *(f"E: Unable to locate package {name}" for name in names),
            )
            yield image.seed(one, spoilt, said, names[0], code=100, accepts=r"apt(?:-get)? update")


def uv_system_out(site: Site) -> Iterator[Seed]:
    """`--system` taken out of the first `uv pip install` of an image that has no environment."""
    for image in images(site):
        if re.search(r"uv venv|VIRTUAL_ENV|UV_SYSTEM_PYTHON|UV_PROJECT_ENVIRONMENT|conda", image.text):
            continue
        for one in image.runs():
            found = re.search(r"uv pip install[^\n&]*? --system", image.text[_start(image, one) : _end(image, one)])
            if found and "uv pip install" not in image.text[: _start(image, one)]:
                at = _start(image, one) + found.start()
                spoilt = image.text[:at] + found[0].replace(" --system", "", 1) + image.text[at + len(found[0]) :]
                yield image.seed(one, spoilt, (NO_ENVIRONMENT,), found[0], code=2, accepts="--system|UV_SYSTEM_PYTHON")


def _start(image: Image, one: Instruction) -> int:
    return sum(len(line) + 1 for line in image.text.split("\n")[: one.lines[0]])


def _end(image: Image, one: Instruction) -> int:
    return sum(len(line) + 1 for line in image.text.split("\n")[: one.lines[1] + 1])
