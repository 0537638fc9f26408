"""A distribution that the job no longer installs: taken out of a command, of a list, of a project's requirements."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import yaml

from tests.seeded.kinds.lines import plain
from tests.seeded.kinds.reached import Chain, is_pytest, modules_of, printed
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_TABLE = Path(__file__).parents[3] / "signatures" / "tables" / "distributions.yaml"
INSTALL = re.compile(r"(?:pip3?|uv pip)\s+install\s+(?P<rest>[^\n&|;#]*)")
_LIST = re.compile(r"(?:-r|--requirement)[ =](?:\./)?([\w./-]+\.txt)")
NAME = re.compile(r"[A-Za-z][\w.-]*")
OWN = re.compile(r"(?:^|\s)(?:-e\s+|--editable[ =])?[\"']?\.(?:\[([\w,-]+)\])?[\"']?(?=\s|$)")
_OF_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|testing|dev|ci)(?:[/_.-]|$)", re.I)
_FOR_A_PURPOSE = re.compile(r"(?:^|[/_.-])(?:tests?|testing|dev|ci|docs?|lint|style|build)(?:[/_.-]|$)", re.I)


def from_command(site: Site) -> Iterator[Seed]:
    """A bare name in a `pip install` of a step, in a job that has no list of its own."""
    for job in site.jobs:
        if any(path in site.tree for _, path in lists_of(job)):
            continue
        text = site.text(job.workflow)
        for number, script in job.runs():
            for found in INSTALL.finditer(script):
                words = found["rest"].split()
                for word in words:
                    name = name_of(word.strip("\"'"))
                    if not NAME.fullmatch(name) or words[0].startswith("-r") or len(words) < 2:
                        continue
                    line = next((one for one in text.split("\n") if found[0].strip() in one), "")
                    spoilt = re.sub(rf" {re.escape(word)}(?= |$)", "", line, count=1)
                    if line and spoilt != line and text.count(line) == 1:
                        yield from seeds(site, job, number, name, job.workflow, text.replace(line, spoilt))


def from_list(site: Site) -> Iterator[Seed]:
    """A line of the one requirements file that the job installs for what imports it."""
    for job in site.jobs:
        for number, path in lists_of(job):
            text = site.text(path) if path in site.tree else ""
            others = [other for _, other in lists_of(job) if other != path]
            for line in text.splitlines():
                name = name_of(line)
                if NAME.fullmatch(name) and "@" not in line:
                    for seed in seeds(site, job, number, name, path, text.replace(line + "\n", "", 1)):
                        if is_place(path, others, seed):
                            yield seed


def lists_of(job: Job) -> list[tuple[int, str]]:
    """The steps' numbers and the lists that they install."""
    return [(at, path) for at, run in job.runs() for line in INSTALL.findall(run) for path in _LIST.findall(line)]


def is_place(path: str, others: list[str], seed: Seed) -> bool:
    """Whether convention leads to this list: the job's only one, or of several that for tests, or that for code."""
    if not others:
        return True
    tested = _is_test(seed.way[-1][0])
    ours = _OF_TESTS.search(path) if tested else not _FOR_A_PURPOSE.search(path)
    theirs = [one for one in others if (_OF_TESTS.search(one) if tested else not _FOR_A_PURPOSE.search(one))]
    return bool(ours) and not theirs


def from_project(site: Site) -> Iterator[Seed]:
    """A dependency of `pyproject.toml`, where a step installs the project."""
    if "pyproject.toml" not in site.tree:
        return
    text = site.text("pyproject.toml")
    block = re.search(r"^dependencies\s*=\s*\[\n(.*?)^\]", text, re.M | re.S)
    for line in block[1].splitlines() if block else ():
        name = re.match(r"\s*[\"']([A-Za-z][\w.-]*)", line)
        for job in site.jobs if name else ():
            number = installs_project(job)
            if name and number >= 0:
                changed = text.replace(line + "\n", "", 1)
                for seed in seeds(site, job, number, name[1], "pyproject.toml", changed, of_project=True):
                    if not _is_test(seed.way[-1][0]):
                        yield seed


