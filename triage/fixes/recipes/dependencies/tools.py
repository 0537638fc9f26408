"""`hold_tool`: a linter that the failed step takes in its newest release, at the release that the repository holds."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.lint_releases import Held, held_release
from triage.fixes.recipes.dependencies.listed_pins import in_requirement_files
from triage.fixes.recipes.dependencies.moving import floats, named_by_job
from triage.fixes.recipes.dependencies.pins import in_commands
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.model.patch import Edit, Expectation
from triage.model.recipe import HoldTool, PipPin

TOOLS = ("ruff", "black", "isort", "flake8", "mypy", "pyright", "pylint", "yapf", "codespell", "clang-format",
         "autoflake", "pyupgrade", "pydocstyle", "docformatter", "typos")  # fmt: skip
# Runners that fetch a program, and what stands between its name and its release there.
_RUNNERS = {("uvx",): "@", ("uv", "tool", "run"): "@", ("pipx", "run"): "=="}
_TAKES = ("--with", "--python", "-p", "--index", "--index-url", "--default-index", "--with-requirements", "--pip-args")
_FROM = ("--from", "--spec")


def hold_tool(_recipe: HoldTool, here: Situation) -> Outcome:
    outcomes = [outcome for name in _names(here) for outcome in _held(here, name)]
    if not outcomes:
        return Refusal(f"{here.job.id} runs no linter in its newest release", here.job.path, here.job.line)
    whole = together(outcomes)
    if not isinstance(whole, Edited):
        return whole
    return whole.noting("where the change itself breaks a rule, it has to be corrected: the held release says so too")


def _names(here: Situation) -> tuple[str, ...]:
    """Linters that the failed step starts."""
    named = (name for one in here.concerned for name in [_started(one)] if name)
    return tuple(dict.fromkeys(named))


def _started(one: Invocation) -> str:
    fetched = _fetched(one)
    first = posixpath.basename(one.program[0].text or "") if one.program else ""
    name = _name(fetched[0].text or "") if fetched is not None else one.module or first
    return normalised(name) if normalised(name) in TOOLS else ""


def _fetched(one: Invocation) -> tuple[Value, str] | None:
    """The word that names what `uvx` or its like fetches, and the sign before a release."""
    words = [value.text or "" for value in one.argv]
    for runner, sign in _RUNNERS.items():
        if (posixpath.basename(words[0]), *words[1 : len(runner)]) == runner:
            before = ""
            for value in one.argv[len(runner) :]:
                word = value.text or ""
                if before in _FROM or (not word.startswith("-") and before not in _TAKES):
                    return (value, "==" if before in _FROM else sign)
                before = word
    return None


def _name(word: str) -> str:
    return word.partition("@")[0].partition("=")[0].partition("[")[0]


def _held(here: Situation, name: str) -> Iterator[Outcome]:
    held = held_release(here.tree, name)
    listed = here.facts.installed.get(name, "")
    if held is None:
        yield from _floating(here, name)
    elif listed == held.release:
        yield InPlace(f"the job ran {name} {listed}, which {held.path} holds")
    else:
        yield from _sites(here, name, held)


def _floating(here: Situation, name: str) -> Iterator[Words]:
    for one in here.concerned:
        if _started(one) == name and _fetched(one) is not None:
            call = one.calls[-1]
            yield Words(
                f"{call.path}:{call.line} runs the newest {name}: hold the release that the code was checked with"
            )


def _sites(here: Situation, name: str, held: Held) -> Iterator[Outcome]:
    where = f"{held.path}:{held.line}" if held.line else held.path
    title = f"Run {name} at {held.release}, as {where} holds it"
    for one in here.concerned:
        found = _fetched(one) if _started(one) == name else None
        if found is not None:
            yield _respelled(here, one, *found, name, held, title)
    pin = PipPin(name, f"=={held.release}")
    done = installs(here.evaluation.invocations)
    named = named_by_job(here, done, name)
    if named and not floats(here, done, name):
        yield InPlace(f"{named[0].path}:{named[0].line} says {named[0].spec}")
    if not floats(here, done, name):
        return
    written = [*in_commands(pin, here, done, name, pin.spec), *in_requirement_files(pin, here, done, name, pin.spec)]
    for outcome in written:
        yield _titled(outcome, title)


def _titled(outcome: Outcome, title: str) -> Outcome:
    if not isinstance(outcome, Edited):
        return outcome
    return Edited(outcome.edits, outcome.declared, outcome.expectations, blast_radius=outcome.blast_radius, title=title)


def _respelled(here: Situation, one: Invocation, value: Value, sign: str, name: str, held: Held, title: str) -> Outcome:
    call, text, sites = one.calls[-1], value.text or "", value.sites
    release = text.partition("@")[2] or text.partition("==")[2]
    if release and release != "latest":
        return InPlace(f"{call.path}:{call.line} runs {text}")
    bare = text.removesuffix("@latest")
    new = f"{bare}{sign}{held.release}"
    written = len(sites) == 1 and sites[0].kind is SiteKind.LITERAL and sites[0].path in here.tree
    if not written or here.tree.read(sites[0].path)[sites[0].start : sites[0].end] != text.encode():
        return Refusal(f"`{text}` is put together where it cannot be replaced", call.path, call.line)
    words = [new if word is value else str(word) for word in one.argv]
    promise = Expectation("command", " ".join(words), here.target.job, here.target.workflow_path, step=one.step)
    why = f"{held.path} holds {name} at {held.release}, and the newest release may know more rules"
    edit = Edit(sites[0].path, sites[0].start, sites[0].end, new.encode(), why)
    return Edited((edit,), (declared_at(here, sites[0].path, one.step),), (promise,), title=title)
