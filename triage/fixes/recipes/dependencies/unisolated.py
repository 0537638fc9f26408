"""A build that reads torch: with `--no-build-isolation`, where the command that failed finds torch installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.dependencies.declarations import run_time
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.isolation import UNISOLATED, brings_torch, needs_torch
from triage.fixes.recipes.exposed import install_lines
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument
from triage.model.patch import Expectation

_PROJECTS = ("pyproject.toml", "setup.py")
_TEXTS = (".md", ".rst", ".sh", ".bash", ".yml", ".yaml", "Makefile")
# `pip install -e . --no-build-isolation`, in either order.
_OWN = re.compile(rf"\binstall\b(?=[^\n]*{UNISOLATED})[^\n]*[ \"']\.(?:\[[\w, -]{{1,80}}\])?(?=[\s\"'`]|$)", re.M)


def of_project(here: Situation, done: Sequence[Install], folder: str, told: str, module: str) -> Outcome:
    """The project of the repository in `folder`, whose setup.py imports the module: that is what `told` says."""
    mine = [one for one in done if folder in one.projects]
    if any(UNISOLATED in one.flags for one in mine):
        return InPlace(f"{mine[0].call.path}:{mine[0].call.line} builds without isolation")
    there = any(named.name == module for one in done for named, _ in one.named)
    there = there or bool(mine and module == "torch" and _known_before(here, done, mine[-1]))
    others = _others(here, own=True) if mine and there else ""
    return _passed(here, mine[-1], f"{others} builds so; {told}") if others else Words(told)


def of_others(here: Situation, done: Sequence[Install], told: str) -> Outcome:
    """What is not of this repository: the one command of the failed step that builds something which needs torch."""
    own = {one.call.key for one in installs(here.concerned)}
    every = [one for one in done if one.call.key in own and (one.local or needs_torch(one))]
    builds = [one for one in every if needs_torch(one)] or every  # that fails without, whatever else is built
    failed = failing(here.facts, [one.invocation for one in builds])
    chosen = [one for one in builds if one.invocation in failed] or builds
    if chosen and all(UNISOLATED in one.flags for one in chosen):
        return InPlace(f"{chosen[0].call.path}:{chosen[0].call.line} builds without isolation")
    if len({one.call.key for one in chosen}) != 1:
        return Words(told)
    why = _known_before(here, done, chosen[0])
    return _passed(here, chosen[0], f"{why}; {told}") if why else Words(told)


def _known_before(here: Situation, done: Sequence[Install], one: Install) -> str:
    """What says that torch is there when the command runs; "" for nothing."""
    before = [each for each in done if each.invocation.step <= one.invocation.step and each.call.key != one.call.key]
    there = before[: _place(done, one)]
    bringing = next((each for each in there if brings_torch(here, each) or _brings_with_project(here, each)), None)
    if bringing is not None:
        return f"{bringing.call.path}:{bringing.call.line} installs torch before"
    if here.image or here.job.image is not None:
        return "the image holds torch" if needs_torch(one) or _others(here) else ""
    return ""


def _brings_with_project(here: Situation, one: Install) -> bool:
    """Whether it installs a project of the repository that asks for torch, also from an image's own checkout."""
    if "--no-deps" in one.flags:
        return False
    written = (str(word).partition("[")[0].rstrip("/").removeprefix("./") for word in one.invocation.argv)
    named = [folder for folder in written if any(f"{folder}/{name}" in here.tree for name in _PROJECTS)]
    folders = [*(place.folder for place in one.places), *named]
    return any(run_time(here.tree, folder, "torch") for folder in folders)


def _place(done: Sequence[Install], one: Install) -> int:
    return next((at for at, each in enumerate(done) if each.call.key == one.call.key), 0)


def _others(here: Situation, *, own: bool = False) -> str:
    """A workflow, another job of which builds without isolation, or another file that says to; "" for none.

    `own`: only what builds the repository itself so, where no job does."""
    found = next((job.path for job, words in install_lines(here) if UNISOLATED in words), "")
    return found or (next(_told(here), "") if own else "")


def _told(here: Situation) -> Iterator[str]:
    for path in here.tree.paths():
        if path == here.job.path or not (path.endswith(_TEXTS) or is_dockerfile(path)):
            continue
        data = here.tree.read(path)
        if UNISOLATED.encode() in data and _OWN.search(data.decode("utf-8", "replace")):
            yield path


def _passed(here: Situation, one: Install, why: str) -> Outcome:
    edits = append_argument(here.tree, one.call, UNISOLATED, why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, one.call.path, one.invocation.step)
    command = f"{one.invocation.command_line} {UNISOLATED}"
    promise = Expectation("command", command, here.target.job, here.target.workflow_path)
    return Edited(edits, (declared,), (promise,), (why,), title="Build without isolation, with the torch that is there")
