"""Which of several definitions the log is of, where they give the same command: the one whose step's other commands the
log shows too. A copy of a pipeline for other machines differs in a line or two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from triage.fixes.document import line_end, line_start
from triage.fixes.recipes.commands.definitions import Place, is_script
from triage.interfaces import Tree

_ITEM = re.compile(rb"([ \t]*)-[ \t]+(?P<command>[^\n]+)")
# What quoting leaves of a command, in the file and in the log, and the prompt before it.
_QUOTING = re.compile(rb"[\"'\\`]")
_PROMPT = re.compile(rb"[$+]+[ \t]+")


def most_shown(tree: Tree, kind: re.Pattern[str], found: Sequence[Place], shown: Iterable[str]) -> list[Place]:
    """All of them where one file alone has such a step, or the log fits several as well; none where it fits a copy
    that does not name the path."""
    if any(is_script(one.path) for one in found):
        return list(found)
    lines = frozenset(_plain(line.encode("utf-8", "replace")) for line in shown)
    own = {path: [_own(tree.read(path), one) for one in found if one.path == path] for path in {o.path for o in found}}
    best = {path: max(len(step & lines) for step in steps) for path, steps in own.items()}
    most = max(best.values(), default=0)
    for path in tree.paths() if most else ():
        if path not in own and kind.match(path):
            rivals = [step for step in _steps(tree.read(path)) if len(step & lines) > most]
            if any(2 * len(step & mine) >= len(mine) for step in rivals for steps in own.values() for mine in steps):
                return []
    meant = [path for path, count in best.items() if count == most]
    return [one for one in found if one.path in meant] if len(meant) == 1 else list(found)


def _own(data: bytes, place: Place) -> frozenset[bytes]:
    """The other commands of the step that the place stands in."""
    start = line_start(data, place.start)
    item = _ITEM.match(data, start, line_end(data, start))
    said = _plain(item["command"]) if item else b""
    steps = [step for step in _steps(data) if said and said in step]
    return max(steps, key=len, default=frozenset()) - {said}


def _steps(data: bytes) -> Iterator[frozenset[bytes]]:
    """The items of each list of commands; comments between them end none."""
    step: set[bytes] = set()
    column = b""
    for line in data.splitlines():
        item = _ITEM.match(line)
        if item is None or (step and item[1] != column):
            if not item and line.lstrip().startswith(b"#"):
                continue
            yield frozenset(step)
            step = set()
        if item is not None:
            column = item[1]
            step.add(_plain(item["command"]))
    yield frozenset(step)


def _plain(line: bytes) -> bytes:
    line = line.strip()
    prompt = _PROMPT.match(line)
    return b" ".join(_QUOTING.sub(b"", line[prompt.end() :] if prompt else line).split())
