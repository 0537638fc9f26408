"""`repeat_option`: one more value for an option that a command gives several times already."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import RepeatOption

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,119}\Z")
# One value is no list yet: it may stand there for a reason of its own.
_LEAST = 2


def repeat_option(recipe: RepeatOption, here: Situation) -> Outcome:
    value = here.captures.get(recipe.value.strip("{}"), "")
    if not _SAFE.match(value):
        return Refusal("the log names nothing that could be left out")
    own = [one for one in here.concerned if one.calls and _starts(one, recipe.commands)]
    given = {one.calls[-1].key: (one, _values(one, recipe.option)) for one in own}
    listing = [
        (one, values) for one, values in given.values() if sum(_alike(value, other) for other in values) >= _LEAST
    ]
    if any(value in values for _, values in given.values()):
        return InPlace(f"{here.job.id} passes {recipe.option} {value}")
    if len(listing) != 1:
        where = ", ".join(f"{one.calls[-1].path}:{one.calls[-1].line}" for one, _ in given.values())
        return Words(f"pass `{recipe.option} {value}` at {where or here.job.path} if the target machine brings it")
    one = listing[0][0]
    return _one_more(recipe, here, one, value)


def _starts(one: Invocation, commands: tuple[str, ...]) -> bool:
    words = [word.text or "" for word in one.program]
    line = " ".join([posixpath.basename(words[0]), *words[1:]]) if words else ""
    return any(line.startswith(f"{start} ") for start in commands)


def _values(one: Invocation, option: str) -> list[str]:
    words = [word.text or "" for word in one.argv]
    after = [words[at + 1] for at, word in enumerate(words[:-1]) if word == option]
    return after + [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]


def _alike(value: str, other: str) -> bool:
    """Of the same kind: `libruntime.so` and `libdriver.so.2`."""
    kind, another = (text.partition(".")[2].partition(".")[0] for text in (value, other))
    return kind == another


def _one_more(recipe: RepeatOption, here: Situation, one: Invocation, value: str) -> Outcome:
    """Behind the last such option, on a line of its own where that has one, in its quotes."""
    words = [at for at, word in enumerate(one.argv) if word.text == recipe.option]
    call = one.calls[-1]
    if not words or not call.insertable:
        return Refusal("the command is put together at run time", call.path, call.line)
    (first, *_), last = one.argv[words[-1]].sites, one.argv[words[-1] + 1].sites[-1]
    data = here.tree.read(call.path)
    if (first.path, last.path) != (call.path, call.path):
        return Refusal("its options stand in another file", call.path, call.line)
    end = last.end + (last.quote in ("'", '"'))
    text = data[first.start : end]
    before = data[data.rfind(b"\n", 0, first.start) + 1 : first.start]
    gap = b" \\\n" + before if not before.strip() else b" "
    old = one.argv[words[-1] + 1].text or ""
    if text.count(old.encode()) != 1:
        return Refusal("the last value is put together", call.path, call.line)
    new = gap + text.replace(old.encode(), value.encode())
    edits = (Edit(call.path, end, end, new, f"the command leaves {len(words)} of its kind out already"),)
    made = Edited(edits, (declared_at(here, call.path, one.step),), promised(here, edits))
    made = replace(made, title=f"Pass {recipe.option} {value} too", blast_radius=blast_of_calls(here, (call,)))
    return made.noting(f"the machine that uses it must bring {value} itself, as it does the others")
