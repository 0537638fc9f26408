"""Where uv installs into: the option, or the environment, that a job no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.kinds.lines import certain, in_job
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_NONE = (
    "error: No virtual environment found; run `uv venv` to create an environment, or pass `--system` to install into a "
    "non-virtual environment"
)
_ENTERED = re.compile(r"uv venv|VIRTUAL_ENV|UV_SYSTEM_PYTHON|activate|conda")


def system_out(site: Site) -> Iterator[Seed]:
    """`--system` taken out of an install, in a job that has no environment."""
    for job in site.jobs:
        if _ENTERED.search(str(job.steps) + str(job.env)):
            continue
        for number, script in certain(job):
            for found in re.finditer(
                r"uv pip install[^\n&|;]* --system[^\n&|;]*|uv pip install --system[^\n&|;]*", script
            ):
                spoilt = in_job(site, job, found[0], found[0].replace(" --system", "", 1))
                if spoilt:
                    yield Seed(job, number, spoilt, (_NONE,), found[0], code=2, accepts="--system|UV_SYSTEM_PYTHON")


def venv_out(site: Site) -> Iterator[Seed]:
    """The line that makes the environment, where the script goes on to install into it, and another job makes its own
    as well."""
    making = [
        job for job in site.jobs if re.search(r"^\s*uv venv\s*$", str("\n".join(run for _, run in job.runs())), re.M)
    ]
    for job in making if len(making) > 1 else ():
        for number, script in certain(job):
            lines = script.split("\n")
            if [line.strip() for line in lines].count("uv venv") != 1:
                continue
            rest = "\n".join(lines[[line.strip() for line in lines].index("uv venv") + 1 :])
            spoilt = _without(site, job)
            if spoilt and re.match(r"\s*(?:#[^\n]*\n\s*)*uv pip install", rest):
                yield Seed(
                    job, number, spoilt, (_NONE,), "uv venv", code=2, accepts="uv venv|--system|UV_SYSTEM_PYTHON"
                )
            elif spoilt and (found := re.match(r"\s*(?:source|\.) \.venv/bin/activate", rest)):
                shell = "/home/runner/work/_temp/0b2f4a5e-7c1d-4f3a-9a63-2d1f6f0c9e77.sh"
                said = f"{shell}: line {lines.index(next(one for one in lines if one.strip() == 'uv venv')) + 1}: .venv/bin/activate: No such file or directory"
                yield Seed(job, number, spoilt, (said,), found[0].strip(), accepts="uv venv")


def _without(site: Site, job: Job) -> dict[str, bytes]:
    spoilt = in_job(site, job, "uv venv\n", ":\n")
    return {path: re.sub(rb"\n *:(?=\n)", b"", text, count=1) for path, text in spoilt.items()}
