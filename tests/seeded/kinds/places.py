"""Where a job takes a requirement from: its own commands, the lists that they install, the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.seeded.kinds.lines import block_of, certain, plain
from tests.seeded.site import Job, Site

INSTALL = re.compile(r"(?:pip3?|uv pip)\s+install\s+(?P<rest>(?:\\\n|[^\n&|;])*)")
LIST = re.compile(r"(?:-r|--requirement)[ =]([\w./-]+\.txt)")
OWN = re.compile(r"(?:^|\s)(?:-e\s+)?[\"']?\.(?:\[([\w,-]+)\])?[\"']?(?:\s|$)")
BOUND = r"(?:\s*(?:===?|!=|<=|>=|~=|<|>)\s*[\w.*+!-]+(?:\s*,)?)+"
REQUIREMENT = re.compile(rf"(?P<name>[A-Za-z][\w.-]*)(?P<extras>\[[\w,\s-]*\])?(?P<bound>{BOUND})")
UNBOUND = re.compile(
    r"(?P<name>[A-Za-z][\w.-]*)(?P<extras>\[[\w,\s-]*\])?(?P<bound>(?:\s*(?:>=|!=|>)\s*[\w.*]+(?:\s*,)?)*)"
)
PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Place:
    """A requirement with a bound. `step`: the one that installs it; `tool`: pip or uv; `whole`: its words in `path`."""

    job: Job = field(repr=False)
    step: int
    tool: str
    path: str
    whole: str
    name: str
    bound: str
    line: str

    @property
    def dist(self) -> str:
        return plain(self.name)

    def upper(self) -> tuple[str, tuple[int, ...]]:
        """The sign and the version that hold it down, "" where none does."""
        for sign, version in re.findall(r"(===?|<=|~=|<)\s*v?(\d[\d.]*)", self.bound):
            return sign.replace("===", "=="), tuple(int(part) for part in version.strip(".").split("."))
        return "", ()


def places(site: Site, pattern: re.Pattern[str] = REQUIREMENT) -> Iterator[Place]:
    """`pattern`: REQUIREMENT for those with a bound, UNBOUND for those that let every new release in."""
    for job in site.jobs:
        block = block_of(site.text(job.workflow), job)
        for number, script in certain(job):
            for found in INSTALL.finditer(script):
                tool = "uv" if found[0].startswith("uv") else "pip"
                for one in pattern.finditer(found["rest"]):
                    if not re.match(r"[\s\"']|\Z", found["rest"][one.end() :]):
                        continue
                    if len(re.findall(rf"(?<![\w-]){re.escape(one[0])}(?![\w=<>~.-])", block)) == 1 and re.search(
                        r"[\s\"']\Z", found["rest"][: one.start()] or " "
                    ):
                        yield Place(job, number, tool, job.workflow, one[0], one["name"], one["bound"], found[0])
                for path in (given.removeprefix("./") for given in LIST.findall(found["rest"])):
                    if path in site.tree:
                        yield from _listed(job, number, tool, path, site.text(path), pattern)
                if OWN.search(found["rest"]):
                    for path in PROJECTS:
                        yield from _project(
                            job, number, tool, path, site.text(path) if path in site.tree else "", pattern
                        )


def _listed(job: Job, number: int, tool: str, path: str, text: str, pattern: re.Pattern[str]) -> Iterator[Place]:
    for line in text.splitlines():
        found = pattern.match(line)
        if found and re.match(r"\s*(?:[;#]|\Z)", line[found.end() :]):
            yield Place(job, number, tool, path, found[0], found["name"], found["bound"], line)


def _project(job: Job, number: int, tool: str, path: str, text: str, pattern: re.Pattern[str]) -> Iterator[Place]:
    for block in re.findall(r"(?:^dependencies|install_requires)\s*=\s*\[\n(.*?)^\s*\]", text, re.M | re.S):
        for line in block.splitlines():
            found = re.match(rf"\s*[\"']({pattern.pattern})\s*[\"';]", line)
            if found:
                yield Place(job, number, tool, path, found[1], found["name"], found["bound"], line)


def spoilt(site: Site, place: Place, bound: str) -> dict[str, bytes]:
    """The file with another bound there; empty where the words stand there more than once."""
    text = site.text(place.path)
    new = place.whole[: len(place.whole) - len(place.bound)] + bound
    if place.path != place.job.workflow:
        line = place.line.replace(place.whole, new, 1)
        return {place.path: text.replace(place.line, line, 1).encode()} if text.count(place.line) == 1 else {}
    block = block_of(text, place.job)
    return {place.path: text.replace(block, block.replace(place.whole, new, 1), 1).encode()} if block else {}


def named_elsewhere(site: Site, place: Place) -> bool:
    """Whether another line that the job installs from names the same distribution: to bound it there is right too."""
    parts = [re.escape(part) for part in re.split(r"[-_.]+", place.name)]
    word = re.compile(rf"(?<![\w-]){'[-_.]'.join(parts)}(?![\w-])", re.I)
    commands = [part for _, script in place.job.runs() for part in INSTALL.findall(script)]
    scripts = " ".join(script for _, script in place.job.runs())
    paths = {given.removeprefix("./") for given in LIST.findall(scripts)}
    paths |= {*PROJECTS} if OWN.search(" ".join(commands)) else set()
    while more := {given for path in paths for given in _named_in(site, path)} - paths:
        paths |= more
    texts = [*commands, *(re.sub(r"#.*", "", site.text(path)) for path in paths if path in site.tree)]
    started = [one for one in site.tree.paths() if one.endswith(".sh") and one.rpartition("/")[2] in scripts]
    texts += [part for path in started for part in INSTALL.findall(site.text(path))]
    return sum(len(word.findall(text)) for text in texts) > 1


def _named_in(site: Site, path: str) -> Iterator[str]:
    """Lists that a list or a project reads, by their paths from its folder and from the root."""
    text = site.text(path) if path in site.tree else ""
    folder = path.rpartition("/")[0]
    for given in re.findall(r"[\w./-]+\.txt", text):
        for one in (given.removeprefix("./"), posixpath.normpath(posixpath.join(folder, given))):
            if one in site.tree:
                yield one


def installed(place: Place, version: str) -> tuple[str, ...]:
    """What the installer prints of it."""
    if place.tool == "uv":
        return ("Resolved 61 packages in 1.42s", "Installed 61 packages in 812ms", f" + {place.dist}=={version}")
    file = f"{place.dist.replace('-', '_')}-{version}-py3-none-any.whl"
    origin = f" (from -r {place.path})" if place.path.endswith(".txt") else ""
    return (
        f"Collecting {place.name}{origin}",
        f"  Downloading {file} (1.4 MB)",
        f"Installing collected packages: {place.dist}",
        f"Successfully installed {place.dist}-{version}",
    )
