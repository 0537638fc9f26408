"""`drop_option`: an option that the program does not take goes, where the program does the same without it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.recipes.commands.homes import is_there
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at
from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import DropOption

_OPTION = re.compile(r"--[A-Za-z][\w-]{0,60}")
_PYTEST = ("pytest", "py.test")
# What pip does not miss: it only lifts a check, or words and colours, that an older or newer pip has not.
_OF_PIP = (
    *("--break-system-packages", "--root-user-action", "--no-python-version-warning", "--disable-pip-version-check"),
    *("--no-warn-script-location", "--use-feature", "--use-deprecated"),
)
# Of these, the ones that take a value, which goes with them wherever it stands.
_VALUED = ("--root-user-action", "--use-feature", "--use-deprecated")
_BEHIND = re.compile(rb"(?:[ \t]|\\\r?\n)+[\"']?([^\s\\;&|()<>#\"']+)")
# Files in which a service of continuous integration holds the commands of its jobs.
_DEFINITIONS = (".yml", ".yaml", ".sh", ".bash", ".toml", ".ini")


def drop_option(recipe: DropOption, here: Situation) -> Outcome:
    option, other = (_named(here.captures.get(one.strip("{}"), "")) for one in (recipe.option, recipe.other))
    if not option:
        return Refusal("the log does not say which option it is")
    if recipe.settled:
        passed = any(
            recipe.settled == (word.text or "").partition("=")[0] for one in here.concerned for word in one.argv
        )
        return Refusal(f"{recipe.settled} is passed") if passed else InPlace(f"{recipe.settled} is not passed")
    if other:
        option = _lesser(here, option, other)
    if not option:
        return Refusal(f"both options that exclude each other have a value: {other}")
    if recipe.programs and option not in _OF_PIP:
        return Refusal(f"what {option} would have done is not known")
    if not recipe.programs and option in here.tables.plugins:
        return Refusal(f"a plugin of pytest has {option}")
    if not recipe.programs and not other and (declared := _declared(here, option)):
        return Refusal(f"{declared} declares {option}")
    found = {one.calls[-1].key: one for one in here.concerned if one.calls and _passes(recipe, one, option, other)}
    parts = [list(_of_command(here, one, option)) for one in found.values()]
    edits = [edit for part in parts for edit in part]
    if not found:
        return _in_definitions(recipe, here, option)
    first = next(iter(found.values()))
    if all(parts):
        declared_in = tuple(dict.fromkeys(declared_at(here, edit.path, first.step) for edit in edits))
        return _made(recipe, here, edits, declared_in, option)
    place = first.calls[-1]
    return Words(f"take {option} away at {place.path}:{place.line}")


def _named(text: str) -> str:
    found = _OPTION.search(text)
    return found[0] if found else ""


def _lesser(here: Situation, option: str, other: str) -> str:
    """Of two that exclude each other the one without a value: the other one says more. "" where both have one."""
    words = [[word.text or "" for word in one.argv] for one in here.concerned]
    for one in (option, other):
        uses = [(line[at + 1 : at + 2] or ["-"])[0] for line in words for at, word in enumerate(line) if word == one]
        if uses and all(following.startswith("-") for following in uses):
            return one
    return ""


def _declared(here: Situation, option: str) -> str:
    """A file that adds the option to pytest's, of those that count for the tests that are run; "" for none."""
    quoted = (f'"{option}"'.encode(), f"'{option}'".encode())
    shown = [*here.facts.commands, *(one.command_line for one in here.concerned)]
    words = " ".join(line for line in shown if option in line).split()
    named = [word.partition("::")[0].lstrip("./") for word in words if ".py" in word and not word.startswith("-")]
    tests = [path for path in here.tree.paths() if any(path == one or path.endswith(f"/{one}") for one in named)]
    for path in here.tree.paths():
        data = here.tree.read(path) if path.endswith(".py") else b""
        if b"addoption" in data and any(one in data for one in quoted):
            folder, _, name = path.rpartition("/")
            if name != "conftest.py" or not tests or any(test.startswith(f"{folder}/") for test in tests):
                return path
    return ""


def _passes(recipe: DropOption, one: Invocation, option: str, other: str) -> bool:
    words = [word.text or "" for word in one.argv]
    held = [word.partition("=")[0] for word in words]
    programs = recipe.programs or (() if other else _PYTEST)
    own = {posixpath.basename(word) for word in words[:3]} | {one.module}
    ours = not programs or bool(own & set(programs))
    return option in held and ours and (not other or other in held)


