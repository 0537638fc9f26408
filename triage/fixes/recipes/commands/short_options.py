"""pip's short options with a sign: the value of `-f=URL` begins with `=`."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at
from triage.model.patch import Edit

_SIGNED = re.compile(rb"(?<=\s)(-[firc])=([^\s=])")
_VERBS = ("install", "wheel", "download")


def part_short_options(here: Situation) -> Outcome:
    """In each command of pip that has one."""
    calls = {
        one.calls[-1].key: (one, one.calls[-1])
        for one in here.concerned
        if one.calls and not one.substitution and _installs(one)
    }
    edits: list[Edit] = []
    declared: list[str] = []
    for one, call in calls.values():
        data = here.tree.read(call.path) if call.path in here.tree else b""
        for hit in _SIGNED.finditer(data[call.start : call.end]):
            old, new = hit[0].decode(), f"{hit[1].decode()} {hit[2].decode()}"
            why = "the value of a short option begins right behind it: with the sign, if there is one"
            made = replace_at(here.tree, call.path, call.start + hit.start(), old, new, why=why)
            if isinstance(made, Refusal):
                return made
            edits += made
            declared.append(declared_at(here, call.path, one.step))
    hidden = [word for one, _ in calls.values() for word in one.program if _SIGNED.match(f" {word.head}x".encode(), 1)]
    if hidden and not edits:
        return Words(
            f"write `{hidden[0].head.replace('=', ' ', 1)}`: the value of a short option begins right behind it"
        )
    if not edits:
        return InPlace("no short option has a sign") if calls else Refusal(f"no command of {here.job.id} is pip's")
    title = "Part pip's short options from their values by a blank"
    return Edited(tuple(edits), tuple(dict.fromkeys(declared)), promised(here, edits), title=title)


def _installs(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program]
    pip = bool(words) and (one.module == "pip" or re.match(r"pip[0-9.]*\Z", posixpath.basename(words[0])) is not None)
    return pip and any(verb in words for verb in _VERBS)
