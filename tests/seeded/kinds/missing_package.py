"""A distribution that the job no longer installs: taken out of a command, of a list, of a project's requirements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site
from triage.interfaces import Tree

# Distributions whose module is named otherwise; for all others both names are one, up to case and dashes.
_MODULES: Mapping[str, str] = {
    "pyyaml": "yaml",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
    "opencv-python": "cv2",
    "opencv-python-headless": "cv2",
    "beautifulsoup4": "bs4",
    "python-dotenv": "dotenv",
    "protobuf": "google.protobuf",
    "gitpython": "git",
    "pygithub": "github",
    "mpi4py": "mpi4py",
    "pyzmq": "zmq",
}
_INSTALL = re.compile(r"(?:pip3?|uv pip)\s+install\s+(?P<rest>[^\n&|;]*)")
_LIST = re.compile(r"(?:-r|--requirement)[ =]([\w./-]+\.txt)")
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_TESTS = re.compile(r"\b(?:pytest|python3? [\w/.-]+\.py|torchrun)\b")
_OWN = re.compile(r"(?:^|\s)(?:-e\s+)?[\"']?\.(?:\[([\w,-]+)\])?[\"']?(?:\s|$)")


def from_command(site: Site) -> Iterator[Seed]:
    """A bare name in a `pip install` of a step."""
    for job in site.jobs:
        text = site.text(job.workflow)
        for number, script in job.runs():
            for found in _INSTALL.finditer(script):
                words = found["rest"].split()
                for word in words:
                    name = re.split(r"[\[<>=!~]", word.strip("\"'"))[0]
                    if not _NAME.fullmatch(name) or words[0].startswith("-r") or len(words) < 2:
                        continue
                    line = next((one for one in text.split("\n") if found[0].strip() in one), "")
                    spoilt = re.sub(rf" {re.escape(word)}(?= |$)", "", line, count=1)
                    if line and spoilt != line and text.count(line) == 1:
                        yield from _seeds(site, job, number, name, job.workflow, text.replace(line, spoilt))


def from_list(site: Site) -> Iterator[Seed]:
    """A line of a requirements file that a step installs by `-r`."""
    for job in site.jobs:
        for number, script in job.runs():
            for path in _LIST.findall(script):
                if path.removeprefix("./") not in site.tree:
                    continue
                path = path.removeprefix("./")
                text = site.text(path)
                for line in text.splitlines():
                    name = re.split(r"[\[<>=!~; ]", line.strip())[0]
                    if _NAME.fullmatch(name):
                        yield from _seeds(site, job, number, name, path, text.replace(line + "\n", "", 1))


def from_project(site: Site) -> Iterator[Seed]:
    """A dependency of `pyproject.toml`, where a step installs the project."""
    if "pyproject.toml" not in site.tree:
        return
    text = site.text("pyproject.toml")
    block = re.search(r"^dependencies\s*=\s*\[\n(.*?)^\]", text, re.M | re.S)
    for line in block[1].splitlines() if block else ():
        name = re.match(r"\s*[\"']([A-Za-z][\w.-]*)", line)
        if not name:
            continue
        for job in site.jobs:
            for number, script in job.runs():
                if any(_OWN.search(found["rest"]) for found in _INSTALL.finditer(script)):
                    yield from _seeds(site, job, number, name[1], "pyproject.toml", text.replace(line + "\n", "", 1))
                    break
            else:
                continue
            break


def _seeds(site: Site, job: Job, installing: int, name: str, path: str, spoilt: str) -> Iterator[Seed]:
    """Where the tree imports the module, and nothing else that the job's workflow or the project's lists say brings it."""
    module = _MODULES.get(name.lower(), name.lower().replace("-", "_"))
    failing = next((n for n, script in job.runs() if n > installing and _TESTS.search(script)), None)
    if failing is None or _named_elsewhere(site, job, name, path, spoilt):
        return
    used = _importers(site.tree).get(module.split(".")[0])
    if not used:
        return
    file, at, line = used
    pytest = "pytest" in dict(job.runs())[failing]
    yield Seed(job, failing, {path: spoilt.encode()}, tuple(_printed(pytest, file, at, line, module)), name)


def _named_elsewhere(site: Site, job: Job, name: str, path: str, spoilt: str) -> bool:
    """In the job's steps, in the same file, or in a list of the project."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.I)
    lists = [
        one
        for one in site.tree.paths()
        if re.search(r"requirements[\w./-]*\.txt$|^(?:pyproject\.toml|setup\.(?:py|cfg))$", one)
    ]
    others = [site.text(one) for one in lists if one != path]
    steps = [script for _, script in job.runs()] if path != job.workflow else []
    return any(word.search(text) for text in (spoilt if path != job.workflow else "", *others, *steps))


@lru_cache(maxsize=4)
def _importers(tree: Tree) -> Mapping[str, tuple[str, int, str]]:
    """By module the first file of the tree that imports it at its top, tests first."""
    found: dict[str, tuple[str, int, str]] = {}
    paths = [one for one in tree.paths() if one.endswith(".py")]
    own = {one.split("/")[0].removesuffix(".py") for one in paths}
    for path in sorted(paths, key=lambda one: ("test" not in one, one))[:3000]:
        for at, line in enumerate(tree.read(path).decode("utf-8", "replace").splitlines()[:80], start=1):
            said = re.match(r"(?:import|from) (\w+)", line)
            if said and said[1] not in own:
                found.setdefault(said[1], (path, at, line))
    return found


def _printed(pytest: bool, file: str, at: int, line: str, module: str) -> Iterator[str]:
    error = f"ModuleNotFoundError: No module named '{module.split('.')[0]}'"
    if not pytest:
        yield "Traceback (most recent call last):"
        yield f'  File "/home/runner/work/repo/repo/{file}", line {at}, in <module>'
        yield f"    {line}"
        yield error
        return
    yield "============================= test session starts =============================="
    yield "platform linux -- Python 3.11.9, pytest-8.3.5, pluggy-1.5.0"
    yield "collected 37 items / 1 error"
    yield ""
    yield "==================================== ERRORS ===================================="
    yield f"_______________________ ERROR collecting {file} _______________________"
    yield f"ImportError while importing test module '/home/runner/work/repo/repo/{file}'."
    yield "Hint: make sure your test modules/packages have valid Python names."
    yield "Traceback:"
    yield f"{file}:{at}: in <module>"
    yield f"    {line}"
    yield f"E   {error}"
    yield "=========================== short test summary info ============================"
    yield f"ERROR {file}"
    yield "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!"
    yield "=============================== 1 error in 2.31s ==============================="
