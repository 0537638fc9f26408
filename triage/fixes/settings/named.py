"""Which YAML file a command gives to its program: `--config FILE`, a path among the arguments, a recipe's name."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator, Sequence
from functools import lru_cache

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.programs import PYTHON
from triage.fixes.evaluate.values import Value
from triage.fixes.python_text import python_nodes
from triage.fixes.whereabouts.naming import CONFIGURATIONS, OPTIONS, in_tree, of_name, of_stem
from triage.interfaces import Tree

_WORKSPACE = "GITHUB_WORKSPACE"


def named_file(tree: Tree, invocation: Invocation) -> str:
    """The file of the repository, "" when the command names none or several. The options of a launcher
    (`accelerate launch --config_file`) stand before the program and are its own."""
    words = invocation.program
    scripts = [at for at, word in enumerate(words) if (word.text or str(word)).endswith(".py")]
    words = words[scripts[0] + 1 :] if scripts else words[1:]
    given = list(_given(words))
    found = [path for value in given if (path := _located(tree, invocation, value))]
    if given:
        return found[-1] if len(found) == len(given) else ""
    named = [
        path for word in words if str(word).endswith(CONFIGURATIONS) and (path := _located(tree, invocation, word))
    ]
    if named:
        return named[0] if len(set(named)) == 1 else ""
    return _in_environment(tree, invocation) or _of_itself(tree, invocation, scripts)


def _of_itself(tree: Tree, invocation: Invocation, scripts: Sequence[int]) -> str:
    """The one configuration that a program takes, from its own folder, where it is given none by `--config`."""
    script = _script(tree, invocation, scripts)
    if not script or b"--config" not in tree.read(script):
        return ""
    folder = posixpath.dirname(script)
    found = {posixpath.normpath(posixpath.join(folder, *parts)) for parts in _beside_itself(tree.read(script))}
    return found.pop() if len(found) == 1 and all(one in tree for one in found) else ""


def _script(tree: Tree, invocation: Invocation, scripts: Sequence[int]) -> str:
    text = invocation.program[scripts[0]].text if scripts else None
    path = posixpath.normpath(posixpath.join(invocation.directory or "", text)) if text else ""
    return path if path in tree else ""


@lru_cache(maxsize=64)
def _beside_itself(source: bytes) -> tuple[tuple[str, ...], ...]:
    """The parts behind `os.path.dirname(__file__)` of each configuration's path in a program."""
    calls = [one for one in python_nodes(source) if isinstance(one, ast.Call) and len(one.args) > 1]
    own = [one for one in calls if "dirname(__file__)" in ast.unparse(one.args[0]) and "join" in ast.unparse(one.func)]
    parts = [[part.value for part in one.args[1:] if isinstance(part, ast.Constant)] for one in own]
    return tuple(tuple(map(str, one)) for one in parts if one and str(one[-1]).endswith(CONFIGURATIONS))


def _in_environment(tree: Tree, invocation: Invocation) -> str:
    """A test or a program that reads the name of its configuration from a variable: the one that names one."""
    first = posixpath.basename(invocation.program[0].text or "") if invocation.program else ""
    if first not in PYTHON:
        return ""
    found = {path for value in invocation.environment.values() if (path := of_name(tree, value.text or ""))}
    return found.pop() if len(found) == 1 else ""


def _given(words: Sequence[Value]) -> Iterator[Value]:
    for at, word in enumerate(words):
        option = next((one for one in OPTIONS if word.startswith(f"{one}=")), "")
        if option:
            yield word.after(f"{option}=")
        elif word.text in OPTIONS and at + 1 < len(words) and not words[at + 1].many:
            yield words[at + 1]


def _located(tree: Tree, invocation: Invocation, value: Value) -> str:
    """A path from where the command runs, or from the root; else a name that stands for just one file."""
    text, inside = value.text, False
    if text is None and value.pieces and value.pieces[0].name == _WORKSPACE:
        text, inside = Value(value.pieces[1:]).text, True
    if not text:
        return ""
    if inside:
        path = posixpath.normpath("./" + text)
        return path if path in tree else ""
    folder = invocation.directory or ""
    relative = posixpath.normpath(posixpath.join(folder, text)) if not text.startswith("/") else ""
    return next((path for path in (relative, in_tree(tree, text)) if path and path in tree), "") or _named(tree, text)


def _named(tree: Tree, name: str) -> str:
    """`llama2/13B_lora` for `recipes/configs/llama2/13B_lora.yaml`, when no other file has that end; the name of a
    case for the one configuration in its folder."""
    if name.startswith(("/", ".")) or name.endswith(CONFIGURATIONS) or "=" in name:
        return ""
    ends = tuple(f"/{name}{end}" for end in CONFIGURATIONS)
    found = [path for path in tree.paths() if path.endswith(ends)]
    if not found and "/" not in name:
        return of_stem(tree, name, CONFIGURATIONS)
    return found[0] if len(found) == 1 else ""
