"""A variable that nothing sets, by the name that the scripts beside this one have for it: they give the same option, or
key, another variable, and this script sets that one."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.recipes.commands.said.quoting import line_state
from triage.fixes.recipes.commands.scripts import shell_files, text_of_file
from triage.fixes.refusal import Refusal
from triage.fixes.shell.variables import variables
from triage.interfaces import Tree

# `trainer.gpus=${NAME}` and `--gpus "$NAME"`: a key that is long enough to be one thing.
_KEY = re.compile(r"(?:^|[\s\"'(])(?P<key>--?[\w.-]{3,}[ \t=]+|\+{0,2}[\w.]*\w{3,}=)[\"']?\$\{?\Z")
_NAMED = r"[\"']?\$\{?(?P<name>[A-Za-z_]\w*)\}?[\"']?(?=[\s\\)]|\Z)"
_LONGEST = 400
# So many scripts must agree where this one reads the other variable elsewhere too.
_LEAST = 2


def called_beside(tree: Tree, path: str, text: str, reads: Sequence[int], held: dict[str, bool]) -> str | Refusal:
    """`reads`: where the script reads the variable that nothing sets; `held`: what it sets before, and whether it reads
    that. "" where the other scripts say nothing."""
    names: set[str] = set()
    for at in reads:
        key = _KEY.search(text, max(text.rfind("\n", 0, at) + 1, at - _LONGEST), at)
        given = list(_given(tree, path, key["key"].strip(" \t=+"))) if key is not None else []
        found = {one for one in given if one in held}
        if key is None or len({*given}) != 1 or not found or (held[given[0]] and len(given) < _LEAST):
            return ""
        names |= found
    if len(names) > 1:
        return Refusal(f"the scripts beside it call it {', '.join(sorted(names))}", path)
    return names.pop() if names else ""


def is_read_besides(text: str, name: str) -> bool:
    """Whether another line reads the variable than that which gives it its value, as `N=${N:-1}` does."""
    own = re.compile(rf"[ \t]*(?:export[ \t]+)?{name}=")
    reads = (one.at for one in variables(text) if one.name == name and not one.is_set)
    return any(not own.match(text, text.rfind("\n", 0, at) + 1) for at in reads)


def _given(tree: Tree, path: str, key: str) -> Iterator[str]:
    """The variable that each script of the folder gives the key."""
    wanted = re.compile(rf"(?<![\w.-])\+{{0,2}}{re.escape(key)}[ \t=]+{_NAMED}")
    for other in shell_files(tree):
        if posixpath.dirname(other) == posixpath.dirname(path) and other != path:
            text = text_of_file(tree, other)
            yield from {one["name"] for one in wanted.finditer(text) if line_state(text, one.start()) != "#"}
