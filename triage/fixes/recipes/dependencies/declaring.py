"""A pin where the projects that the job installs, or the image that it builds, declare the distribution."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from triage.fixes.document import line_end, line_of, line_start, line_with
from triage.fixes.manifests.dockerfile import Default
from triage.fixes.recipes.builds.dockerfiles import dockerfiles, held_by_argument, in_dockerfile
from triage.fixes.recipes.dependencies.declarations import Declaration, declarations
from triage.fixes.recipes.dependencies.holding import bounded, keeps_out, standing_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.projects import Project, lock_command, projects
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, normalised
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import PipPin


def redeclared(recipe: PipPin, here: Situation, done: Sequence[Install], name: str, spec: str) -> Iterator[Outcome]:
    """One outcome a place that this job installs from; places that it does not install from are left, and said."""
    wanted = normalised(name)
    for project in projects(here, done):
        yield from _in_project(recipe, here, project, wanted, spec)
    for path in dockerfiles(here) if not here.image else [here.image]:
        yield from _in_image(recipe, here, path, wanted, spec)


def _in_image(recipe: PipPin, here: Situation, path: str, wanted: str, spec: str) -> Iterator[Outcome]:
    argument = held_by_argument(here.tree.read(path), wanted)
    if argument is not None:
        yield _argued(recipe, here, path, wanted, argument, spec)
        return
    if here.image:  # what its commands name was looked at command by command
        return
    for found in in_dockerfile(here.tree, path, wanted):
        if isinstance(found, Refusal):
            yield found
        else:
            yield _rewritten(recipe, here, found, spec, f"{here.job.id} builds {path}")


def _argued(recipe: PipPin, here: Situation, path: str, wanted: str, argument: Default, spec: str) -> Outcome:
    """The version stands in `ARG NAME=1.2`: only another version fits there."""
    line = line_of(here.tree.read(path), argument.start)
    named = Named(wanted, f"{wanted}=={argument.text}", f"=={argument.text}", path, line)
    standing = standing_of(recipe, here, named, spec)
    if standing is not None:
        return standing
    if not spec.startswith("==") or any("--build-arg" in str(one.command_line) for one in here.concerned):
        return Refusal(f"`ARG {argument.name}` holds the version, and `{spec}` is none that fits there", path, line)
    why = f"{here.job.id} builds {path}; {argument.name} is the version of {wanted}"
    edit = Edit(path, argument.start, argument.end, spec[2:].encode(), why)
    data = here.tree.read(path)
    start, end = line_start(data, argument.start), line_end(data, argument.end)
    promise = (data[start : argument.start] + spec[2:].encode() + data[argument.end : end]).decode("utf-8", "replace")
    return Edited((edit,), (path,), (Expectation("line", promise.strip(), here.target.job, path),))


def _in_project(recipe: PipPin, here: Situation, project: Project, wanted: str, spec: str) -> Iterator[Outcome]:
    found = declarations(here.tree, project.folder, wanted)
    unclear = [one for one in found if isinstance(one, Refusal)]
    places = [one for one in found if isinstance(one, Declaration)]
    used = [one for one in places if one.comes_with(project.chosen)]
    left = [f"{one.path}:{one.named.line} ({_extras(one)})" for one in places if one not in used]
    if places and not used:
        if keeps_out(recipe) and wanted in (here.facts.brought or ()):
            return  # it came with something else: what the job installs has to bound it
        yield Words(f"{here.job.id} does not install what names {wanted}: {', '.join(left)}")
        return
    yield from unclear
    for one in used:
        outcome = _rewritten(recipe, here, one, spec, f"{here.job.id} installs the project of {one.path}")
        if isinstance(outcome, Edited):
            outcome = locked_with(here, project, outcome.noting(*_said(left)))
        yield outcome


def _said(left: Sequence[str]) -> tuple[str, ...]:
    return (f"left as it is: {', '.join(left)}",) if left else ()


def _extras(found: Declaration) -> str:
    names = sorted(found.extras)
    return "an extra" if names == ["*"] else ", ".join(name.replace(":", " ") for name in names)


def locked_with(here: Situation, project: Project, made: Edited) -> Edited | Words:
    """A lock beside the declaration has to be renewed with it, which only a resolver can do.

    Where the job installs exactly what the lock holds, the edit alone does nothing, so that it is advice.
    """
    lock, command = lock_command(here.tree, project.folder)
    if not lock:
        return made
    if not project.locked:
        return made.noting(f"{lock} no longer fits: run `{command}` and commit it too")
    edit = made.edits[0]
    line = line_of(here.tree.read(edit.path), edit.start)
    place = f"make it `{edit.new.decode()}` in {edit.path}:{line}"
    text = f"{place}, run `{command}` and commit {lock} too: the job installs what it holds"
    return Words(text, made.notes, shown=made)


def _rewritten(recipe: PipPin, here: Situation, found: Declaration, spec: str, why: str) -> Outcome:
    standing = standing_of(recipe, here, found.named, spec)
    if standing is not None:
        return standing
    return rewritten(here, found, bounded(found.named.pin, spec), f"{why}; {found.named.written} is held at {spec}")


def rewritten(here: Situation, found: Declaration, pin: str, why: str) -> Edited:
    """The requirement with another pin, where it stands."""
    data = here.tree.read(found.path)
    text = f"{found.named.written}{pin}"
    if _is_shell(found.path) and data[found.start - 1 : found.start] not in (b'"', b"'") and shlex.quote(text) != text:
        text = f'"{text}"'
    return Edited(
        (Edit(found.path, found.start, found.end, text.encode(), why),),
        (declared_as(found, text),),
        (promised_of(here, data, found, text),),
        blast_radius=(f"everyone who installs from {found.path}",),
    )


def _is_shell(path: str) -> bool:
    return not path.endswith((".txt", ".toml", ".py", ".cfg", ".in"))


def declared_as(found: Declaration, text: str) -> str:
    """What the edit may change: the string at its place, in Python the string that it becomes."""
    if found.place:
        return f"{found.path}:{found.place}"
    return f"{found.path}:{text}" if found.path.endswith(".py") else found.path


def promised_of(here: Situation, data: bytes, found: Declaration, text: str) -> Expectation:
    """The value, or the line, that holds `text` in the requirement's place."""
    if found.place:
        whole = found.text.replace(found.named.spec, text, 1)
        return Expectation("value", f"{found.place}={whole}", here.target.job, found.path)
    line = line_with(data, found.start, found.end, text.encode())
    return Expectation("line", as_promised(line), here.target.job, found.path)
