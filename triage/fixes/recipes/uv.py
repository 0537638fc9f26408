"""The uv dialect: `uv run --frozen` resolves nothing, so an install step cannot add what the lock holds."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named
from triage.model.patch import Edit, Expectation

_WRITTEN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN})


def uses_uv_run(here: Situation) -> bool:
    return any(_uv_run_at(one) >= 0 for one in here.concerned)


def _uv_run_at(invocation: Invocation) -> int:
    """Where `run` stands in `uv ... run`, -1 for other commands."""
    words = [value.text or "" for value in invocation.argv[: invocation.inner]]
    if "uv" not in words:
        return -1
    at = words.index("uv")
    return words.index("run", at) if "run" in words[at:] else -1


def with_uv(here: Situation, title: str, named: Sequence[Named], version: str, form: str) -> Outcome:
    """`--with NAME==V` on the failing commands; where only the lock can change, the command that changes it."""
    spec = _spec(named, version)
    extras = sorted({one.extra for one in named if one.extra})
    if form == "extra" and extras:
        return Words(_extra_words(extras, title))
    if not version and any(one.path.endswith("pyproject.toml") for one in named):
        return Words(
            f"pyproject.toml names {named[0].written} but uv.lock does not hold it: run `uv lock` and commit uv.lock "
            "(with --frozen no install step can add it)"
        )
    commands = [one for one in here.concerned if _uv_run_at(one) >= 0 and not one.substitution]
    python = [one for one in commands if _is_python(one)] or commands
    bare = [one for one in python if spec not in _withs(one)]
    if not bare:
        return InPlace(f"the failing commands already run with `--with {spec}`")
    return _edit(here, bare, spec, title, extras)


def _spec(named: Sequence[Named], version: str) -> str:
    written = named[0].written if named else ""
    pinned = next((one.spec for one in named if one.pin.startswith("==")), "")
    if pinned:
        return pinned
    return f"{written.partition('[')[0]}=={version}" if version else named[0].spec


def _is_python(invocation: Invocation) -> bool:
    first = (invocation.program[0].text or "") if invocation.program else ""
    return first.rpartition("/")[2].startswith(("python", "torchrun", "pytest", "accelerate"))


def _withs(invocation: Invocation) -> list[str]:
    words = [value.text or "" for value in invocation.argv]
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--with"]


def _edit(here: Situation, commands: Sequence[Invocation], spec: str, title: str, extras: Sequence[str]) -> Outcome:
    edits: dict[tuple[str, int], Edit] = {}
    for one in commands:
        word = one.program[0]
        site = word.pieces[0].site if word.pieces else None
        if site is None or site.kind not in _WRITTEN or site.path not in here.tree or site.quote:
            return Refusal(f"`{one.command_line}` is put together where nothing can be inserted")
        text = f"--with {spec if shlex.quote(spec) == spec else shlex.quote(spec)} ".encode()
        why = f"uv run brings {spec}, which provides `{title}`, for this command"
        edits[(site.path, site.start)] = Edit(site.path, site.start, site.start, text, why)
    promises = {(one.module or one.program[0].text or "", one.step) for one in commands}
    return Edited(
        edits=tuple(edits.values()),
        declared=tuple(
            dict.fromkeys(
                declared_at(here, edit.path, one.step) for edit, one in zip(edits.values(), commands, strict=False)
            )
        ),
        expectations=tuple(
            Expectation("argument", spec, here.target.job, here.target.workflow_path, name, step)
            for name, step in sorted(promises)
        ),
        notes=(
            "`--with` reaches this command only: workers that Ray starts through `py_executable` need it there too",
            _extra_words(extras, title) if extras else "",
        ),
    )


def _extra_words(extras: Sequence[str], title: str) -> str:
    listed = " or ".join(f"`--extra {extra}`" for extra in extras)
    return f"the lock provides `{title}` through {listed}, for the whole job: mixed extras synchronise torch again"