def installs_project(job: Job) -> int:
    """The number of the step that installs the repository's own project; -1 for none."""
    steps = job.runs()
    return next((at for at, run in steps if any(OWN.search(one["rest"]) for one in INSTALL.finditer(run))), -1)


def name_of(line: str) -> str:
    return re.split(r"[\[<>=!~; @]", line.strip())[0]


def seeds(
    site: Site,
    job: Job,
    installing: int,
    name: str,
    path: str,
    spoilt: str,
    *,
    of_project: bool = False,
    in_extra: bool = False,
    without: str = "",
) -> Iterator[Seed]:
    """The first step that needs it, where nothing else brings it, and a table says what provides the module.

    What a package imports that the job installs is for its project to require: other places are skipped then.
    """
    if not in_extra and _named_elsewhere(site, job, name, path, spoilt, without):
        return
    for number, _ in job.runs():
        reached = modules_of(site.tree, job, number) if number > installing else {}
        module = next(
            (one for one in modules_by_distribution().get(plain(name), ()) if one.split(".")[0] in reached), ""
        )
        if not module:
            continue
        way = reached[module.split(".")[0]]
        if in_extra and not _is_test(way[-1][0]):
            return
        if of_project or _is_test(way[-1][0]) or installs_project(job) < 0:
            yield failing(job, number, {path: spoilt}, way, module.split(".")[0], name)
        return


def failing(job: Job, number: int, spoilt: Mapping[str, str], way: Chain, module: str, about: str) -> Seed:
    error = f"ModuleNotFoundError: No module named '{module}'"
    lines = printed(way, error, pytest=is_pytest(job.steps[number]["run"]))
    return Seed(job, number, {path: text.encode() for path, text in spoilt.items()}, tuple(lines), about, way=way)


def _is_test(path: str) -> bool:
    return re.search(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|conftest\.py$)", path) is not None


def _named_elsewhere(site: Site, job: Job, name: str, path: str, spoilt: str, without: str) -> bool:
    """In what the job brings: its steps, the files that they name, and its project where it installs that."""
    word = re.compile(rf"(?<![\w-]){re.sub('[-_]', '[-_]', name)}(?![\w-])", re.I)
    steps = [str(step) for step in job.steps] if path != job.workflow or without else []
    texts = [site.text(one) for one in brought_by(site, job) if one not in (path, without)]
    return any(word.search(text) for text in (*([spoilt] if path != job.workflow else ()), *steps, *texts))


def brought_by(site: Site, job: Job) -> set[str]:
    """The files of the tree that say what the job installs, also those that these name."""
    own = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt") if installs_project(job) >= 0 else ()
    found: set[str] = set()
    queue = [*(one for one in own if one in site.tree), *_paths_in(site, str([*job.steps]), "")]
    while queue:
        path = queue.pop()
        if path not in found:
            found.add(path)
            queue += _paths_in(site, site.text(path), posixpath.dirname(path))
    return found


def _paths_in(site: Site, text: str, folder: str) -> list[str]:
    words = {one.strip("./") for one in re.findall(r"[\w./-]+", text)}
    found = [posixpath.normpath(posixpath.join(at, one)) for one in words for at in {"", folder}]
    found += [f"{one}/{name}" for one in found for name in ("action.yml", "pyproject.toml", "setup.py", "setup.cfg")]
    kinds = (
        "/pyproject.toml",
        "/setup.py",
        "/setup.cfg",
        ".txt",
        ".in",
        ".sh",
        "action.yml",
        "action.yaml",
        "Makefile",
        "tox.ini",
        "noxfile.py",
        "environment.yml",
    )
    return [one for one in found if one.endswith(kinds) and one in site.tree]


@lru_cache(maxsize=1)
def modules_by_distribution() -> Mapping[str, tuple[str, ...]]:
    """By distribution the modules that the reviewed table gives it."""
    found: dict[str, tuple[str, ...]] = {}
    for module, names in yaml.safe_load(_TABLE.read_text(encoding="utf-8")).items():
        for name in names:
            found[plain(name)] = (*found.get(plain(name), ()), module)
    return found
