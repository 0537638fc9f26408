"""`repair_config`: a YAML file of the repository that a program cannot read, for one comma or one blank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import lines_of, splice, starts_of
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.yaml.nodes import parse_yaml
from triage.model.patch import Edit
from triage.model.recipe import RepairConfig

# The reader stops behind the slip: at the next word, or at the next line that does not fit.
_ABOVE = 3
# So many slips of one file are mended.
_SLIPS = 4
_KEY = re.compile(rb"[ \t]*(?:- )?[A-Za-z_][\w.-]*:(?=[^\s:/\\])")
_SOUND = re.compile(rb"[ \t]*(?:- )?[A-Za-z_][\w.-]*:(?: |\r?$)")
_OPEN = (b",", b"{", b"[", b":")


def repair_config(recipe: RepairConfig, here: Situation) -> Outcome:
    path = in_tree(here.tree, here.captures.get(recipe.file.strip("{}"), ""))
    if not path:
        return Refusal("the log names no one file of the repository")
    data = here.tree.read(path)
    broken = parse_yaml(path, data)
    if not isinstance(broken, Refusal):
        return InPlace(f"{path} is read as YAML")
    edits = _mended(path, data, broken.line)
    if not edits:
        return Refusal(f"{broken.reason}, and no one comma or blank explains it", path, broken.line)
    because = "Each of these keeps the reader from going on to the next." if len(edits) > 1 else ""
    return Edited(edits, (path,), promised(here, edits), title=f"Mend {path}: {edits[0].why}", because=because)


def _mended(path: str, data: bytes, line: int) -> tuple[Edit, ...]:
    """One edit for each slip that the reader runs into, from above; () where one cannot be told. What parses, or is
    read on, by two edits may mean two things."""
    edits: tuple[Edit, ...] = ()
    while len(edits) < _SLIPS:
        whole = splice(data, edits) if edits else data
        if isinstance(whole, Refusal):
            return ()
        shift = sum(len(one.new) for one in edits)
        further: dict[bytes, tuple[Edit, int]] = {}
        for one in _attempts(path, whole, line):
            made = splice(whole, (one,))
            left = Refusal("") if isinstance(made, Refusal) else parse_yaml(path, made)
            stops = left.line if isinstance(left, Refusal) else 0
            if not isinstance(made, Refusal) and (not stops or stops > line + _ABOVE):
                further[made] = (one, stops)
        if len(further) != 1:
            return ()
        ((one, stops),) = further.values()
        edits = (*edits, replace(one, start=one.start - shift, end=one.end - shift))
        if not stops:
            return edits
        line = stops
    return ()


def _attempts(path: str, data: bytes, line: int) -> Iterator[Edit]:
    lines = lines_of(data)
    starts = starts_of(lines)
    stop = min(line, len(lines)) - 1
    for at in range(stop, max(stop - _ABOVE, -1), -1):
        text = lines[at].split(b" #", 1)[0].rstrip()
        if not text.strip() or text.lstrip().startswith(b"#"):
            continue
        missing = _KEY.match(text)
        if missing and _has_like(lines, at):
            where = starts[at] + missing.end()
            yield Edit(path, where, where, b" ", "a key ends in a colon and a blank")
        if at < stop and not text.endswith(_OPEN) and text.lstrip()[:1] in b"\"'":
            where = starts[at] + len(text)
            yield Edit(path, where, where, b",", "a comma stands between two entries in braces")


def _has_like(lines: list[bytes], at: int) -> bool:
    """Whether a line of the same indentation beside it is written with the blank."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    beside = [lines[one] for one in (at - 1, at + 1) if 0 <= one < len(lines)]
    return any(_SOUND.match(one) and len(one) - len(one.lstrip()) == indent for one in beside)
