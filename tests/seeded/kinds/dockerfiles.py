"""Dockerfiles: their instructions, the jobs that build them, and what a build prints that fails at one of them."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_NAMED = re.compile(r"(?:^|/)(?:[\w.-]*\.)?[Dd]ockerfile[\w.-]*$")
_BUILD = re.compile(r"docker (?:buildx )?build\b(?P<rest>(?:\\\n|[^\n&|;])*)")
_FILE = re.compile(r"(?:-f|--file)[ =][\"']?(?:\./)?([\w./-]+)")
_LEAVES = ("ADD", "COPY", "RUN", "WORKDIR")
# Those that are looked at in one repository.
_MOST = 12


@dataclass(frozen=True, slots=True)
class Instruction:
    """`lines`: its numbers from 0, the first and the last; `text`: in one, as the builder names it; `stage`: the last
    FROM before it, `at` and `of` its number among those of its stage that make a layer."""

    name: str
    lines: tuple[int, int]
    text: str
    stage: str
    at: int = 0
    of: int = 0

    @property
    def command(self) -> str:
        return self.text.partition(" ")[2].strip()


@dataclass(frozen=True, slots=True)
class Image:
    """A Dockerfile with the step that builds it."""

    path: str
    text: str = field(repr=False)
    instructions: tuple[Instruction, ...] = field(repr=False)
    job: Job = field(repr=False)
    step: int

    def runs(self) -> Iterator[Instruction]:
        return (one for one in self.instructions if one.name == "RUN")

    def base(self, one: Instruction) -> str:
        """The image that the stage of an instruction begins with, through other stages."""
        found = one.stage
        stages = {said[1]: each.stage for each in self.instructions if (said := _staged(each))}
        for _ in stages:
            found = stages.get(_from(found), found)
        return _from(found)

    def seed(
        self, one: Instruction, spoilt: str, printed: Sequence[str], about: str, *, code: int = 1, accepts: str = ""
    ) -> Seed:
        """`printed`: by the instruction that fails, as it stands in the spoilt file."""
        lines = tuple(_printed(self, one, spoilt, printed, code))
        return Seed(self.job, self.step, {self.path: spoilt.encode()}, lines, about, accepts=accepts)


def images(site: Site) -> Iterator[Image]:
    """Those that a job builds, then some that somebody builds by hand."""
    built: set[str] = set()
    for job in site.jobs:
        for number, step in enumerate(job.steps):
            path = _built(site, step)
            if path and path not in built:
                built.add(path)
                yield from _image(site, path, job, number)
    others = [one for one in site.tree.paths() if _NAMED.search(one) and one not in built]
    for path in sorted(others, key=lambda one: hashlib.sha256(one.encode()).digest())[:_MOST]:
        job = Job("", "", {"steps": [{"run": f"docker build -f {path} ."}]})
        yield from _image(site, path, job, 0)


def _built(site: Site, step: object) -> str:
    if not isinstance(step, dict):
        return ""
    given = step.get("with") if isinstance(step.get("with"), dict) else {}
    if str(step.get("uses", "")).startswith("docker/build-push-action@"):
        folder = str(given.get("context", ".")).removeprefix("./") or "."
        path = str(given.get("file", posixpath.normpath(posixpath.join(folder, "Dockerfile")))).removeprefix("./")
        return path if path in site.tree else ""
    found = _BUILD.search(str(step.get("run", "")))
    said = _FILE.search(found["rest"]) if found else None
    path = said[1] if said else "Dockerfile"
    return path if found and path in site.tree else ""


def _image(site: Site, path: str, job: Job, step: int) -> Iterator[Image]:
    text = site.text(path)
    if "<<" not in text and "\r" not in text:
        instructions = tuple(_instructions(text))
        if instructions:
            yield Image(path, text, instructions, job, step)


def _instructions(text: str) -> Iterator[Instruction]:
    found: list[Instruction] = []
    stage = ""
    group: list[str] = []
    first = 0
    for number, line in enumerate(text.split("\n")):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not group:
            first = number
        group.append(line)
        if not line.rstrip().endswith("\\"):
            words = "".join(one.rstrip().removesuffix("\\") if one is not group[-1] else one.rstrip() for one in group)
            name = words.split(maxsplit=1)[0].upper()
            stage = words if name == "FROM" else stage
            found.append(Instruction(name, (first, number), words.strip(), stage))
            group = []
    for one in found:
        layers = [each for each in found if each.stage == one.stage and each.name in _LEAVES]
        at = layers.index(one) + 2 if one in layers else 1
        yield Instruction(one.name, one.lines, one.text, one.stage, at, len(layers) + 1)


def _from(stage: str) -> str:
    words = [word for word in stage.split()[1:] if not word.startswith("--")]
    return words[0] if words else ""


def _staged(one: Instruction) -> re.Match[str] | None:
    return re.search(r"\s[Aa][Ss]\s+([\w.-]+)\s*$", one.stage)


def _printed(image: Image, one: Instruction, spoilt: str, printed: Sequence[str], code: int) -> Iterator[str]:
    now = next((each for each in _instructions(spoilt) if each.stage == one.stage and each.at == one.at), one)
    stages = len({each.stage for each in image.instructions})
    said = _staged(one)
    label = f"{said[1] if said else 'stage-' + str(stages - 1)} " if stages > 1 else ""
    place, failed = (
        f"[{label}{now.at}/{now.of}]",
        f'process "/bin/sh -c {now.command}" did not complete successfully: exit code: {code}',
    )
    yield '#0 building with "default" instance using docker driver'
    yield f"#1 [internal] load build definition from {image.path.rpartition('/')[2]}"
    yield "#1 DONE 0.0s"
    yield f"#2 [internal] load metadata for {image.base(one)}"
    yield "#2 DONE 0.9s"
    yield f"#{now.at + 4} {place} {now.text}"
    yield from (f"#{now.at + 4} {0.4 + number / 10:.3f} {line}" for number, line in enumerate(printed))
    yield f"#{now.at + 4} ERROR: {failed}"
    yield "------"
    yield f" > {place} {now.text}:"
    yield from (f"{0.4 + number / 10:.3f} {line}" for number, line in enumerate(printed))
    yield "------"
    yield f"{image.path.rpartition('/')[2]}:{now.lines[0] + 1}"
    yield "--------------------"
    for number, line in enumerate(spoilt.split("\n")[: now.lines[1] + 2], start=1):
        if number > now.lines[0] - 2:
            yield f"{number:4d} | {'>>>' if now.lines[0] < number <= now.lines[1] + 1 else '   '} {line}"
    yield "--------------------"
    yield f"ERROR: failed to solve: {failed}"
    if str(image.job.steps[image.step].get("uses", "")):
        yield f"##[error]buildx failed with: ERROR: failed to solve: {failed}"
