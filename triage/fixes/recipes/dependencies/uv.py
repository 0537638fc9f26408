"""The uv dialect: `uv run --frozen` resolves nothing, so an install step cannot add what the lock holds."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.project import project_name
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at, env_place
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, in_pyproject, normalised
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

_WRITTEN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN})
_EXTRAS = re.compile(r"\[([^\]]*)\]")


def uses_uv_run(here: Situation) -> bool:
    return any(_runs_with_uv(one) for one in here.concerned)


def _runs_with_uv(invocation: Invocation) -> bool:
    """`uv ... run ... program`."""
    words = [value.text or "" for value in invocation.argv[: invocation.inner]]
    return "uv" in words and "run" in words[words.index("uv") :]


def with_uv(here: Situation, title: str, named: Sequence[Named], version: str, form: str) -> Outcome:
    """`--with NAME==V` on the failing commands, or the extra for the whole job; else how to change the lock."""
    commands = _python_commands(here)
    through = _selected_extra(here.tree, commands, named)
    if through and version:
        return InPlace(f"uv.lock already brings `{title}` through `--extra {through}` ({version})")
    if not version and any(one.path.endswith("pyproject.toml") for one in named):
        return Words(
            f"pyproject.toml names {named[0].written} but uv.lock does not hold it: run `uv lock` and commit uv.lock "
            "(with --frozen no install step can add it)"
        )
    extras = sorted({one.extra for one in named if one.extra})
    from_url = any("://" in one.pin for one in named)
    if extras and version and (form == "extra" or from_url):
        return _add_extra(here, commands, extras[0], title)
    if form == "extra":
        return Refusal(f"no extra of the project provides `{title}`")
    return _add_with(here, commands, _spec(named, version), title, extras)


def in_uv_run(here: Situation, folder: str, extra: str, why: str) -> Outcome | None:
    """`--extra NAME` on the failing commands that `uv run` starts in the project's folder; None where none does."""
    commands = [one for one in _python_commands(here) if (one.directory or ".") == folder]
    failed = failing(here.facts, commands) or tuple(commands)
    edits: dict[tuple[str, int], Edit] = {}
    for one in failed:
        site = _site_of(one)
        if site is None or site.path not in here.tree:
            return None
        edits[site.path, site.start] = Edit(site.path, site.start, site.start, f"--extra {extra} ".encode(), why)
    lines = [" ".join(map(str, (*one.argv[: one.inner], "--extra", extra, *one.program))) for one in failed]
    where = (here.target.job, here.target.workflow_path)
    promises = tuple(Expectation("command", line, *where) for line in dict.fromkeys(lines))
    declared = dict.fromkeys(declared_at(here, edit.path, failed[0].step) for edit in edits.values())
    title = f"Run it with the project's extra `{extra}`"
    return Edited(tuple(edits.values()), tuple(declared), promises, title=title) if edits else None


def _python_commands(here: Situation) -> list[Invocation]:
    """Commands of the failed step behind `uv run`: Python programs, where there are any."""
    commands = [one for one in here.concerned if _runs_with_uv(one) and not one.substitution]
    return [one for one in commands if _is_python(one)] or commands


def _is_python(invocation: Invocation) -> bool:
    first = (invocation.program[0].text or "") if invocation.program else ""
    return first.rpartition("/")[2].startswith(("python", "torchrun", "pytest", "accelerate"))


def _selected_extra(tree: Tree, commands: Sequence[Invocation], named: Sequence[Named]) -> str:
    """An extra that every command selects and that, by itself or through others, names the distribution."""
    wanted = {one.name for one in named}
    chosen = [set(_values_of(one, "--extra")) for one in commands]
    common = set.intersection(*chosen) if chosen else set()
    return next((extra for extra in sorted(common) if wanted & _provided(tree, extra)), "")


def _provided(tree: Tree, extra: str) -> set[str]:
    """Distributions of an extra, following `project[other]`."""
    names, queue, seen = set(), [extra], set()
    own, every = normalised(project_name(tree)), in_pyproject(tree)
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        for one in every:
            if one.extra == current:
                names.add(one.name)
                inner = _EXTRAS.search(one.spec)
                if one.name == own and inner:
                    queue += [part.strip() for part in inner[1].split(",")]
    return names


def _values_of(invocation: Invocation, option: str) -> list[str]:
    words = [value.text or "" for value in invocation.argv]
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word == option]


