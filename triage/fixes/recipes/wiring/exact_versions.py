"""`widen_version`: an exact release of a language that the setup action does not find becomes its series."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.matrix import key_of_matrix, matrix_values
from triage.fixes.yaml.nodes import child, every_node, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import WidenVersion

_EXACT = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.[0-9]{1,3}\Z")
# Series of Python that the action has for every machine of GitHub, oldest first: those of its manifest,
# actions/python-versions.
PYTHONS = tuple(f"3.{minor}" for minor in range(8, 15))


@dataclass(frozen=True, slots=True)
class _Tool:
    """`parts` of the number name a series that gets only repairs: of Node.js, by its own rules, the first alone."""

    input: str
    parts: int


_TOOLS = {"actions/setup-python": _Tool("python-version", 2), "actions/setup-node": _Tool("node-version", 1)}


def widen_version(recipe: WidenVersion, here: Situation) -> Outcome:
    version = here.captures.get(recipe.version.strip("{}"), "")
    if _EXACT.match(version) is None:
        return Refusal(f"`{version}` is no exact release")
    uses = [*_uses(here)]
    if not uses:
        return Refusal(f"no step of {here.job.id} sets up Python or Node.js", here.job.path, here.job.line)
    parts: list[Outcome] = []
    for index, tool, node in uses:
        places = _places(here, index, tool, node)
        if isinstance(places, Refusal):
            return places
        parts += [_widened(here, tool, one, place) for one, place in places if _written(one) == version]
    if not parts:
        return InPlace(f"no step of {here.job.id} asks for {version}")
    return together(parts)


def _uses(here: Situation) -> Iterator[tuple[int, _Tool, yaml.Node]]:
    """Steps that set a language up, only the failed one where it is such a step, with what they are given."""
    found = [
        (step.index, tool, node)
        for step in here.job.steps
        if (tool := _TOOLS.get(step.uses.partition("@")[0])) is not None
        and (node := child(step.node, "with", tool.input)) is not None
    ]
    own = [one for one in found if here.step is not None and one[0] == here.step.index]
    yield from own or found


def _places(here: Situation, index: int, tool: _Tool, node: yaml.Node) -> list[tuple[yaml.Node, str]] | Refusal:
    """What decides the version, with its semantic path: the scalar itself, or the matrix that it comes from."""
    place = f"{here.place}.steps[{index}].with.{tool.input}"
    text = text_of(node)
    if "${{" not in text:
        return [(node, place)]
    key = key_of_matrix(text)
    if not key:
        return Refusal(f"`{text}` is decided elsewhere", here.job.path, here.job.document.line(node))
    reader = _other_reader(here, key, node)
    if reader:
        return Refusal(f"{reader} reads `matrix.{key}` too, perhaps as an exact release", here.job.path)
    listed = child(here.job.node, "strategy", "matrix", key)
    if isinstance(listed, yaml.ScalarNode):
        return Refusal(f"`{text}` is computed", here.job.path, here.job.document.line(listed))
    return list(matrix_values(here.job.node, here.place, key, ("include", "exclude")))


def _other_reader(here: Situation, key: str, own: yaml.Node) -> str:
    """What else of the job reads the matrix value and does something with it; names are for people."""
    name = re.escape(key)
    read = re.compile(rf"matrix(?:\.{name}(?![\w-])|\[\s*'{name}'\s*\])|toJSON\(\s*matrix\s*\)", re.I)
    names = [id(child(here.job.node, "name")), *(id(child(step.node, "name")) for step in here.job.steps)]
    given = [id(child(step.node, "with", tool.input)) for step in here.job.steps for tool in _TOOLS.values()]
    for node in every_node(here.job.node):
        if (
            id(node) in (*names, *given, id(own))
            or not isinstance(node, yaml.ScalarNode)
            or not read.search(node.value)
        ):
            continue
        return f"{here.job.path}:{here.job.document.line(node)}"
    return ""


def _written(node: yaml.Node) -> str:
    """As it stands in the file: no number, so that zeros stay."""
    return text_of(node).strip()


def _widened(here: Situation, tool: _Tool, node: yaml.Node, place: str) -> Outcome:
    document, old = here.job.document, _written(node)
    found = _EXACT.match(old)
    if found is None or id(node) in document.aliased:
        return Refusal(f"`{old}` is shared through an anchor", document.path, document.line(node))
    series = f"{int(found[1])}.{int(found[2])}"
    if tool.input == "python-version" and series not in PYTHONS:
        return Refusal(f"Python {series} may have no release for this machine", document.path)
    new = ".".join(found.groups()[: tool.parts])
    made = asked(here, node, place, new, why=f"there is no {old} for this machine")
    if isinstance(made, Refusal):
        return made
    return replace(made, title=f"Ask for the newest release of {new} instead of {old}")


def asked(here: Situation, node: yaml.Node, place: str, new: str, *, why: str, quote: str = "'") -> Edited | Refusal:
    """Another version in the scalar of the job's file at the semantic path `place`; `quote`: where it has none."""
    document = here.job.document
    # Quoted: YAML reads 3.10 as the number 3.1.
    quote = node.style if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') else quote
    start, end = document.start(node), document.end(node)
    if id(node) in document.aliased or document.data[start:end].strip(b"'\"") != _written(node).encode():
        return Refusal("the version is written in a form that is not edited", document.path, document.line(node))
    edit = Edit(document.path, start, end, f"{quote}{new}{quote}".encode(), why)
    promise = Expectation("value", f"{place}={new}", here.target.job, document.path)
    return Edited((edit,), (f"{document.path}:{place}",), (promise,))
