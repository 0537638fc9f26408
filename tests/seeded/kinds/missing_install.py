"""What a step no longer installs: a list, the project itself, an extra; and what a script no longer does that it calls."""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator

from tests.seeded.kinds.missing_package import (
    INSTALL,
    NAME,
    OWN,
    failing,
    installs_project,
    lists_of,
    name_of,
    seeds,
)
from tests.seeded.kinds.reached import is_pytest, started
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_SCRIPT = re.compile(r"^\s*(?:bash|sh|source|\.)?\s*(?:\./)?([\w./-]+\.sh)\b", re.M)


def list_not_installed(site: Site) -> Iterator[Seed]:
    """The whole line that installs a list by `-r`, where tests need two of its distributions that nothing else brings."""
    for job in site.jobs:
        for number, path in lists_of(job):
            line = _only_line(site, job, number, path) if path in site.tree else ""
            if not line or sum(other == path for _, other in lists_of(job)) != 1:
                continue
            spoilt = site.text(job.workflow).replace(line + "\n", "", 1)
            if job.steps[number]["run"].strip().count("\n") == 0:
                continue  # the step would be empty
            names = [one for text in site.text(path).splitlines() if NAME.fullmatch(one := name_of(text))]
            every = [
                seed for name in names for seed in seeds(site, job, number, name, job.workflow, spoilt, without=path)
            ]
            if len({one.about for one in every}) > 1:
                yield every[0]


def _only_line(site: Site, job: Job, number: int, path: str) -> str:
    """The line of the workflow that installs this list and nothing else; "" where there is none, or several."""
    text = site.text(job.workflow)
    alone = re.compile(rf"^\s+(?:python3? -m )?(?:pip3?|uv pip) install (?:-U |--upgrade |--system |-q )*-r (?:\./)?"
                       rf"{re.escape(path)}\s*$")  # fmt: skip
    found = [one for one in text.split("\n") if alone.match(one)]
    return found[0] if len(found) == 1 and found[0].strip() in job.steps[number]["run"] else ""


def project_not_installed(site: Site) -> Iterator[Seed]:
    """The line that installs the project, where tests import its package and are started so that they do not see it."""
    for job in site.jobs:
        at = installs_project(job)
        text = site.text(job.workflow)
        own = [
            one
            for one in text.split("\n")
            if re.match(r"^\s+(?:python3? -m )?(?:pip3?|uv pip) install (?:-e )?\.\s*$", one)
        ]
        if at < 0 or len(own) != 1 or own[0].strip() not in job.steps[at]["run"]:
            continue
        if "\n" not in job.steps[at]["run"].strip() or "PYTHONPATH" in text:
            continue
        for number, script in job.runs():
            if number > at and is_pytest(script) and "python -m pytest" not in script:
                yield from _own_module(site, job, number, text.replace(own[0] + "\n", "", 1))
                break


def _own_module(site: Site, job: Job, number: int, spoilt: str) -> Iterator[Seed]:
    packages = {path.split("/")[1]: "src" for path in site.tree.paths() if re.fullmatch(r"src/\w+/__init__\.py", path)}
    seen = any(one in site.tree for one in ("conftest.py", "tests/__init__.py", "pytest.ini"))
    if not packages or seen or ("pyproject.toml" in site.tree and "pythonpath" in site.text("pyproject.toml")):
        return
    for file in started(site.tree, job.steps[number]["run"], ""):
        for line_number, line in enumerate(site.text(file).splitlines(), start=1):
            said = re.match(r"(?:import|from) (\w+)", line)
            if said and said[1] in packages:
                yield failing(job, number, {job.workflow: spoilt}, ((file, line_number, line),), said[1], said[1])
                return


def extra_dropped(site: Site) -> Iterator[Seed]:
    """`.[test]` that became `.`, where a test needs something of the extra alone."""
    for job in site.jobs:
        text = site.text(job.workflow)
        for number, script in job.runs():
            for found in INSTALL.finditer(script):
                own = OWN.search(found["rest"])
                if not own or not own[1] or "," in own[1]:
                    continue
                line = next((one for one in text.split("\n") if found[0].strip() in one), "")
                if not line or text.count(line) != 1:
                    continue
                spoilt = text.replace(line, line.replace(f".[{own[1]}]", "."), 1)
                for name in _of_extra(site, own[1]):
                    yield from seeds(site, job, number, name, job.workflow, spoilt, in_extra=True)


def _of_extra(site: Site, extra: str) -> list[str]:
    """What only that extra of `pyproject.toml` names."""
    text = site.text("pyproject.toml") if "pyproject.toml" in site.tree else ""
    try:
        listed = tomllib.loads(text).get("project", {}).get("optional-dependencies", {}).get(extra, [])
    except tomllib.TOMLDecodeError:
        return []
    names = [name_of(one) for one in listed if isinstance(one, str)]
    return [one for one in names if NAME.fullmatch(one) and len(re.findall(rf"[\"']{re.escape(one)}\b", text)) == 1]


def from_script(site: Site) -> Iterator[Seed]:
    """A bare name in a `pip install` of a script that a step calls, or a line of the list which that installs."""
    for job in site.jobs:
        for number, run in job.runs():
            for path in _SCRIPT.findall(run):
                if path in site.tree:
                    yield from _in_script(site, job, number, path)


def _in_script(site: Site, job: Job, number: int, path: str) -> Iterator[Seed]:
    text = site.text(path)
    for line in text.split("\n"):
        found = INSTALL.search(line)
        if not found or line.lstrip().startswith("#") or text.count(line) != 1:
            continue
        for listed in re.findall(r"-r (?:\./)?([\w./-]+\.txt)", found["rest"]):
            place = next(
                (one for one in (listed, posixpath.join(posixpath.dirname(path), listed)) if one in site.tree), ""
            )
            for one in site.text(place).splitlines() if place else ():
                if NAME.fullmatch(name_of(one)) and "@" not in one:
                    yield from seeds(
                        site, job, number, name_of(one), place, site.text(place).replace(one + "\n", "", 1)
                    )
        words = found["rest"].split()
        for word in words if "-r" not in words and len(words) > 1 else ():
            name = name_of(word.strip("\"'"))
            spoilt = re.sub(rf" {re.escape(word)}(?= |$)", "", line, count=1)
            if NAME.fullmatch(name) and spoilt != line:
                yield from seeds(site, job, number, name, path, text.replace(line, spoilt))
