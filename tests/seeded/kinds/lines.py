"""One line of a job changed where it stands: what the kinds that spoil a workflow's own commands share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tests.seeded.site import Job, Site

_HOSTED = re.compile(r"^ubuntu-[\w.-]+$")


def block_of(text: str, job: Job) -> str:
    """The lines of the job in its workflow, "" where they cannot be told by their indentation."""
    found = re.search(rf"^  {re.escape(job.id)}:[ \t]*\n(?:(?:    .*|[ \t]*|[ \t]*#.*)(?:\n|\Z))+", text, re.M)
    return found[0] if found else ""


def in_job(site: Site, job: Job, old: str, new: str) -> Mapping[str, bytes]:
    """The workflow with `old` replaced by `new` in this job; empty where the job does not hold `old` exactly once."""
    text = site.text(job.workflow)
    block = block_of(text, job)
    if not block or block.count(old) != 1 or old == new:
        return {}
    return {job.workflow: text.replace(block, block.replace(old, new), 1).encode()}


def hosted(job: Job) -> bool:
    """On a Linux machine of GitHub's, and not in a container."""
    return bool(_HOSTED.match(job.filled(str(job.body.get("runs-on"))))) and not job.body.get("container")


def home(site: Site) -> str:
    name = site.repo.rpartition("/")[2]
    return f"/home/runner/work/{name}/{name}"


def certain(job: Job) -> Iterator[tuple[int, str]]:
    """The scripts that run in every cell of the matrix, by their step's number."""
    for number, script in job.runs():
        if not job.steps[number].get("if"):
            yield number, script


def plain(name: str) -> str:
    """The name of a distribution, as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def brought(site: Site, job: Job, package: str) -> bool:
    """Whether a script of the tree that the job starts names the package as well."""
    started = {found for _, script in job.runs() for found in re.findall(r"[\w./-]+\.sh\b", script)}
    paths = [one for one in site.tree.paths() if any(one.endswith(name.removeprefix("./")) for name in started)]
    return any(re.search(rf"install.*\b{re.escape(package)}\b", site.text(one)) for one in paths)
