"""Supporting gate: every changed command line composes with the repository's own configuration, by real Hydra."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from triage.fixes.hydra.config import search_places
from triage.fixes.hydra.entry import Entry, find_entry
from triage.fixes.refusal import Refusal
from triage.gates.applies import write
from triage.gates.change import Change, failed, ok, skipped
from triage.gates.commands import Pair, changed_commands
from triage.gates.programs import NotRun, execute
from triage.model.patch import Gate

NAME = "composes with Hydra"
_SECONDS = 30
_MOST = 40


@dataclass(frozen=True, slots=True)
class Question:
    """One changed command, before and after; `before` is None for a command that was not there."""

    title: str
    before: Entry | None
    after: Entry


def composes(change: Change) -> Gate | None:
    """None when the draft changes no Hydra program. A command that did not compose before proves nothing: skipped."""
    questions = _questions(change, changed_commands(change))
    if not questions:
        return None
    if find_spec("hydra") is None:
        return skipped(NAME, "hydra-core is not installed (pip install 'triage[hydra]')", mandatory=False)
    with TemporaryDirectory(prefix="triage-") as folder:
        answers = _ask(change, questions, Path(folder).resolve())
    return skipped(NAME, answers.reason, mandatory=False) if isinstance(answers, NotRun) else _judge(questions, answers)


def _questions(change: Change, pairs: Sequence[Pair]) -> list[Question]:
    questions: dict[tuple[Entry | None, Entry], Question] = {}
    for pair in pairs:
        after = find_entry(change.after, pair.after)
        before = find_entry(change.head, pair.before) if pair.before else None
        if not isinstance(after, Refusal):
            first = None if isinstance(before, Refusal) else before
            questions.setdefault((first, after), Question(pair.title, first, after))
    return list(questions.values())[:_MOST]


def _ask(change: Change, questions: Sequence[Question], root: Path) -> dict[Entry, str] | NotRun:
    entries = list(dict.fromkeys(entry for q in questions for entry in (q.before, q.after) if entry is not None))
    requests = []
    for entry in entries:
        places = search_places(change.after, entry)
        below = tuple(f"{place}/" for place in places)
        paths = [path for path in change.after.paths() if path.startswith(below) and path.endswith((".yaml", ".yml"))]
        write(root, {path: change.after.read(path) for path in paths})
        requests.append(_request(root, entry, places))
    script = Path(__file__).with_name("composing.py")
    content = json.dumps({"requests": requests}).encode()
    ended = execute((sys.executable, "-I", str(script)), root, stdin=content, seconds=_SECONDS)
    if isinstance(ended, NotRun):
        return ended
    try:
        return dict(zip(entries, json.loads(ended.output), strict=True))
    except ValueError:
        return NotRun(f"Hydra ended without an answer: {(ended.errors.strip().splitlines() or ['?'])[-1]}")


def _request(root: Path, entry: Entry, places: Sequence[str]) -> dict[str, object]:
    return {
        "directory": str(root / entry.directory),
        "name": entry.name,
        "overrides": list(entry.overrides),
        "searchpath": [f"file://{root / place}" for place in places[1:]],
    }


def _judge(questions: Sequence[Question], answers: dict[Entry, str]) -> Gate:
    unclear = 0
    for question in questions:
        error = answers[question.after]
        if not error:
            continue
        if question.before is not None and answers[question.before]:
            unclear += 1
            continue
        return failed(NAME, f"{question.title}: {error}", mandatory=False)
    if unclear:
        return skipped(NAME, f"{unclear} of {len(questions)} commands did not compose before either", mandatory=False)
    return ok(NAME, f"{len(questions)} command{'s' if len(questions) != 1 else ''}", mandatory=False)
