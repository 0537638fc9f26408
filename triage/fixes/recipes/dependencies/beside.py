"""An install command of a job's own, beside those that it has."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from triage.fixes.recipes.dependencies.installs import Install, folder_of
from triage.fixes.recipes.dependencies.versions import changes
from triage.fixes.recipes.exposed import exposed_to_missing
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import in_file
from triage.fixes.shell.edits import insert_line
from triage.model.patch import Expectation

# Where a command installs to; without them the one beside it would install elsewhere, or be refused.
_CARRIED = ("--system", "--break-system-packages", "--user")


@dataclass(frozen=True, slots=True)
class Source:
    """What follows `install`, and where the repository says so. `file` is the requirements file that is installed."""

    arguments: str
    why: str
    file: str = ""


def beside(here: Situation, anchor: Install, source: Source) -> Outcome:
    kept = "".join(f"{flag} " for flag in _CARRIED if flag in anchor.flags)
    line = f"{' '.join(anchor.head)} install {kept}{source.arguments}"
    edits = insert_line(here.tree, anchor.call, line, why=source.why)
    if isinstance(edits, Refusal):
        return edits
    promised = " ".join(shlex.split(line))
    return Edited(
        edits=edits,
        declared=(declared_for(here, anchor),),
        expectations=(Expectation("command", promised, here.target.job, here.target.workflow_path),),
        notes=(changes(in_file(here.tree, source.file), here.facts.installed),) if source.file else (source.why,),
        siblings=exposed_to_missing(here, anchor, source.file) if source.file else (),
        title="" if source.file else f"Install {source.arguments}",
        because="" if source.file else f"{source.why}; {effect_of(source.arguments)}",
    )


def effect_of(arguments: str) -> str:
    """What else an install moves: without `--no-deps`, whatever the distribution requires."""
    words = shlex.split(arguments)
    if "--no-deps" in words:
        return "everything else that the image holds stays as it is"
    bounded = any(sign in word for word in words for sign in "=<>@")
    unpinned = "" if bounded else "; unpinned, as nothing names a release"
    return f"pip may move other packages to what it requires{unpinned}"


def declared_for(here: Situation, install: Install) -> str:
    """The run block of the workflow that holds the install, or the whole script that it stands in."""
    return declared_at(here, install.call.path, install.invocation.step)


def anchor_of(done: Sequence[Install]) -> Install | None:
    """The last `-r` line, else the last install line, of those whose text stands in a file."""
    there = [one for one in done if one.call.insertable]
    candidates = [one for one in there if one.files] or there
    return candidates[-1] if candidates else None


def files_of(done: Sequence[Install]) -> set[str]:
    return {path for one in done for path in one.files}


def quoted(spec: str) -> str:
    return f'"{spec}"' if shlex.quote(spec) != spec else spec


def started_from(anchor: Install | None, path: str) -> str:
    """The file as it is called where the anchor runs."""
    return posixpath.relpath(path, folder_of(anchor.invocation)) if anchor is not None else path
