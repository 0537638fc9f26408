"""A number of compilers that a script works out and keeps to itself: the build that it starts never sees it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import eol_at
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import Script, promised, text_of_file
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import SCRIPTS, named_files
from triage.model.patch import Edit
from triage.model.recipe import FewerJobs

_ENDS = re.compile(r"(?:fi|done|esac)\b")
# All cores, in whatever way the script asks for them; a share of something is a number that was thought about.
_CORES, _SHARE = re.compile(r"\A\$\((?!\().*\bnproc\b.*\)\Z"), re.compile(r"/|\bmem", re.I)
_SOURCED = re.compile(r"(?m)^[ \t]*(?:\.|source)[ \t]+[\"']?(?:\$[^\n;&|/]*?/)?(?P<path>[\w./-]+\.(?:ba)?sh)\b")
_SHELL = b"#!"


def exported(recipe: FewerJobs, here: Situation, texts: Sequence[tuple[Script, str, int]]) -> Outcome | None:
    """`export NAME` behind its last assignment in the one script that sets it; None where a script hands it on, or
    where it is set in the environment already."""
    if here.image or any(one.environment.get(recipe.name) is not None for one in here.concerned):
        return None
    held = [(script, hits) for script, text, _ in texts if (hits := _assignments(recipe.name, text))]
    if len(held) != 1 or any(_hands_on(recipe.name, text) for _, text, _ in texts):
        return None
    script, hits = held[0]
    at = _behind(script.text, hits[-1].end())
    if script.node is not None or at < 0 or not here.tree.read(script.path).startswith(_SHELL):
        return None
    eol = eol_at(here.tree.read(script.path), 0).decode()
    line = f"export {recipe.name}"
    new = f"{eol}# The build reads it from its environment.{eol}{line}"
    edits = script.replace(at, at, new, why=f"{recipe.name} is worked out here, and no program that is started sees it")
    halved = _halved(script, hits)
    if isinstance(edits, Refusal) or isinstance(halved, Refusal):
        return None
    return _made(recipe, here, script, (*halved, *edits), line)


def handed(here: Situation, texts: Sequence[tuple[Script, str, int]]) -> Iterator[tuple[Script, str, int]]:
    """Scripts of the repository that the failed step names and another program starts, and what its scripts read in;
    none of `texts`. Where the program is a container, its own files are not known, and these are the repository's."""
    steps = () if here.image else (here.step,) if here.step is not None else here.job.steps
    lines = [line for step in steps for line in step.script]
    queue = [*named_files(here.tree, " ".join(lines), SCRIPTS)]
    run = {script.path for script, _, _ in texts}
    seen = list[str]()
    while queue:
        path = queue.pop(0)
        text = text_of_file(here.tree, path) if path not in seen else ""
        seen.append(path)
        if text and path not in run:
            yield Script(path, text), text, 0
        queue += _read_in(here, path, text)


def _read_in(here: Situation, path: str, text: str) -> Iterator[str]:
    """Files beside the script, or of the repository's root, that `source` names by the end of their path."""
    for found in _SOURCED.finditer(text):
        below = found["path"]
        names = (posixpath.normpath(posixpath.join(folder, below)) for folder in (posixpath.dirname(path), ""))
        yield from [name for name in names if name in here.tree][:1]


def _made(recipe: FewerJobs, here: Situation, script: Script, edits: tuple[Edit, ...], line: str) -> Edited:
    made = Edited(edits, (script.declared(here),), promised(here, edits), settled=replace(recipe, settled=line))
    title = f"Export {recipe.name}, which the script works out for the build"
    because = "The build reads it from its environment; a variable of the shell alone does not come there."
    return replace(made, title=title, because=because, blast_radius=blast_radius(here, edits))


def _assignments(name: str, text: str) -> list[re.Match[str]]:
    """`NAME=value` alone on its line, and `: "${NAME:=value}"`."""
    own = rf"(?m)^[ \t]*(?:{name}=(?P<value>[^\n#]*?)|: \"?\$\{{{name}:?=(?P<default>[^\n]*)\}}\"?)[ \t]*(?:#[^\n]*)?$"
    return [hit for hit in re.finditer(own, text) if not re.search(r"[\"')\w]\s+\w", _value(hit).split("$(")[0])]


def _value(hit: re.Match[str]) -> str:
    return (hit["value"] if hit["value"] is not None else hit["default"]) or ""


def _hands_on(name: str, text: str) -> bool:
    """Whether a line that is no assignment, test or message uses the variable, or all variables are exported."""
    if re.search(r"(?m)^\s*set -[a-z]*a|\bset -o allexport", text):
        return True
    own = {text.count("\n", 0, hit.start()) for hit in _assignments(name, text)}
    word = re.compile(rf"(?<![\w-]){name}(?!\w)")
    plain = re.compile(rf"\s*(?:#|echo\b|printf\b|(?:el)?if\b|\(\(|\[|{name}=|unset\b)")
    lines = enumerate(text.splitlines())
    return any(word.search(line) and at not in own and not plain.match(line) for at, line in lines)


def _behind(text: str, at: int) -> int:
    """The end of the assignment's line, or of the block around it; -1 inside of a function."""
    end = _line_end(text, at)
    start = text.rfind("\n", 0, at) + 1
    while text[start : start + 1] in (" ", "\t"):
        start, end = end + 1, _line_end(text, end + 1)
        while start < len(text) and text[start] in " \t\r\n#":
            start, end = end + 1, _line_end(text, end + 1)
        if start >= len(text):
            return -1
        if _ENDS.match(text, start):
            return end - text[:end].endswith("\r")
        if text[start:end].startswith(("else", "elif")):
            text = text[:start] + " " + text[start + 1 :]
            continue
        return -1
    return end - text[:end].endswith("\r")


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _halved(script: Script, hits: Sequence[re.Match[str]]) -> tuple[Edit, ...] | Refusal:
    """All cores, handed on, are as many compilers as without: half of them."""
    edits: list[Edit] = []
    for hit in hits:
        value = _value(hit).strip()
        if not _CORES.match(value) or _SHARE.search(value.replace("/dev/null", "")):
            continue
        start = hit.start() + hit[0].index(value)
        new = f"$(( ({value} + 1) / 2 ))"
        made = script.replace(start, start + len(value), new, why="one compiler a core needs more memory than there is")
        if isinstance(made, Refusal):
            return made
        edits += made
    return tuple(edits)
