"""A bound on a distribution that nothing names, in the list from which the job installs what brings it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import yaml

from triage.fixes.evaluate.values import SiteKind
from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.dependencies.declarations import read_files
from triage.fixes.recipes.dependencies.environments import environment_lists
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.supplying import in_requirements_file
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, compiled_with, in_file, normalised
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.encode import quoted
from triage.fixes.yaml.nodes import YamlDocument
from triage.model.patch import Expectation

# What builds or runs other packages is a matter of the job, and no requirement of the repository.
TOOLS = frozenset(("pip", "setuptools", "wheel", "packaging", "build", "twine", "uv", "cmake", "ninja", "pytest"))

_CONSTRAINT = re.compile(r"\s*(?:-c|--constraint)[\s=]+(\S+)")


def bounded_in_list(here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """One more line of the last requirements file that people write, or of an environment file of conda.

    None where the job installs from none, where a matrix chooses what it installs (a line of the file would bind every
    cell of it and every other job), and for build tools.
    """
    if "+" in here.facts.installed.get(normalised(name), ""):
        return Words(f"the log lists a build of {name} that a plain index does not have: hold it where it comes from")
    if here.image or normalised(name) in TOOLS or any(_from_matrix(one) for one in done):
        return None
    requirement = f"{name}{spec}"
    path = next(reversed([*_files(here, done)]), "")
    if path:
        held = next((one for one in _constrained(here, path) if one.name == normalised(name)), None)
        if held is not None:
            return Refusal(f"{path} takes {held.spec} as a constraint", held.path, held.line)
        made = in_requirements_file(here, path, requirement)
    else:
        listed = [*environment_lists(here)]
        if not listed or "+" in spec:
            return None
        made = _in_environment(here, *listed[-1], requirement)
    return replace(made, title=f"Hold {name} at `{spec}`") if isinstance(made, Edited) else made


def _from_matrix(one: Install) -> bool:
    return any(site.kind is SiteKind.MATRIX for _, value in one.named for site in value.sites)


def _files(here: Situation, done: Sequence[Install]) -> Iterator[str]:
    """Those of the job's commands and those that the projects read which it installs, in order."""
    for project in projects(here, done):
        yield from (path for extras, path in read_files(here.tree, project.folder) if extras & {*project.chosen, ""})
    for path in dict.fromkeys(path for one in done for path in one.files):
        data = here.tree.read(path) if path in here.tree else b"--hash"
        if not compiled_with(data) and b"--hash" not in data:  # beside hashes, what has none is refused
            yield path


def _constrained(here: Situation, path: str) -> Iterator[Named]:
    """What the file takes as constraints by `-c` lines of its own."""
    for line in here.tree.read(path).decode("utf-8", "replace").splitlines():
        found = _CONSTRAINT.match(line)
        if found:
            yield from in_file(here.tree, posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1])))


def _in_environment(here: Situation, document: YamlDocument, listed: yaml.SequenceNode, requirement: str) -> Outcome:
    written = quoted(requirement)
    if isinstance(written, Refusal):
        return written
    if listed.flow_style or id(listed) in document.aliased or not listed.value:
        return Refusal("the list of the environment is not written in lines", document.path, document.line(listed))
    why = f"{document.path} is installed by {here.job.id}"
    edits = insert_after(document, listed.value[-1], [f"- {written}"], listed.start_mark.column, why=why)
    promise = Expectation("line", f"- {written}", here.target.job, document.path)
    return Edited(edits, (document.path,), (promise,), blast_radius=jobs_that_install(here, document.path))
