"""`repair_value`: an option whose value is none of its choices, because the value itself is missing or mistyped.

The choices are the log's: one of them is written only where a text of the tree has that word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import is_remark
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import promised, shell_files
from triage.fixes.recipes.held import holds_word
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.shell.edits import replace_value
from triage.model.patch import Edit, Expectation
from triage.model.recipe import RepairValue

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\Z")
_TEXTS = (".sh", ".yml", ".yaml", ".py", ".md", ".rst", "Makefile")
# What is no choice but the next argument of the command: a path, a repository, a number with a unit, an option.
_OTHER = re.compile(r"[/:=.]|^-")


def repair_value(recipe: RepairValue, here: Situation) -> Outcome:
    names = (recipe.flag, recipe.value, recipe.choices)
    argument, value, listed = (here.captures.get(name.strip("{}"), "") for name in names)
    flag = next((one for one in argument.split("/") if one.startswith("--")), argument)
    choices = [one for one in re.split(r"[,\s'\"]+", listed) if _SAFE.match(one)]
    if not flag.startswith("-") or not value or not choices:
        return Refusal("the log does not say which option has which choices")
    passing = [(one, pair) for one in here.concerned for pair in _pairs(one, flag)]
    wrong = [(one, word) for one, word in passing if word.text == value]
    if recipe.settled and any(word.text == recipe.settled for _, word in passing) and not wrong:
        return InPlace(f"{here.job.id} passes {flag} {recipe.settled}")
    if not wrong and recipe.settled and _texts_with(here, flag, recipe.settled):
        return InPlace(f"the repository passes {flag} {recipe.settled}")
    if not wrong and (made := _in_one_text(recipe, here, flag, value, choices)) is not None:
        return made
    if not wrong:
        return Refusal(f"no command of {here.job.id} passes {flag} {value}", here.job.path, here.job.line)
    places: dict[object, tuple[Invocation, Value]] = {}
    for one, word in wrong:
        places.setdefault(word.sites[0].key if word.sites else word, (one, word))
    parts = [_repaired(recipe, here, one, word, flag, choices) for one, word in places.values()]
    whole, settled = together(parts), [part.settled for part in parts if isinstance(part, Edited)]
    return replace(whole, settled=settled[0]) if isinstance(whole, Edited) else whole


def _in_one_text(recipe: RepairValue, here: Situation, flag: str, value: str, choices: Sequence[str]) -> Outcome | None:
    """Where the job's commands cannot be followed so far: the one script of the tree that passes the value so, once."""
    found = _texts_with(here, flag, value)
    new = resembling(value, choices)
    if len(found) != 1 or not new or not holds_word(here.tree, new, _TEXTS):
        return None
    path, at = found[0]
    edit = Edit(path, at, at + len(value.encode()), new.encode(), f"{flag} takes one of {', '.join(choices[:8])}")
    title, settled = f"Pass {flag} {new}", replace(recipe, settled=new)
    return Edited((edit,), (path,), promised(here, (edit,)), title=title, settled=settled)


def _texts_with(here: Situation, flag: str, value: str) -> list[tuple[str, int]]:
    """Where scripts write the option with the value: the file, and the byte at which the value begins."""
    pair = re.compile(
        rb"(?<![\w-])" + re.escape(flag.encode()) + rb"[ =]+(" + re.escape(value.encode()) + rb")(?![\w.-])"
    )
    texts = ((path, here.tree.read(path)) for path in shell_files(here.tree))
    hits = ((path, text, hit.start(1)) for path, text in texts for hit in pair.finditer(text))
    return [(path, at) for path, text, at in hits if not is_remark(text, at)]


def _pairs(one: Invocation, flag: str) -> Iterator[Value]:
    """What the command passes for the option."""
    for at, word in enumerate(one.argv):
        if word.text == flag and at + 1 < len(one.argv):
            yield one.argv[at + 1]
        elif word.startswith(f"{flag}="):
            yield word.after(f"{flag}=")


def _repaired(
    recipe: RepairValue, here: Situation, one: Invocation, word: Value, flag: str, choices: Sequence[str]
) -> Outcome:
    site = word.sites[0] if len(word.sites) == 1 else None
    value = word.text or ""
    where = f"{site.path}:{site.line}" if site is not None else one.step_name
    missing = bool(_OTHER.search(value)) and any(other.text == flag for other in one.argv)
    new = _of_siblings(here, one, flag, choices) if missing else resembling(value, choices)
    if not new or site is None or not (missing or holds_word(here.tree, new, _TEXTS)):
        listed = ", ".join(choices[:8])
        return Words(f"{where} passes {flag} {value}, which takes one of: {listed}; the tree does not say which")
    written = f"{new} {value}" if missing else new
    edits = _before(here, site, value, new) if missing else replace_value(here.tree, site, value, new, why="")
    if isinstance(edits, Refusal):
        return edits
    why = f"{flag} takes one of {', '.join(choices[:8])}"
    edits = tuple(replace(edit, why=why) for edit in edits)
    joined = not any(other.text == flag for other in one.argv)
    promise = Expectation(
        "argument", f"{flag}={new}" if joined else new, here.target.job, here.target.workflow_path, "", one.step
    )
    made = Edited(edits, (declared_at(here, site.path, one.step),), (promise,))
    radius = blast_radius(here, (site,))
    return replace(made, title=f"Pass {flag} {written}", settled=replace(recipe, settled=new), blast_radius=radius)


def _before(here: Situation, site: Site, value: str, new: str) -> tuple[Edit, ...] | Refusal:
    """The missing word in front of the one that was taken for it, where that stands in the command itself."""
    data = here.tree.read(site.path) if site.path in here.tree else b""
    if site.kind is not SiteKind.LITERAL or data[site.start : site.end] != value.encode():
        return Refusal(f"`{value}` does not stand in the command itself", site.path, site.line)
    at = site.start - len(site.quote) if site.quote in ("'", '"') else site.start
    if not data[:at].endswith((b" ", b"\t")):
        return Refusal(f"`{value}` is a part of another word", site.path, site.line)
    return (Edit(site.path, at, at, f"{new} ".encode(), ""),)


def _of_siblings(here: Situation, one: Invocation, flag: str, choices: Sequence[str]) -> str:
    """The one choice that other commands of the tree pass to the same program."""
    words = [value.text or "" for value in one.program]
    program = words[0].rpartition("/")[2] if words else ""
    pattern = re.compile(rf"{re.escape(program)}\b[^\n|;&]{{0,300}}{re.escape(flag)}[ =]([\w.+-]+)(?![\w./-])")
    seen = set()
    for path in here.tree.paths() if program else ():
        if path.endswith(_TEXTS):
            text = here.tree.read(path).decode("utf-8", "replace")
            seen |= {found[1] for found in pattern.finditer(text) if found[1] in choices} if flag in text else set()
    return seen.pop() if len(seen) == 1 else ""