def _spec(named: Sequence[Named], version: str) -> str:
    """As the tree pins it, else the lock's version, else as written."""
    pinned = next((one.spec for one in named if one.pin.startswith("==")), "")
    if pinned or not named:
        return pinned
    return f"{named[0].written.partition('[')[0]}=={version}" if version else named[0].spec


def _add_with(here: Situation, commands: Sequence[Invocation], spec: str, title: str, extras: Sequence[str]) -> Outcome:
    failed = failing(here.facts, commands)
    bare = [one for one in failed or commands if spec not in _values_of(one, "--with")]
    if not spec:
        return Words(f"only uv.lock names a distribution for `{title}`: add it to pyproject.toml and run `uv lock`")
    if not bare:
        return InPlace(f"the failing commands already run with `--with {spec}`")
    quoted = spec if shlex.quote(spec) == spec else f'"{spec}"'
    edits: dict[tuple[str, int], Edit] = {}
    declared = []
    for one in bare:
        site = _site_of(one)
        if site is None or site.path not in here.tree:
            return Refusal(f"`{one.command_line}` is put together where nothing can be inserted")
        why = f"uv run brings {spec}, which provides `{title}`, for this command"
        edits[(site.path, site.start)] = Edit(site.path, site.start, site.start, f"--with {quoted} ".encode(), why)
        declared.append(declared_at(here, site.path, one.step))
    extra = f"the lock provides it through {_listed(extras)} too: {_MIXED}" if extras else ""
    return Edited(
        edits=tuple(edits.values()),
        declared=tuple(dict.fromkeys(declared)),
        expectations=_run_with(here, failed, spec) if failed else _promises(here, bare, spec),
        notes=tuple(note for note in (_RAY, extra, _which(failed, commands)) if note),
        title=f"Bring {spec} with `uv run --with`",
    )


def _which(failed: Sequence[Invocation], commands: Sequence[Invocation]) -> str:
    """Which of several commands get it, and why."""
    if len({one.calls[-1].key for one in commands}) < 2:
        return ""
    if failed:
        return f"only `{failed[0].command_line}` gets it: the log shows that this command failed"
    return "the log does not show which of the commands failed, so each of the step's gets it"


_RAY = "`--with` reaches this command only: workers that Ray starts through `py_executable` need it there too"
_MIXED = "extras hold for the whole job, mixed ones synchronise torch again"


def _listed(extras: Sequence[str]) -> str:
    return " or ".join(f"`--extra {extra}`" for extra in extras)


def _site_of(invocation: Invocation) -> Site | None:
    """Where the program's own word is written, bare, so that an option of `uv run` can be put before it."""
    word = invocation.program[0] if invocation.program else None
    site = word.pieces[0].site if word is not None and word.pieces else None
    return site if site is not None and site.kind in _WRITTEN and not site.quote else None


def _promises(here: Situation, commands: Sequence[Invocation], text: str) -> tuple[Expectation, ...]:
    programs = dict.fromkeys((one.module or one.program[0].text or "", one.step) for one in commands)
    where = (here.target.job, here.target.workflow_path)
    return tuple(Expectation("argument", text, *where, program, step) for program, step in programs)


def _run_with(here: Situation, commands: Sequence[Invocation], spec: str) -> tuple[Expectation, ...]:
    """The whole commands: others of the step may start the same program without it."""
    made = ((*one.argv[: one.inner], "--with", spec, *one.argv[one.inner :]) for one in commands)
    lines = dict.fromkeys(" ".join(map(str, words)) for words in made)
    where = (here.target.job, here.target.workflow_path)
    return tuple(Expectation("command", line, *where, step=commands[0].step) for line in lines)


def _add_extra(here: Situation, commands: Sequence[Invocation], extra: str, title: str) -> Outcome:
    """At the end of the variable that holds `uv run ...` for the whole job."""
    places = set()
    for one in commands:
        last = one.argv[one.inner - 1].pieces[-1:]
        places.add(last[0].site if last else None)
    site = places.pop() if len(places) == 1 else None
    if site is None or site.kind is not SiteKind.YAML_ENV or site.path != here.job.path:
        return Words(f"the lock provides `{title}` through `--extra {extra}`: {_MIXED}")
    edit = Edit(site.path, site.end, site.end, f" --extra {extra}".encode(), f"the extra `{extra}` provides `{title}`")
    return Edited(
        edits=(edit,),
        declared=(env_place(here, site),),
        expectations=_promises(here, commands, extra),
        notes=(_MIXED,),
        title=f"Select the extra `{extra}`, which provides {title}, for the whole job",
    )
