"""The folder that a script means where the one it changes to is gone: the one that holds what it names behind that."""

from __future__ import annotations

import posixpath
import re

from triage.interfaces import Tree

_FILE = re.compile(r"(?<![\w./$~{}-])(?:\./)?((?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w*)(?![\w/*.])")
_LEFT = re.compile(r"(?m)^[ \t]*(?:cd|pushd|popd)\b")


def entered(tree: Tree, script: str, folder: str) -> str:
    """The one folder below which all files stand that the script names between this `cd` and the next; of several the
    one beside the folder that is gone; "" for none."""
    found = re.search(rf"(?m)^[ \t]*(?:cd|pushd)[ \t]+{re.escape(folder)}/?[ \t]*(?:&&|;|$)", script)
    behind = _LEFT.split(script[found.end() :], maxsplit=1)[0] if found else ""
    names = {one[1] for one in _FILE.finditer(behind)} - set(_made(behind))
    held = [{path[: -len(name) - 1] for path in tree.paths() if path.endswith(f"/{name}")} for name in names]
    fitting = set.intersection(*held) if held else set()
    beside = {one for one in fitting if posixpath.dirname(one) == posixpath.dirname(posixpath.normpath(folder))}
    chosen = fitting if len(fitting) == 1 else beside
    return next(iter(chosen)) if len(chosen) == 1 else ""


def _made(script: str) -> list[str]:
    """What the script writes or fetches itself says nothing about where it runs."""
    return re.findall(r"(?:>|\btee\b|\s-[oO]\b)\s*(?:\./)?([\w./-]+)", script)
