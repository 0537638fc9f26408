"""Folders that the commands of a log enter, as folders of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.whereabouts.naming import SCRIPTS, named_files
from triage.interfaces import Tree
from triage.model.diagnosis import Announced

_ENTERS = re.compile(r"(?<![\w./-])cd\s+(?P<folder>/[\w./-]+)(?![\w./-])")
_PROGRAMS = (*SCRIPTS, ".py")


def at_the_root(tree: Tree, steps: Sequence[Announced]) -> tuple[Announced, ...]:
    """The steps, with `cd /workspace/train` as `cd .` where a command after it runs a file of the repository by its
    path: the checkout lies there. A folder below it is entered as one of the repository."""
    roots = tuple(_roots(tree, [line for step in steps for line in step.script]))
    if not roots:
        return tuple(steps)
    root = roots[0]

    def entered(found: re.Match[str]) -> str:
        folder = found["folder"].rstrip("/")
        if folder != root and not folder.startswith(f"{root}/"):
            return found[0]
        return f"cd {folder.removeprefix(root).lstrip('/') or '.'}"

    return tuple(replace(step, script=tuple(_ENTERS.sub(entered, line) for line in step.script)) for step in steps)


def _roots(tree: Tree, lines: Sequence[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        for found in _ENTERS.finditer(line):
            after = (line[found.end() :], *lines[at + 1 :])
            if any(path in each.split() for each in after for path in named_files(tree, each, _PROGRAMS)):
                yield found["folder"].rstrip("/")
