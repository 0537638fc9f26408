"""A requirements file by a name that it does not have, in a step's command."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from tests.seeded.kinds.lines import certain, in_job
from tests.seeded.kinds.places import INSTALL, LIST
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site
from tests.seeded.text import misspelt


def misnamed(site: Site) -> Iterator[Seed]:
    """The name of the file in `pip install -r`."""
    for job, number, tool, command, path in _installs(site):
        wrong = _wrong(path)
        if posixpath.normpath(wrong) not in site.tree:
            spoilt = in_job(site, job, command, command.replace(path, wrong, 1))
            if spoilt:
                yield Seed(job, number, spoilt, _said(tool, wrong), wrong, code=2 if tool == "uv" else 1)


def _installs(site: Site) -> Iterator[tuple[Job, int, str, str, str]]:
    """Commands of steps in the root that install a list of the tree: with the tool and the path as it is written."""
    for job in site.jobs:
        checked_out = any("actions/checkout" in str(step.get("uses", "")) for step in job.steps)
        for number, script in certain(job) if checked_out else ():
            if re.search(r"(?m)\bcd |pushd", script) or "working-directory" in str(job.body):
                continue
            for found in INSTALL.finditer(script):
                for path in LIST.findall(found["rest"]):
                    if posixpath.normpath(path) in site.tree and "\n" not in found[0]:
                        yield job, number, "uv" if found[0].startswith("uv") else "pip", found[0], path


def _wrong(path: str) -> str:
    stem, dot, ending = posixpath.basename(path).rpartition(".")
    return posixpath.join(posixpath.dirname(path), f"{misspelt(stem)}{dot}{ending}")


def _said(tool: str, path: str) -> tuple[str, ...]:
    if tool == "uv":
        return (f"error: File not found: `{path}`",)
    return (f"ERROR: Could not open requirements file: [Errno 2] No such file or directory: '{path}'",)
