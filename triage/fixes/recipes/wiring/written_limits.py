"""Limits in the text of what the failed step runs, where its commands cannot be followed as far as that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.fixes.document import line_of
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.commands.scripts import Script, scripts_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.limits import NAMED, Limit, unit_of
from triage.fixes.refusal import Refusal

# An option whose name speaks of a time limit, with its number; `timeout 30m bash run.sh`.
_TIME = NAMED.pattern
_OPTION = re.compile(
    rf"(?i)(?<![\w-])(?P<name>--[a-z][\w-]*{_TIME}[\w-]*|--{_TIME}[\w-]*)(?:=|[ \t]+)[\"']?"
    r"(?P<number>[0-9]{1,7}(?:\.[0-9]+)?)(?P<unit>[smhd]?)(?![\w.])"
)
_COMMAND = re.compile(
    r"(?<![\w./-])(?P<name>g?timeout)(?:[ \t]+(?:-[ks][ \t]+[^\s-]\S*|-[\w-]+(?:=\S+)?))*[ \t]+"
    r"(?P<number>[0-9]{1,7}(?:\.[0-9]+)?)(?P<unit>[smhd]?)(?=[ \t]+[\w./\"'$-])"
)


def written_limits(here: Situation) -> Iterator[Limit]:
    """Those that stand there as numbers, each once."""
    for script in scripts_of(here):
        for kind, pattern in (("flag", _OPTION), ("command", _COMMAND)):
            for found in pattern.finditer(script.text):
                limit = None if _is_comment(script.text, found.start()) else _limit(here, script, kind, found)
                if limit is not None:
                    yield limit


def _is_comment(text: str, at: int) -> bool:
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith("#")


def _limit(here: Situation, script: Script, kind: str, found: re.Match[str]) -> Limit | None:
    """None where the number's bytes in the file cannot be told."""
    number = found["number"]
    edits = script.replace(found.start("number"), found.end("number"), f"{number}0", why="")
    if isinstance(edits, Refusal) or len(edits) != 1:
        return None
    edit, data = edits[0], here.tree.read(script.path)
    if data[edit.start : edit.end] != number.encode():
        return None
    site = Site(script.path, edit.start, edit.end, line_of(data, edit.start), SiteKind.LITERAL, found["name"])
    unit = unit_of(found["unit"], found["name"]) if kind == "flag" else unit_of(found["unit"] or "s", "")
    return Limit(kind, found["name"], number, unit, site, script.declared(here))
