"""Folders that the commands of a log enter, as folders of the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.whereabouts.naming import CONFIGURATIONS, SCRIPTS, named_files
from triage.interfaces import Tree
from triage.model.trail import BY_PROMPT, Announced

_ENTERS = re.compile(r"(?<![\w./-])cd\s+(?P<folder>~?/[\w./-]+)(?![\w./-])")
# How a folder of the repository is entered that a prompt names.
ENTERED = 'cd "$GITHUB_WORKSPACE'
_PROGRAMS = (*SCRIPTS, ".py", *CONFIGURATIONS)
# Folders that a checkout may lie above the one that a prompt names.
_DEEPEST = 4


def at_the_root(tree: Tree, steps: Sequence[Announced]) -> tuple[Announced, ...]:
    """The steps, with `cd /workspace/train` as `cd .` where a command after it runs a file of the repository by its
    path: the checkout lies there. A folder below it is entered as one of the repository. A folder that only a prompt
    names is left out where no command tells what it is."""
    root = next(_roots(tree, [line for step in steps for line in step.script]), "")
    return tuple(replace(step, script=tuple(_lines(step.script, root))) for step in steps)


def _lines(script: Sequence[str], root: str) -> Iterator[str]:
    def entered(found: re.Match[str]) -> str:
        inner = _inner(found["folder"], root)
        return found[0] if inner is None else f"cd {inner or '.'}"

    for line in script:
        command = line.removesuffix(BY_PROMPT)
        if command == line:
            yield _ENTERS.sub(entered, line)
        elif (inner := _inner(command.partition(" ")[2], root)) is not None:
            yield f'{ENTERED}{inner and "/"}{inner}"'


def _inner(folder: str, root: str) -> str | None:
    """The folder below the root of the checkout; None where it lies elsewhere, or the root is not known."""
    folder = folder.rstrip("/")
    if not root or (folder != root and not folder.startswith(f"{root}/")):
        return None
    return folder.removeprefix(root).lstrip("/")


def _roots(tree: Tree, lines: Sequence[str]) -> Iterator[str]:
    for at, line in enumerate(lines):
        for found in _ENTERS.finditer(line):
            folder = found["folder"].rstrip("/")
            after = [word for each in (line[found.end() :], *lines[at + 1 :]) for word in each.split()]
            for below in ("", *(_ends(folder) if line.endswith(BY_PROMPT) else ())):
                if any(_in(tree, posixpath.join(below, word)) for word in after):
                    yield folder.removesuffix(below).rstrip("/")


def _ends(folder: str) -> Iterator[str]:
    """The last folder, the last two and so on."""
    parts = [part for part in folder.split("/") if part]
    return ("/".join(parts[-count:]) for count in range(1, min(len(parts), _DEEPEST)))


def _in(tree: Tree, path: str) -> bool:
    return path in named_files(tree, path, _PROGRAMS)
