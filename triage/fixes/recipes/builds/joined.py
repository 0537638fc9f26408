"""Two commands of an instruction that are joined wrongly: by two operators in a row, or by none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_of, line_start
from triage.fixes.manifests.dockerfile import Instruction, simple_commands
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import MendInstruction

# `; \` and `&& command` on the next line: an end, then an operator without anything before it.
_GAP = rb"(?:[ \t]|\\[ \t]*\r?\n)*"
_TWICE = re.compile(rb"(?:(?<!;);(?!;)|&&)" + _GAP + rb"(?P<second>(?:&&|\|\|)[ \t]*)")
# Words that begin an install: in the middle of one they are a command of their own.
_LEAST, _MOST = 2, 5
_CONTINUED = re.compile(rb"[ \t]*\\[ \t]*\r?\n[ \t]*\Z")


def drop_operator(recipe: MendInstruction, here: Situation, data: bytes, own: Instruction) -> Outcome:
    """The second of two operators in a row, where the instruction has one such place."""
    found = list(_TWICE.finditer(data, own.start, own.end))
    if not found:
        return _none(recipe, here, data, own, "has no two operators in a row")
    if len(found) > 1:
        return Refusal(f"two operators stand in a row in {len(found)} places", here.image)
    start, end = found[0].span("second")
    edit = Edit(here.image, start, end, b"", "the shell wants a command between two operators")
    title = f"Take the second operator away at {here.image}:{line_of(data, start)}"
    made = Edited((edit,), (here.image,), promised(here, (edit,)), title=title)
    return replace(made, settled=replace(recipe, settled=here.image))


def _none(recipe: MendInstruction, here: Situation, data: bytes, own: Instruction, said: str) -> Outcome:
    text = f"{here.image}:{line_of(data, own.named)} {said}"
    return InPlace(text) if recipe.settled else Refusal(text)


def join_commands(recipe: MendInstruction, here: Situation, data: bytes, own: Instruction) -> Outcome:
    """`&&` before a line that begins as its command does: `pip install a \\`, `pip install b`."""
    places = list(_swallowed(data, own))
    if not places:
        return _none(recipe, here, data, own, "gives no command to another one as its words")
    edits = []
    for at in places:
        gap = _CONTINUED.search(data[:at])
        start = gap.start() if gap else at
        edits.append(Edit(here.image, start, start, b" &&", "the line before swallows the command as its arguments"))
    title = f"Join the commands at {here.image}:{line_of(data, places[0])}"
    made = Edited(tuple(edits), (here.image,), promised(here, edits), title=title)
    return replace(made, settled=replace(recipe, settled=here.image))


def _swallowed(data: bytes, own: Instruction) -> Iterator[int]:
    """Where words stand that begin the same command, first on a continued line."""
    for words in simple_commands(data, own):
        texts = [word.literal or "" for word in words]
        head = next((at + 1 for at, text in enumerate(texts[:_MOST]) if text in ("install", "add")), 0)
        if head < _LEAST or "" in texts[:head]:
            continue
        for at in range(head, len(texts) - head):
            begins = line_start(data, words[at].start)
            if texts[at : at + head] == texts[:head] and not data[begins : words[at].start].strip():
                yield words[at].start
