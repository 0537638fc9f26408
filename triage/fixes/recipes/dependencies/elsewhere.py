"""Requirements that are not edited here, some of conda's and all of pipenv's: where a person has to look."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.dependencies.conda import PROGRAMS, by_conda, names_it
from triage.fixes.recipes.dependencies.installs import folder_of
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised
from triage.fixes.yaml.nodes import child, text_of

_SETUPS = ("conda-incubator/setup-miniconda@", "mamba-org/setup-micromamba@", "mamba-org/provision-with-micromamba@")
_NAMED = re.compile(r"\s*(?:- +)?[\"']?([A-Za-z0-9][\w.-]*)")


def named_elsewhere(here: Situation, name: str, spec: str) -> Words | None:
    """The first line of such a file, or the conda command, that names the distribution."""
    for one in by_conda(here.evaluation.invocations):
        for word in one.invocation.argv:
            if names_it(word.text or "", name):
                place = f"{one.call.path}:{one.call.line}"
                return Words(f"{place} installs `{word}` with {one.head[0]}: hold {name} there at `{spec}`")
    for path, reader in files_read(here):
        lines = here.tree.read(path).decode("utf-8", "replace").splitlines() if path in here.tree else []
        for number, line in enumerate(lines, 1):
            found = _NAMED.match(line)
            if found and normalised(found[1]) == normalised(name) and not line.rstrip().endswith(":"):
                return Words(
                    f"{path}:{number} says `{line.strip()}`, which {reader} reads: hold {name} there at `{spec}`"
                )
    return None


def files_read(here: Situation) -> Iterator[tuple[str, str]]:
    """The files, from the repository's root, and which program reads them."""
    for one in here.evaluation.invocations:
        yield from _of_command(one)
    for step in here.job.steps:
        if step.uses.startswith(_SETUPS):
            yield text_of(child(step.node, "with", "environment-file")).removeprefix("./") or "environment.yml", "conda"


def _of_command(one: Invocation) -> Iterator[tuple[str, str]]:
    words = [one.word(value) for value in one.program]
    program = posixpath.basename(words[0]) if words else ""
    if program == "pipenv" and words[1:2] in (["install"], ["sync"]):
        yield posixpath.normpath(posixpath.join(folder_of(one), "Pipfile")), "pipenv"
    if program in PROGRAMS:
        named = [after for before, after in pairwise(words) if before in ("-f", "--file")]
        named += [word.partition("=")[2] for word in words if word.startswith("--file=")]
        default = ["environment.yml"] if words[1:3] in (["env", "create"], ["env", "update"]) else []
        for path in named or default:
            yield posixpath.normpath(posixpath.join(folder_of(one), path)), "conda"
