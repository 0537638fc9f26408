"""The release at which other jobs of the repository already hold a distribution."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.exposed import install_lines
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import in_file, in_pyproject, naming, normalised, parsed, requirement_files
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import child, text_of

_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_EXACT = re.compile(r"==[\w.+-]+")
_LOWER = re.compile(r">=[\w.]+")
_MOST_PROJECTS = 200


@dataclass(frozen=True, slots=True)
class SiblingPin:
    """`pin` is `==V`; `word` is how it is written, which may read `variable` of the workflow's `env`."""

    pin: str
    word: str
    variable: str = ""


def pin_of_siblings(here: Situation, name: str, spec: str, floors: Collection[str] = ()) -> SiblingPin | None:
    """Where most pins of jobs on the same hardware agree, and `spec` allows the release, as most of them write it.

    A job that pins the least release that the project asks for, one of `floors`, is there to test that one.
    """
    platform = job_platform(here.job)
    pins = [pin for job, pin in _pins(here, normalised(name)) if job_platform(job) == platform]
    found = [one for one in pins if one.pin.replace("==", ">=") not in floors]
    votes = Counter(one.pin for one in found)
    pin, count = votes.most_common(1)[0] if votes else ("", 0)
    if 2 * count <= votes.total() or not satisfied(spec, pin.removeprefix("==")):
        return None
    return Counter(one for one in found if one.pin == pin).most_common(1)[0][0]


def holds_between(here: Situation, name: str, below: str, spec: str) -> bool:
    """Whether a list or another job of the repository holds a release that the bound `below` lets in, and `spec`, a
    lower one, keeps out: then that release does what is asked of it somewhere."""
    wanted = normalised(name)
    listed = naming((one for path in requirement_files(here.tree) for one in in_file(here.tree, path)), (wanted,))
    pins = {one.pin.replace(" ", "") for one in listed} | {pin.pin for _, pin in _pins(here, wanted)}
    releases = [pin.removeprefix("==") for pin in pins if _EXACT.fullmatch(pin)]
    return any(satisfied(below, one) and not satisfied(spec, one) for one in releases)


def held_in_tree(here: Situation, name: str, spec: str) -> str:
    """`==V` where the lists and projects of the repository that hold a release within `spec`, a lower bound that the
    log asks for, agree on it; "" otherwise."""
    if not _LOWER.fullmatch(spec):
        return ""
    projects = [path for path in here.tree.paths() if posixpath.basename(path) == "pyproject.toml"][:_MOST_PROJECTS]
    listed = [one for path in requirement_files(here.tree) for one in in_file(here.tree, path)]
    every = naming((*listed, *(one for path in projects for one in in_pyproject(here.tree, path))), (normalised(name),))
    pins = {one.pin.partition(";")[0].replace(" ", "") for one in every}
    fitting = {pin for pin in pins if _EXACT.fullmatch(pin) and satisfied(spec, pin.removeprefix("=="))}
    return fitting.pop() if len(fitting) == 1 else ""


def _pins(here: Situation, wanted: str) -> Iterator[tuple[Job, SiblingPin]]:
    for job, words in install_lines(here):
        for word in words:
            for named in parsed(_resolved(job, word), job.path):
                pin = named.pin.replace(" ", "")
                if named.name == wanted and _EXACT.fullmatch(pin):
                    yield job, SiblingPin(pin, word, _shared(job, word))


def _shared(job: Job, word: str) -> str:
    """The one variable of the word, where the `env` of the whole workflow gives it: a release that jobs share."""
    names = _VARIABLE.findall(word)
    shared = len(names) == 1 and bool(text_of(child(job.workflow.node, "env", names[0])))
    return names[0] if shared else ""


def _resolved(job: Job, word: str) -> str:
    """With the variables that the job's or the workflow's `env` gives as plain text."""
    layers = (child(job.node, "env"), child(job.workflow.node, "env"))

    def value(found: re.Match[str]) -> str:
        return next((text for layer in layers if (text := text_of(child(layer, found[1])))), found[0])

    return _VARIABLE.sub(value, word)
