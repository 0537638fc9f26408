"""`copy_variable`: the value that the scripts beside this one give a variable, for the one that lacks it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.document import eol_at
from triage.fixes.recipes.commands.said.named import script_called
from triage.fixes.recipes.commands.scripts import promised, shell_files, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.variables import variables
from triage.model.patch import Edit
from triage.model.recipe import CopyVariable

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_READ = re.compile(r"\$\{?([A-Za-z_]\w*)")
# A default that the script's caller may set, which is where siblings have their own.
_DEFAULT = re.compile(r"(?m)^(?:export[ \t]+)?[A-Za-z_]\w*=\"?\$\{[A-Za-z_]\w*:?-")
# A value that is none of a program's.
_TEXT = r"(?:[\w./:@%+,-]+|\"[\w./:@%+, -]+\"|'[\w./:@%+, -]+')"
_PLAIN = re.compile(rf"(?m)^(?:export[ \t]+)?[A-Za-z_]\w*={_TEXT}[ \t]*(?:#[^\n]*)?$")
_OF_SHELL = ("HOME", "PWD", "USER", "TMPDIR", "PATH")
# What may stand behind a value, and what means something else in every script.
_END = re.compile(r"[\w./-]*\"?[ \t]*(?:[ \t]#.*)?\Z")
_OF_CALLER = re.compile(r"\$\{?[0-9@*#]")
# One script with such a line may have a reason of its own.
_LEAST = 2


def copy_variable(recipe: CopyVariable, here: Situation) -> Outcome:
    named, name = (here.captures.get(one.strip("{}"), "") for one in (recipe.script, recipe.name))
    path = script_called(here.tree, named)
    text = text_of_file(here.tree, path) if path else ""
    if not text or not _NAME.match(name):
        return Refusal(f"the repository has no script `{named}`")
    used = next((one.at for one in variables(text) if one.name == name and not one.is_set), len(text))
    if (own := _first_set(text, name)) >= 0:
        return InPlace(f"{path} sets {name}") if own < used else Words(f"{path} reads {name} before it sets it")
    lines = _beside(here, path, name)
    several = sorted({line for _, line in lines})
    if not several:
        return Refusal(f"no script beside {path} gives {name} a default", path)
    if len(several) > 1 or len(lines) < _LEAST:
        return Words(f"give {name} a value in {path}, as others have it: {'; '.join(several[:3])}")
    (line,) = several
    unset = set(_READ.findall(line)) - {name, *_OF_SHELL} or not _sets_alone(line)
    at = next((one.start() for each in (_DEFAULT, _PLAIN) for one in _assigning(each, text)), -1)
    if unset or at < 0 or at > used:
        return Words(f"give {name} a value in {path} before it is read, as {lines[0][0]} has it: {line}")
    first = len(text[:at].encode())
    why = f"{len(lines)} scripts beside it set {name} so"
    edit = Edit(path, first, first, line.encode() + eol_at(here.tree.read(path), first), why)
    title = f"Set {name} in {path} as the scripts beside it do"
    return Edited((edit,), (path,), promised(here, (edit,)), title=title).noting(f"taken from {lines[0][0]}")


def _first_set(text: str, name: str) -> int:
    return next((one.at for one in variables(text) if one.name == name and one.is_set), -1)


def _assigning(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Without the lines of a text that the script hands on."""
    held = {one.at for one in variables(text) if one.is_set}
    return (one for one in pattern.finditer(text) if any(at in held for at in range(one.start(), one.end())))


def _sets_alone(line: str) -> bool:
    """Whether nothing follows the value: no command that gets the variable, no further line, nothing of a caller's."""
    depth = 0
    if "${" not in line:
        return _PLAIN.match(line) is not None
    for at in range(line.index("${"), len(line)):
        depth += (line[at] == "{") - (line[at] == "}")
        if not depth and line[at] == "}":
            return _END.match(line, at + 1) is not None and not _OF_CALLER.search(line)
    return False


def _beside(here: Situation, path: str, name: str) -> list[tuple[str, str]]:
    """Scripts of the same folder, each with the line by which it gives the variable a default, or a plain value."""
    folder = posixpath.dirname(path)
    wanted = re.compile(rf"(?m)^(?:export[ \t]+)?{name}=(?:\"?\$\{{{name}:?-[^\n]*|{_TEXT}[ \t]*(?:#[^\n]*)?)$")
    found: list[tuple[str, str]] = []
    for other in shell_files(here.tree):
        if posixpath.dirname(other) == folder and other != path:
            lines = {one[0].rstrip() for one in _assigning(wanted, text_of_file(here.tree, other))}
            found += [(other, one) for one in sorted(lines)]
    return found
