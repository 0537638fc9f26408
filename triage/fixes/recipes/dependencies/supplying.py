"""A distribution that a reviewed signature names, where the repository does not: with what the job installs already."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence

from triage.fixes.document import eol_at
from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import compiled_with, in_file, naming, parsed
from triage.fixes.shell.edits import append_behind
from triage.fixes.whereabouts.typed import is_typed
from triage.model.patch import Edit, Expectation

# So many distributions make a command the list of what a job needs.
_LIST = 5
# Fewer lines may stand in the order of the alphabet by chance.
_ORDERED = 4
# A command with one of them asks another index, or puts what it names where the job's Python does not look.
APART = frozenset(
    [
        "--no-deps",
        "-i",
        "--index-url",
        "--default-index",
        "--no-index",
        "--require-hashes",
        "--target",
        "-t",
        "--prefix",
        "--root",
        "--dry-run",
    ]
)
_INDEXES = frozenset(("-i", "--index-url", "--default-index"))


def supplied(here: Situation, done: Sequence[Install], requirement: str) -> Outcome:
    """One more word of the last command that names distributions, else one more line of the last requirements file."""
    wanted = tuple(one.name for one in parsed(requirement, ""))
    taken = [one for one in done if any(named.name in wanted for named, _ in one.named)]
    if taken:
        return InPlace(f"{taken[0].call.path}:{taken[0].call.line} installs it already")
    every = [_in_tree(here, one, path) for one in done for path in one.files]
    if any(naming(in_file(here.tree, path), wanted) for path in every):
        return InPlace(f"{', '.join(every)} has it already")
    open_files = [path for path in every if path and not compiled_with(here.tree.read(path))]
    commands = joinable(done)
    if commands:
        return _in_command(here, _list_among(commands), requirement)
    if open_files:
        return in_requirements_file(here, open_files[-1], requirement)
    return Words(f"{here.job.id} names nothing that it installs: add `pip install {requirement}` to it", image=True)


def takes_more(one: Install) -> bool:
    """Whether one more line of its requirements file is found, and put where the job's Python looks."""
    flags = {*one.flags}
    wheels = any("/whl" in (value.text or "") for value in one.invocation.argv)
    return not (APART - {"--no-deps", *_INDEXES}) & flags and not (wheels and _INDEXES & flags)


def _list_among(commands: Sequence[Install]) -> Install:
    """The last one, unless a longer one is the job's list: then that names one or two for a reason of their own."""
    longest = max(commands, key=lambda one: len(one.named))
    return longest if len(longest.named) >= _LIST > len(commands[-1].named) else commands[-1]


def joinable(done: Sequence[Install]) -> list[Install]:
    """Commands that name distributions, so that another one may stand beside them."""
    commands = [one for one in done if one.call.insertable and one.named and not is_typed(one.call.path)]
    return [one for one in commands if not APART & {*one.flags}]


def _in_tree(here: Situation, one: Install, path: str) -> str:
    """A requirements file of the tree, also where the command runs in a checkout somewhere else; "" for none."""
    above = (one.invocation.directory or "").strip("/").split("/")
    below = [posixpath.normpath("/".join([*above[at:], path])) for at in range(1, len(above))]
    return next((place for place in [path, *below] if place in here.tree), "")


def _in_command(here: Situation, one: Install, requirement: str) -> Outcome:
    quoted = requirement if shlex.quote(requirement) == requirement else f'"{requirement}"'
    made = append_behind(here.tree, one.call, one.named[-1][1], quoted, why=f"the error asks for {requirement}")
    if isinstance(made, Refusal):
        return made
    edits, behind = made
    declared = declared_at(here, one.call.path, one.invocation.step)
    command = one.with_word(requirement, behind)
    promise = Expectation("command", command, here.target.job, here.target.workflow_path)
    alike = tuple(_alike(here, one)) if here.image else ()
    return Edited(edits, (declared,), (promise,), notes=alike, title=f"Install {requirement}")


def _alike(here: Situation, one: Install) -> Iterator[str]:
    """Other Dockerfiles, and templates that Dockerfiles are made from, which hold the same command."""
    command = here.tree.read(one.call.path)[one.call.start : one.call.end]
    for path in here.tree.paths():
        if (
            path != one.call.path
            and "dockerfile" in posixpath.basename(path).lower()
            and command in here.tree.read(path)
        ):
            yield f"{path} holds the same command and is left as it is"


def in_requirements_file(here: Situation, path: str, requirement: str) -> Outcome:
    """One more line of the file; words where a command writes the file, or where it lies outside of the tree."""
    data = here.tree.read(path)
    command = compiled_with(data)
    if command:
        return Words(f"{path} is made by `{command}`: add {requirement} to what that reads, and run it again")
    if b"--hash=" in data or b"\0" in data or data.rstrip().endswith(b"\\"):
        return Words(f"{path} is no plain list of names (hashes, say): add {requirement} to it as its other lines are")
    for wanted in parsed(requirement, path):
        for standing in naming(in_file(here.tree, path), (wanted.name,)):
            if wanted.pin in ("", standing.pin):  # another bound is one more line
                return InPlace(f"{standing.path}:{standing.line} names it, and {here.job.id} installs {path}")
    eol = eol_at(data, 0) if b"\n" in data else b"\n"
    at = _sorted_place(here, path, requirement)
    whole = data.endswith(b"\n") or not data or at < len(data)
    text = requirement.encode() + eol if whole else eol + requirement.encode()
    why = f"{path} is installed by {here.job.id}, and the error asks for {requirement}"
    promise = Expectation("line", requirement, here.target.job, path)
    radius = jobs_that_install(here, path)
    edit = Edit(path, at, at, text, why)
    return Edited((edit,), (path,), (promise,), title=f"Require {requirement}", blast_radius=radius)


def _sorted_place(here: Situation, path: str, requirement: str) -> int:
    """Where the line goes: among names in the order of the alphabet, where the file has nothing but such; else the
    end."""
    data = here.tree.read(path)
    lines = data.splitlines(keepends=True)
    names = [next((one.name for one in parsed(line.decode("utf-8", "replace"), path)), "") for line in lines]
    if len(names) < _ORDERED or "" in names or names != sorted(names):
        return len(data)
    wanted = next((one.name for one in parsed(requirement, path)), "")
    first = next((at for at, name in enumerate(names) if name > wanted), len(lines))
    return sum(map(len, lines[:first]))
