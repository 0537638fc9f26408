"""The configuration that a log names, where the commands that lead into the repository do not."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from triage.fixes.whereabouts.naming import CONFIGURATIONS, OPTIONS, SCRIPTS, in_tree, named_files, of_name, of_stem
from triage.interfaces import Tree
from triage.model.trail import Announced, Trail

_REMARK = re.compile(r"(?:^|\s)#\s.*")
# The name of a case says which one it is: several words.
_CASE = re.compile(r"[\w.]+[-_][\w.-]+\Z")


def with_configuration(tree: Tree, trail: Trail, steps: Sequence[Announced]) -> tuple[Announced, ...]:
    """The steps, and behind the last one the command that names a configuration: the one that a shell traced last, else
    one that only names what a launcher said that it reads. As they are, where they name one or the log tells of none,
    or of several, or where the script that they run names it: there the command is, and not in the log."""
    lines = [_REMARK.sub("", line) for step in steps for line in step.script]
    if not steps or any(configured(tree, line) or named_files(tree, line, CONFIGURATIONS) for line in lines):
        return tuple(steps)
    traced = next((one.lstrip("+ ") for one in reversed(trail.traced) if configured(tree, one)), "")
    scripts = named_files(tree, " ".join(lines), SCRIPTS)
    names = _named(tree, traced)
    if any(_holds(tree.read(path).decode("utf-8", "replace"), names) for path in scripts):
        return tuple(steps)
    told = {path for name in trail.configured if (path := _told(tree, name, scripts))}
    line = traced or (f"run --config {told.pop()}" if len(told) == 1 else "")
    return (*steps[:-1], replace(steps[-1], script=(*steps[-1].script, line))) if line else tuple(steps)


def _holds(script: str, names: Set[str]) -> bool:
    """Whether the commands of a script name one of the configurations in the same words."""
    return any(value.strip("\"'") in names for value in _values(script))


def _told(tree: Tree, name: str, scripts: Sequence[str]) -> str:
    """A path, or the name of a case; of several files of that name the one in whose folder the scripts work."""
    if name.endswith(CONFIGURATIONS):
        own = in_tree(tree, name) or of_name(tree, name)
        # A run keeps its own copy, in a folder that is called after the configuration.
        copied = "" if own else posixpath.basename(posixpath.dirname(name))
        return own or (of_stem(tree, copied, CONFIGURATIONS) if _CASE.match(copied) and name.startswith("/") else "")
    if not _CASE.match(name) or "/" in name:
        return ""
    named = [path for path in tree.paths() if path.endswith(tuple(f"/{name}{end}" for end in CONFIGURATIONS))]
    if len(named) > 1:
        texts = [tree.read(path) for path in scripts]
        near = [one for one in named if any(f"{posixpath.dirname(one)}/".encode() in text for text in texts)]
        return near[0] if len(near) == 1 else ""
    return of_stem(tree, name, CONFIGURATIONS)


def configured(tree: Tree, command: str) -> bool:
    """Whether an option of the command names a configuration: its path, its stem, or the folder of a case."""
    return bool(_named(tree, command))


def _named(tree: Tree, command: str) -> Set[str]:
    """The words that do."""
    found = frozenset(_values(command))
    return {one for one in found if of_stem(tree, one.rpartition("/")[2], CONFIGURATIONS) or _is_path(tree, one)}


def _is_path(tree: Tree, name: str) -> bool:
    """A path, or its end as no other file has it: `mistral/lora` for `recipes/mistral/lora.yaml`."""
    ends = tuple(f"/{name}{end}" for end in CONFIGURATIONS)
    whole = "/" in name and not name.startswith(("/", ".")) and not name.endswith(CONFIGURATIONS)
    return bool(in_tree(tree, name)) or (whole and sum(path.endswith(ends) for path in tree.paths()) == 1)


def _values(text: str) -> Iterator[str]:
    """What follows the options that name a configuration."""
    words = text.replace("=", " ").split()
    yield from (after for word, after in pairwise(words) if word in OPTIONS)
