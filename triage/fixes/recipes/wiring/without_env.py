"""`env` where GitHub does not offer it: the value that the workflow's own `env` gives the name is written there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.wiring.misfits import blanked, expressions, scalars, spliced
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, child, entries
from triage.model.patch import Expectation

# Keys in which no `env` is known (GitHub's documentation, "Context availability").
_PLACES = re.compile(
    r"jobs\.[^.]+\.(?:if|name|runs-on|timeout-minutes|continue-on-error|container|container\.image"
    r"|(?:with|secrets|strategy|concurrency|env|runs-on)[.\[].*|runs-on|concurrency)\Z"
    r"|(?:concurrency|run-name)(?:\.(?:group|cancel-in-progress))?\Z|env\.[^.]+\Z"
)
_READ = re.compile(r"(?<![\w.-])env\.(?P<name>[A-Za-z_]\w*)(?![\w.-])", re.A)
_WHOLE = re.compile(r"\$\{\{(?P<inside>.*)\}\}\Z", re.S)
# What all of those keys know, whoever starts the workflow.
_CONTEXT = re.compile(r"(?<![\w.-])(?P<context>[A-Za-z_]\w*)\.")
_EVERYWHERE = frozenset(["github", "inputs", "vars"])
_WHY = "`env` is not known in this place, only below the job's steps"


def without_env(document: YamlDocument) -> Iterator[Outcome]:
    """One outcome for each scalar; none for names that the workflow's own `env` does not give."""
    held = {
        name: node.value.strip()
        for name, _, node in entries(child(document.root, "env"))
        if isinstance(node, yaml.ScalarNode)
    }
    for place, job, node in scalars(document.root, "", "") if held else ():
        changes = [
            one
            for start, text in (expressions(place, node.value) if _PLACES.match(place) else ())
            for one in _changes(start, text, held)
        ]
        if changes:
            yield _written(document, node, place, job, changes)


def _changes(first: int, expression: str, held: dict[str, str]) -> Iterator[tuple[int, int, str]]:
    """Start and end in the scalar, and what belongs there. What stands in quotes is text."""
    for found in _READ.finditer(blanked(expression)):
        value = held.get(found["name"])
        inner = None if value is None else _inner(value)
        if value is None or inner is None:
            continue
        alone = (whole := _WHOLE.match(expression)) is not None and whole["inside"].strip() == found[0]
        if alone:
            yield first, first + len(expression), value
        else:
            yield first + found.start(), first + found.end(), inner


def _inner(value: str) -> str | None:
    """The value as a part of an expression; None for one that means something else, or nothing, in another place."""
    if "${{" not in value:
        return "'" + value.replace("'", "''") + "'"
    whole = _WHOLE.match(value)
    if whole is None or "${{" in whole["inside"]:
        return None
    inside = whole["inside"].strip()
    named = {one["context"] for one in _CONTEXT.finditer(blanked(inside))}
    return f"({inside})" if named <= _EVERYWHERE else None


def _written(
    document: YamlDocument, node: yaml.ScalarNode, place: str, job: str, changes: list[tuple[int, int, str]]
) -> Outcome:
    made = spliced(document, node, changes, why=_WHY)
    if isinstance(made, Refusal):
        return made
    whole, edits = made
    promise = Expectation("value", f"{place}={whole.strip()}", job, document.path)
    return Edited(edits, (f"{document.path}:{place}",), (promise,))
