"""A path among the arguments of a command that the shell took for a command: the line before it does not go on."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit


def continue_arguments(tree: Tree, target: Target, paths: Sequence[str], missing: str) -> Edited | None:
    """Where the path begins a line whose neighbour above is a line of the same list, of such paths behind backslashes,
    and lacks its own. None where no line, or more than one, is such."""
    torn = [(path, at) for path in paths for at in _torn(tree.read(path), missing.encode())]
    if len(torn) != 1:
        return None
    path, at = torn[0]
    data = tree.read(path)
    edit = Edit(path, at, at, b" \\", f"{missing} is an argument of the command above it")
    title = f"Continue the command at {path}:{line_of(data, at)}"
    because = "The shell ran the next argument as a command of its own."
    return Edited((edit,), (path,), promised_of(tree, target.job, (edit,)), title=title, because=because)


def _torn(data: bytes, missing: bytes) -> list[int]:
    """The ends of lines that lack a backslash."""
    found, at = [], data.find(missing)
    while at >= 0:
        start = line_start(data, at)
        above = line_start(data, start - 1) if start else -1
        over = line_start(data, above - 1) if above > 0 else -1
        if over >= 0 and data[at + len(missing) : at + len(missing) + 1] in (b" ", b"\n", b"\r", b""):
            own, before, first = data[start:at], data[above : line_end(data, above)], data[over : line_end(data, over)]
            alike = before.startswith(own) and not before[len(own) :].startswith((b" ", b"\t"))
            words = before.split()
            same = len(words) == 1 and _kind(words[0]) == _kind(missing)
            if not own.strip() and alike and same and first.rstrip().endswith(b"\\"):
                found.append(above + len(before.rstrip()))
        at = data.find(missing, at + 1)
    return found


def _kind(path: bytes) -> tuple[bytes, str]:
    """The root that an absolute path starts from, and its ending: files of a list have both in common."""
    return b"/".join(path.split(b"/")[:3]), posixpath.splitext(path.decode("utf-8", "replace"))[1]
