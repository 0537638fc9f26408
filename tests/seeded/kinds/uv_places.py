"""Where uv installs into: the option, or the environment, that a job no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.kinds.lines import certain, in_job
from tests.seeded.seed import Seed
from tests.seeded.site import SHELL, Job, Site

NO_ENVIRONMENT = (
    "error: No virtual environment found; run `uv venv` to create an environment, or pass `--system` to install into a "
    "non-virtual environment"
)
_MADE = re.compile(r"^[ \t]*uv venv[ \t]*$", re.M)
_ENTERED = re.compile(r"uv venv|VIRTUAL_ENV|UV_SYSTEM_PYTHON|activate|conda")


def system_out(site: Site) -> Iterator[Seed]:
    """`--system` taken out of an install, in a job that has no environment."""
    for job in site.jobs:
        if _ENTERED.search(str(job.steps) + str(job.env)):
            continue
        for number, script in certain(job):
            for found in re.finditer(r"uv pip install[^\n&|;]* --system[^\n&|;]*", script):
                spoilt = in_job(site, job, found[0], found[0].replace(" --system", "", 1))
                if spoilt:
                    yield Seed(
                        job, number, spoilt, (NO_ENVIRONMENT,), found[0], code=2, accepts="--system|UV_SYSTEM_PYTHON"
                    )


def venv_out(site: Site) -> Iterator[Seed]:
    """The line that makes the environment, where the script goes on to install into it, and another job makes its own
    as well."""
    making = [job for job in site.jobs if any(_MADE.search(run) for _, run in job.runs())]
    for job in making if len(making) > 1 else ():
        for number, script in certain(job):
            found = [*_MADE.finditer(script)]
            spoilt = _without(site, job) if len(found) == 1 else {}
            if not spoilt:
                continue
            rest = script[found[0].end() :]
            if re.match(r"\s*(?:#[^\n]*\n\s*)*uv pip install", rest):
                accepts = "uv venv|--system|UV_SYSTEM_PYTHON"
                yield Seed(job, number, spoilt, (NO_ENVIRONMENT,), "uv venv", code=2, accepts=accepts)
            elif entered := re.match(r"\s*(?:source|\.) \.venv/bin/activate", rest):
                line = script[: found[0].end()].count("\n") + 1
                said = f"{SHELL}: line {line}: .venv/bin/activate: No such file or directory"
                yield Seed(job, number, spoilt, (said,), entered[0].strip(), accepts="uv venv")


def _without(site: Site, job: Job) -> dict[str, bytes]:
    spoilt = in_job(site, job, "uv venv\n", ":\n")
    return {path: re.sub(rb"\n *:(?=\n)", b"", text, count=1) for path, text in spoilt.items()}
