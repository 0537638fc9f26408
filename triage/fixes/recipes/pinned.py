"""The release at which other jobs of the repository already hold a distribution."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from triage.fixes.recipes.exposed import install_lines
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.versions import satisfied
from triage.fixes.requirements import normalised, parsed
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import child, text_of

_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_EXACT = re.compile(r"==[\w.+-]+")


def pin_of_siblings(here: Situation, name: str, spec: str) -> str:
    """`==V`, where most pins of jobs on the same hardware agree and `spec` allows V; "" otherwise."""
    platform = job_platform(here.job)
    votes = Counter(pin for job, pin in _pins(here, normalised(name)) if job_platform(job) == platform)
    if not votes:
        return ""
    pin, count = votes.most_common(1)[0]
    return pin if 2 * count > votes.total() and satisfied(spec, pin.removeprefix("==")) else ""


def _pins(here: Situation, wanted: str) -> Iterator[tuple[Job, str]]:
    for job, words in install_lines(here):
        for word in words:
            for named in parsed(_resolved(job, word), job.path):
                pin = named.pin.replace(" ", "")
                if named.name == wanted and _EXACT.fullmatch(pin):
                    yield job, pin


def _resolved(job: Job, word: str) -> str:
    """With the variables that the job's or the workflow's `env` gives as plain text."""
    layers = (child(job.node, "env"), child(job.workflow.node, "env"))

    def value(found: re.Match[str]) -> str:
        return next((text for layer in layers if (text := text_of(child(layer, found[1])))), found[0])

    return _VARIABLE.sub(value, word)