def _of_command(here: Situation, one: Invocation, option: str) -> Iterator[Edit]:
    """The word with the blanks before it; its value goes with it. Nothing where the word behind it may be one."""
    for at, word in enumerate(one.argv):
        text, site = word.text or "", word.sites[0] if len(word.sites) == 1 else None
        if text.partition("=")[0] != option or site is None or site.kind is not SiteKind.LITERAL:
            continue
        data = here.tree.read(site.path) if site.path in here.tree else b""
        if is_typed(site.path) or data[site.start : site.end] != text.encode() or site.quote:
            continue
        end, behind = site.end, one.argv[at + 1] if at + 1 < len(one.argv) else None
        if text == option and option in _VALUED and behind is not None:
            value = behind.sites[0] if len(behind.sites) == 1 else None
            if value is None or value.path != site.path or value.quote or data[end : value.start].strip(b" \t"):
                continue
            end = value.end
        elif text == option and option not in _OF_PIP and _may_be_value(here, one, data[end:]):
            continue
        yield from _cut(here.tree, site.path, site.start, end)


def _may_be_value(here: Situation, one: Invocation, rest: bytes) -> bool:
    """Whether what stands behind an option is neither another one nor a path of the repository."""
    found = _BEHIND.match(rest)
    if found is None or found[1].startswith(b"-"):
        return False
    path = posixpath.join(one.directory or "", found[1].decode("utf-8", "replace").partition("::")[0])
    return not is_there(here.tree, posixpath.normpath(path))


def _cut(tree: Tree, path: str, start: int, end: int) -> Sequence[Edit]:
    """With the blanks before it, and on a line of its own with that line."""
    data = tree.read(path)
    begin = start - (len(data[:start]) - len(data[:start].rstrip(b" \t")))
    line = line_start(data, start)
    rest = re.match(rb"[ \t]*\\\r?\n", data[end:])
    if not data[line:start].strip() and rest:
        return (Edit(path, line, end + rest.end(), b"", "the program does not take it"),)
    made = replace_at(
        tree, path, begin, data[begin:end].decode("utf-8", "replace"), "", why="the program does not take it"
    )
    return () if isinstance(made, Refusal) else made


def _in_definitions(recipe: DropOption, here: Situation, option: str) -> Outcome:
    """Where no command of a job can be followed to it: the files that hold the very command that the log shows, and
    there every command that passes the option to the same file of tests."""
    shown = [one.lstrip("+ $") for one in reversed(here.facts.commands) if option in one]
    ran = next((one for one in shown if any(word in one.split()[:3] for word in (*_PYTEST, *recipe.programs))), "")
    tests = next((word for word in ran.split() if ".py" in word and not word.startswith("-")), "")
    if not ran or not tests:
        return Refusal(f"no command of {here.job.id} passes {option}", here.job.path, here.job.line)
    held = [path for path in here.tree.paths() if path.endswith(_DEFINITIONS) and ran.encode() in here.tree.read(path)]
    word = re.compile(rb"(?<![\w-])" + re.escape(option.encode()) + rb"(?:=[^\s\"'\\]*)?(?=[\s\"'\\]|\Z)")
    edits: list[Edit] = []
    for path in held:
        data = here.tree.read(path)
        for hit in word.finditer(data):
            line = data[line_start(data, hit.start()) : hit.end()]
            behind = _BEHIND.match(data[hit.end() :]) if b"=" not in hit[0] else None
            if behind and not behind[1].startswith(b"-"):
                plain = behind[1].decode("utf-8", "replace")
                if not is_there(here.tree, posixpath.normpath(plain.partition("::")[0])):
                    return Words(f"take {option} away in {path}, and {plain[:80]} where that is its value")
            if tests.encode() in line and not line.lstrip().startswith(b"#"):
                edits += _cut(here.tree, path, hit.start(), hit.end())
    if not edits:
        return Refusal(f"no file of the repository holds the command that passes {option}")
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    return _made(recipe, here, edits, paths, option)


def _made(
    recipe: DropOption, here: Situation, edits: Sequence[Edit], declared: tuple[str, ...], option: str
) -> Outcome:
    title, settled = f"Do not pass {option}", replace(recipe, settled=option)
    return Edited(tuple(edits), declared, promised(here, edits), title=title, settled=settled)
