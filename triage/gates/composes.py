"""Supporting gate: every changed command line composes with the repository's own configuration, by real Hydra."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from triage.fixes.hydra.config import search_places
from triage.fixes.hydra.entry import Entry, find_entry
from triage.fixes.refusal import Refusal
from triage.gates.change import Change, failed, ok, skipped
from triage.gates.commands import Pair, changed_commands
from triage.gates.programs import NotRun, ask
from triage.interfaces import Tree
from triage.model.patch import Gate

NAME = "composes with Hydra"
_SECONDS = 40
# Shapes of command lines that are composed; each takes about half a second.
_MOST = 6
# Recipes for a command that did not compose: after them it must.
_MENDING = ("repair_override", "copy_override", "remove_override")
_KEY = re.compile(r"[^=]*=")


@dataclass(frozen=True, slots=True)
class Question:
    """Changed commands of one shape, the first of them before and after; `before` is None for a new command."""

    title: str
    before: Entry | None
    after: Entry
    commands: int = 1


def composes(change: Change) -> Gate | None:
    """None when the draft changes no Hydra program. A command that did not compose before proves nothing: skipped."""
    questions = _questions(change, changed_commands(change))
    if not questions:
        return None
    if find_spec("hydra") is None:
        return skipped(NAME, "hydra-core is not installed", mandatory=False)
    asked = questions[:_MOST]
    answers = _ask(change.after, [question.after for question in asked])
    if isinstance(answers, NotRun):
        return skipped(NAME, answers.reason, mandatory=False)
    wrong = [(question, answer) for question, answer in zip(asked, answers, strict=True) if answer]
    if wrong:
        return _blame(change, *wrong[0])
    count = sum(question.commands for question in questions)
    more = f", {len(asked)} shapes of {len(questions)} composed" if len(asked) < len(questions) else ""
    return ok(NAME, f"{count} command{'s' if count != 1 else ''}{more}", mandatory=False)


def _blame(change: Change, question: Question, error: str) -> Gate:
    """The draft is at fault when the command composed without it, and where the error names what it sets. Where it
    mends what Hydra refused, and Hydra then refuses another override of the command, the next run stops at that one."""
    own = {
        one.text.partition("=")[0].lstrip("+") for one in change.draft.expectations if one.kind not in ("line", "lines")
    }
    if any(f"'{key}'" in error for key in own):
        return failed(NAME, f"{question.title}: {error}", mandatory=False)
    others = {text.partition("=")[0].lstrip("+~") for text in question.after.overrides}
    if change.draft.recipe in _MENDING and any(f"'{key}'" in error for key in others):
        return failed(NAME, f"{question.title} would still not compose: {error}", mandatory=False)
    before = _ask(change.head, [question.before]) if question.before is not None else [""]
    if isinstance(before, NotRun) or before[0]:
        return skipped(NAME, f"{question.title} did not compose before either", mandatory=False)
    return failed(NAME, f"{question.title}: {error}", mandatory=False)


def _questions(change: Change, pairs: Sequence[Pair]) -> list[Question]:
    """One for each shape: commands whose overrides have the same keys compose alike."""
    questions: dict[tuple[object, ...], Question] = {}
    for pair in pairs:
        after = find_entry(change.after, pair.after)
        before = find_entry(change.head, pair.before) if pair.before else None
        if isinstance(after, Refusal):
            continue
        keys = (after.directory, after.name, tuple(_shape(text) for text in after.overrides))
        known = questions.get(keys)
        first = None if isinstance(before, Refusal) else before
        made = Question(pair.title, first, after)
        questions[keys] = (
            made if known is None else Question(known.title, known.before, known.after, known.commands + 1)
        )
    return list(questions.values())


def _shape(override: str) -> str:
    """The key, and whole what chooses a group: `model=large` decides which keys exist."""
    key = _KEY.match(override)
    return key[0] if key and "." in key[0] else override


def _ask(tree: Tree, entries: Sequence[Entry]) -> list[str] | NotRun:
    """For each entry "" when it composes, else Hydra's error."""
    files: dict[str, bytes] = {}
    for entry in entries:
        files |= _configuration(tree, entry)
    content = json.dumps({"requests": [_request(tree, entry) for entry in entries]}).encode()
    script = Path(__file__).with_name("composing.py")
    ended = ask((sys.executable, "-I", str(script)), files, stdin=content, seconds=_SECONDS)
    if isinstance(ended, NotRun):
        return ended
    try:
        return [str(answer) for answer in json.loads(ended.output)]
    except ValueError:
        return NotRun(f"Hydra ended without an answer: {(ended.errors.strip().splitlines() or ['?'])[-1]}")


def _configuration(tree: Tree, entry: Entry) -> dict[str, bytes]:
    """The files that Hydra may read, by path."""
    below = tuple(f"{place}/" for place in search_places(tree, entry))
    return {p: tree.read(p) for p in tree.paths() if p.startswith(below) and p.endswith((".yaml", ".yml"))}


def _request(tree: Tree, entry: Entry) -> dict[str, object]:
    return {
        "directory": entry.directory,
        "name": entry.name,
        "overrides": list(entry.overrides),
        "searchpath": search_places(tree, entry)[1:],
    }
