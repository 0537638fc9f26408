"""Slips in expressions that other languages would take: a text without quotes, `and` and `or` for the operators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.wiring.misfits import blanked, expressions, scalars, spliced
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument
from triage.model.patch import Expectation

# What an expression may name; a word that is compared and is none of them is a text that lost its quotes.
_CONTEXTS = frozenset(
    ["github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"]
)
_WORDS = frozenset({"true", "false", "null", "nan", "infinity"})
_COMPARED = re.compile(r"[=!]=\s*(?P<word>[A-Za-z_][\w/-]*)(?![\w.(/-])", re.A)
_OPERATOR = re.compile(r"(?<=[\s)'])(?P<word>and|or|AND|OR)(?=[\s(])")
_WRITTEN = {"and": "&&", "or": "||"}


def bare_words(document: YamlDocument) -> Iterator[Outcome]:
    """One outcome for each scalar that holds such slips."""
    for place, job, node in scalars(document.root, "", ""):
        changes = sorted({one for start, text in expressions(place, node.value) for one in _slips(start, text)})
        if not changes:
            continue
        made = spliced(document, node, changes, why="an expression takes `'text'`, `&&` and `||`")
        if isinstance(made, Refusal):
            yield made
            return
        whole, edits = made
        first = whole.strip().splitlines()[0] if "\n" in whole.strip() else ""
        kind, text = ("line", first) if first else ("value", f"{place}={whole.strip()}")
        yield Edited(edits, (f"{document.path}:{place}",), (Expectation(kind, text, job, document.path),))


def _slips(first: int, expression: str) -> Iterator[tuple[int, int, str]]:
    """Start and end in the scalar, and what belongs there. What stands in quotes is text; a comment is another slip."""
    blank = blanked(expression)
    if "#" in blank:
        return
    for found in _COMPARED.finditer(blank):
        word = found["word"]
        if word.lower() not in _CONTEXTS | _WORDS:
            yield first + found.start("word"), first + found.end("word"), f"'{word}'"
    for found in _OPERATOR.finditer(blank):
        yield first + found.start("word"), first + found.end("word"), _WRITTEN[found["word"].lower()]
