"""Contexts that a condition does not know: `secrets` in that of a step, `matrix` and `env` in that of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.wiring.misfits import blanked, expressions, scalars, spliced
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.model.patch import Expectation

# GitHub's documentation, "Context availability": jobs.<job_id>.if.
_OF_JOBS = ("github", "needs", "vars", "inputs")
_UNKNOWN = re.compile(r"(?<![\w.'-])(?P<context>env|matrix|secrets|steps|runner|job|strategy)\.[A-Za-z_]", re.A)
_SECRET = re.compile(r"(?<![\w.'-])secrets\.(?P<name>[A-Za-z_]\w*)(?![\w.-])", re.A)
_FORMAT = re.compile(r"\bformat\(\s*'[^']*?(\{([0-9]):[^}']*\})")
_WHY = "a condition does not know `secrets`, and knows `env`"


def secrets_in_conditions(document: YamlDocument) -> Iterator[Outcome]:
    """`if: secrets.TOKEN != ''` of a step asks the job's `env`, which is given the secret under its own name."""
    for job, _, node in entries(child(document.root, "jobs")):
        wanted: dict[str, None] = {}
        for at, step in enumerate(items(child(node, "steps"))):
            condition = child(step, "if")
            names = _secrets(condition)
            if names and isinstance(condition, yaml.ScalarNode):
                wanted |= dict.fromkeys(names)
                yield _asked(document, condition, f"jobs.{job}.steps[{at}].if", job)
        if wanted:
            yield _given(document, node, job, list(wanted))


def _secrets(condition: yaml.Node | None) -> list[str]:
    text = text_of(condition)
    return [one["name"] for _, part in expressions(".if", text) for one in _SECRET.finditer(blanked(part))]


def _asked(document: YamlDocument, condition: yaml.ScalarNode, place: str, job: str) -> Outcome:
    changes = [
        (first + one.start(), first + one.end(), f"env.{one['name']}")
        for first, part in expressions(".if", condition.value)
        for one in _SECRET.finditer(blanked(part))
    ]
    made = spliced(document, condition, changes, why=_WHY)
    if isinstance(made, Refusal):
        return made
    promise = Expectation("value", f"{place}={made[0].strip()}", job, document.path)
    return Edited(made[1], (f"{document.path}:{place}",), (promise,))


def _given(document: YamlDocument, node: yaml.Node, job: str, names: list[str]) -> Outcome:
    """Those that neither the job nor the workflow has in its `env`, all at once."""
    own = [child(step, "env") for step in items(child(node, "steps"))]
    pairs = []
    for name in names:
        value = f"${{{{ secrets.{name} }}}}"
        held = [text_of(child(env, name)) for env in (child(node, "env"), child(document.root, "env"), *own)]
        if any(one and _bare(one) != _bare(value) for one in held):
            return Refusal(f"`{name}` is another variable in {job}", document.path, document.line(node))
        pairs += [(name, value)] if not any(held[:2]) else []
    if not pairs:
        return InPlace(f"{job} has them in its `env`")
    edits = add_entries(document, node, "env", pairs, why="the condition of a step asks for it")
    if isinstance(edits, Refusal):
        return edits
    places = {f"jobs.{job}.env.{name}": value for name, value in pairs}
    promises = tuple(Expectation("value", f"{one}={value}", job, document.path) for one, value in places.items())
    made = [f"jobs.{job}.env"] if child(node, "env") is None else []
    return Edited(edits, tuple(f"{document.path}:{one}" for one in (*places, *made)), promises)


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def unknown_in_jobs(document: YamlDocument) -> str:
    """What the condition of a job asks that no job knows yet; "" for none."""
    for job, _, node in entries(child(document.root, "jobs")):
        condition = child(node, "if")
        for _, part in expressions(".if", text_of(condition)):
            found = _UNKNOWN.search(blanked(part))
            if found and isinstance(condition, yaml.ScalarNode):
                known = ", ".join(f"`{one}`" for one in _OF_JOBS)
                return (
                    f"{document.path}:{document.line(condition)}: `{found['context']}` is not known in the `if` of "
                    f"the job `{job}`: only {known} are. Ask it in the `if` of its steps, or leave the cell out of the "
                    "matrix"
                )
    return ""


def foreign_formats(document: YamlDocument) -> str:
    """`format('{0:yyyyMMdd}', x)`: GitHub's function puts values in and knows no form for them; "" for none."""
    for place, _, node in scalars(document.root, "", ""):
        for _, part in expressions(place, node.value):
            found = _FORMAT.search(part)
            if found:
                return (
                    f"{document.path}:{document.line(node)}: `format` puts values in by their number and takes no form "
                    f"for them (`{found[1]}`): write `{{{found[2]}}}`, and have a step before print the value in its "
                    f"form to `$GITHUB_OUTPUT` ({place})"
                )
    return ""
