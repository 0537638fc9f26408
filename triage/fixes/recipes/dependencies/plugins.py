"""Plugins that pytest's options and fixtures ask for, added where the job installs what it tests with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from triage.fixes.recipes.dependencies.declarations import Declaration, declarations
from triage.fixes.recipes.dependencies.holding import BOUNDS
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import beside_pytest
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.reaching import place_to_add
from triage.fixes.recipes.dependencies.uv import uses_uv_run, with_uv
from triage.fixes.recipes.exposed import install_lines
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import (
    Named,
    in_file,
    in_pyproject,
    locked,
    naming,
    normalised,
    parsed,
    requirement_files,
)
from triage.fixes.shell.edits import append_argument, insert_line
from triage.model.patch import Expectation
from triage.model.recipe import PipInstall
from triage.model.signature import Tables

# Where repositories name what they test with, besides requirements files: how a file is called.
_NAMING = re.compile(
    r"(?:^|/)(?:[^/]*\.ya?ml|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile|Makefile|Dockerfile[^/]*)\Z"
)
_MOST_FILES, _MOST_BYTES = 300, 200_000
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")


def install_plugins(recipe: PipInstall, here: Situation, done: Sequence[Install]) -> Outcome:
    """Only plugins of the reviewed table, and of these only what the repository itself names, or asks for by an option
    of its own command."""
    asked = here.captures.get(recipe.plugin.strip("{}"), "")
    names = plugins_of(asked, here.tables)
    if not names:
        return Refusal(f"`{asked}` is no option or fixture of a plugin that the tables know")
    missing = [name for name in names if normalised(name) not in here.facts.installed]
    if not missing:
        return Refusal(
            f"the log lists {', '.join(names)} as installed: another interpreter runs pytest, or turns it off"
        )
    brought = next((place for name in missing for place in _brought(here, done, name)), "")
    if brought:
        return InPlace(f"{brought}, which {here.job.id} installs: look for a wrong interpreter or a failed install")
    if other := _another_program(here, asked):
        return Refusal(f"`{other}` is given `{asked}`, and it is not pytest")
    found = {name: _requirement(here, name) for name in missing}
    unnamed = [name for name, requirement in found.items() if not requirement]
    if unnamed and not _given(here, asked):
        return Words(f"nothing in the repository names {', '.join(unnamed)}, which has `{asked}`: name it there first")
    if uses_uv_run(here) and all(one.uv for one in done):
        named = naming(in_pyproject(here.tree), (normalised(missing[0]),))
        version = locked(here.tree).get(normalised(missing[0]), "")
        return with_uv(here, missing[0], named or (*parsed(missing[0], "uv.lock"),), version, "pinned")
    return _added(here, done, [requirement or name for name, requirement in found.items()], asked)


def plugins_of(text: str, tables: Tables) -> list[str]:
    """Distributions for the options of an error message, for a fixture, or for plugins that it names themselves."""
    words = [_OPTION.match(word) for word in text.split()]
    named = [word[0] for word in words if word is not None] or [text.strip()]
    found = [tables.plugins[word] for word in named if word in tables.plugins]
    known = {normalised(name): name for name in tables.plugins.values()}
    spelled = [one.name for part in text.split(",") for one in parsed(part, "")]
    return list(
        dict.fromkeys([*found, *(known[name] for name in spelled if name in known and name not in tables.plugins)])
    )


def _given(here: Situation, asked: str) -> bool:
    """Whether a command of the failed step itself gives pytest the option: then the repository asks for the plugin."""
    option = asked.partition(" ")[0].partition("=")[0]
    words = [[word.text or str(word) for word in one.argv] for one in here.concerned if option.startswith("--")]
    return any(
        any(word.partition("=")[0] == option for word in each) and any("pytest" in word for word in each)
        for each in words
    )


def _another_program(here: Situation, asked: str) -> str:
    """A command of the failed step that has the first option as a word of its own, and does not run pytest."""
    option = asked.partition(" ")[0].partition("=")[0]
    for one in here.concerned if option.startswith("-") else ():
        words = [word.text or "" for word in one.argv]
        given = any(word.partition("=")[0] == option for word in words)
        if given and not any(
            part in word for word in words for part in ("pytest", "py.test", "setup.py", "tox", "nox")
        ):
            return one.command_line
    return ""


def _brought(here: Situation, done: Sequence[Install], name: str) -> Iterator[str]:
    """Where something that the job installs asks for it already."""
    wanted = normalised(name)
    for one in done:
        yield from (f"{one.call.path}:{one.call.line} names {name}" for named, _ in one.named if named.name == wanted)
        for path in one.files:
            yield from (f"{each.path}:{each.line} names {name}" for each in naming(in_file(here.tree, path), (wanted,)))
    for project in projects(here, done):
        for each in declarations(here.tree, project.folder, wanted):
            if isinstance(each, Declaration) and each.comes_with(project.chosen):
                yield f"{each.path}:{each.named.line} names {name}"


def _requirement(here: Situation, name: str) -> str:
    """The distribution as the repository asks for it, with the bounds where all places agree; "" for nowhere."""
    wanted = normalised(name)
    found = list(_named(here, wanted))
    pins = {one.pin.replace(" ", "") for one in found}
    pin = pins.pop() if len(pins) == 1 else ""
    if found:
        return f"{name}{pin}" if BOUNDS.fullmatch(pin) else name
    return name if _mentioned(here, name) else ""


def _named(here: Situation, wanted: str) -> Iterator[Named]:
    for job, words in install_lines(here):
        yield from (one for word in words for one in parsed(word, job.path) if one.name == wanted)
    for path in requirement_files(here.tree):
        yield from naming(in_file(here.tree, path), (wanted,))
    yield from (one.named for one in declarations(here.tree, ".", wanted) if isinstance(one, Declaration))


def _mentioned(here: Situation, name: str) -> bool:
    """Whether a line that is no comment of a file that installs or configures has the name as a word."""
    spelled = re.compile(rb"(?m)^[^#\n]*(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w-])")
    named = name.encode()
    for path in islice((path for path in here.tree.paths() if _NAMING.search(path)), _MOST_FILES):
        data = here.tree.read(path)[:_MOST_BYTES]
        if named in data and spelled.search(data):
            return True
    return False


def _added(here: Situation, done: Sequence[Install], requirements: list[str], asked: str) -> Outcome:
    """One more word of the command that installs other plugins, or pytest; one more line of the file that names them;
    else a command of its own."""
    words = " ".join(f'"{one}"' if shlex.quote(one) != one else one for one in requirements)
    why = f"`{asked}` belongs to {', '.join(requirements)}, which the repository names or asks for"
    title = f"Install {', '.join(requirements)}, which has `{asked}`"
    beside = _beside(done)
    listed = beside_pytest(here, done, requirements[0]) if beside is None and len(requirements) == 1 else None
    if isinstance(listed, Edited):
        return replace(listed, title=title).noting(why)
    anchor = beside or place_to_add(here, done)
    if anchor is None:
        return Words(f"{here.job.id} installs nothing with pip: add {words} to its image", image=True)
    if beside is not None:
        edits = append_argument(here.tree, beside.call, words, why=why)
        command = f"{beside.invocation.command_line} {' '.join(requirements)}"
    else:
        command = f"{' '.join(anchor.head)} install {' '.join(requirements)}"
        edits = insert_line(here.tree, anchor.call, f"{' '.join(anchor.head)} install {words}", why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, anchor.call.path, anchor.invocation.step)
    promise = Expectation("command", command, here.target.job, here.target.workflow_path)
    return Edited(edits, (declared,), (promise,), notes=(why,), title=title)


def _beside(done: Sequence[Install]) -> Install | None:
    """The last command of the default index that names a plugin of pytest, else one that names pytest."""
    fitting = [one for one in done if one.call.insertable and not {"--no-deps", "-i", "--index-url"} & {*one.flags}]
    plugins = [one for one in fitting if any(named.name.startswith("pytest-") for named, _ in one.named)]
    runners = [one for one in fitting if any(named.name == "pytest" for named, _ in one.named)]
    return next(reversed(plugins or runners), None)
