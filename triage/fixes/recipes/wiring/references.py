"""`repair_reference`: an expression asks for a name that nothing has, nearly that of an output, a step or an axis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.misfits import blanked, expressions, scalars, spliced
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import one_slip, resembling
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import RepairReference

_ASKED = re.compile(
    r"(?<![\w.-])(?P<of>matrix|steps|needs)\.(?P<name>[A-Za-z_][\w-]*)(?:\.outputs\.(?P<output>[A-Za-z_][\w-]*))?", re.A
)
# `name=value` and `name<<END`, as a script writes them to the file of outputs.
_WRITTEN = re.compile(r"(?:^|[\"'\s{;(]|name=)(?P<name>[A-Za-z_][\w-]*)(?:=|<<|::)", re.A)
_PRINTS = re.compile(r"echo|print|write|::|Output")


@dataclass(frozen=True, slots=True)
class _Slip:
    place: str
    job: str
    node: yaml.ScalarNode
    start: int
    end: int
    old: str
    new: str


def repair_reference(recipe: RepairReference, here: Situation) -> Outcome:
    """In the input of the failed step that the log calls empty; else in an output that it is made of."""
    name, step = here.captures.get(recipe.input.strip("{}"), ""), here.step
    if step is None or not name:
        return Refusal("the log names no input of a step that is known", here.job.path)
    place = f"{here.place}.steps[{step.index}].with.{name}"
    found = [one for one in _slips(here.tree, here.job.document) if one.place == place]
    return _mended(here.job.document, found) if found else Refusal(f"what `{name}` asks for is there", here.job.path)


def slips_of_jobs(tree: Tree, document: YamlDocument) -> Outcome | None:
    """What a job itself asks for, before any step runs: its machine, its matrix, what it hands on. None without any."""
    found = [one for one in _slips(tree, document) if ".steps[" not in one.place]
    return _mended(document, found) if found else None


def _mended(document: YamlDocument, found: list[_Slip]) -> Outcome:
    """One outcome for each scalar."""
    by_place: dict[str, list[_Slip]] = {}
    for one in found:
        by_place.setdefault(one.place, []).append(one)
    return together([_scalar(document, place, one) for place, one in by_place.items()])


def _scalar(document: YamlDocument, place: str, slips: list[_Slip]) -> Outcome:
    first = slips[0]
    changes = [(one.start, one.end, one.new) for one in slips]
    made = spliced(document, first.node, changes, why=f"nothing is called `{first.old}`")
    if isinstance(made, Refusal):
        return made
    whole, edits = made
    promise = Expectation("value", f"{place}={whole.strip()}", first.job, document.path)
    if "\n" in whole.strip():
        promise = replace(promise, kind="line", text=whole.strip().splitlines()[0])
    title = f"Ask for `{first.new}`, as it is called"
    because = f"Nothing is called `{first.old}`: the expression comes to nothing."
    return Edited(edits, (f"{document.path}:{place}",), (promise,), title=title, because=because)


def _slips(tree: Tree, document: YamlDocument) -> Iterator[_Slip]:
    for place, job, node in scalars(document.root, "", ""):
        for first, text in expressions(place, node.value) if job else ():
            if "||" in text:
                continue  # what it comes to without the name is said
            for found in _ASKED.finditer(blanked(text)):
                whose = _whose(document, job, found)
                owner = _meant(found["name"], whose)
                if owner:
                    yield _slip(place, job, node, first, found, "name", owner)
                if found["output"] and (owner or found["name"]) in whose:
                    names = _outputs(tree, document, whose[owner or found["name"]], found)
                    output = _meant(found["output"], names)
                    if output:
                        yield _slip(place, job, node, first, found, "output", output)


def _slip(place: str, job: str, node: yaml.ScalarNode, first: int, found: re.Match[str], group: str, new: str) -> _Slip:
    start, end = found.span(group)
    return _Slip(place, job, node, first + start, first + end, found[group], new)


def _meant(name: str, names: Iterable[str]) -> str:
    held = set(names)
    # GitHub makes no difference between upper and lower case.
    return "" if name.lower() in map(str.lower, held) else one_slip(name, held) or resembling(name, held)


def _whose(document: YamlDocument, job: str, found: re.Match[str]) -> dict[str, yaml.Node | None]:
    """What the first part of the reference may name, and where it stands; nothing where that cannot be told."""
    node = child(document.root, "jobs", job)
    if found["of"] == "matrix":
        return dict.fromkeys(_axes(child(node, "strategy", "matrix")))
    if found["of"] == "steps":
        return {text_of(child(one, "id")): one for one in items(child(node, "steps")) if child(one, "id") is not None}
    if child(document.root, "jobs", found["name"]) is not None and found["name"] not in _needs(node):
        return {}  # a job that is not waited for, and no slip
    return {name: child(document.root, "jobs", name) for name in _needs(node)}


def _needs(job: yaml.Node | None) -> list[str]:
    return [text_of(one) for one in items(child(job, "needs"))]


def _outputs(tree: Tree, document: YamlDocument, owner: yaml.Node | None, found: re.Match[str]) -> set[str]:
    return _of_job(tree, owner) if found["of"] == "needs" else _of_step(tree, document, owner, found)


def _axes(matrix: yaml.Node | None) -> set[str]:
    """Empty where the matrix, or what it includes, is put together by an expression."""
    if not isinstance(matrix, yaml.MappingNode):
        return set()
    included = child(matrix, "include")
    if included is not None and not isinstance(included, yaml.SequenceNode):
        return set()
    names = {name for name, _, _ in entries(matrix)} - {"include", "exclude"}
    return names | {name for one in items(included) for name, _, _ in entries(one)}


def _of_step(tree: Tree, document: YamlDocument, step: yaml.Node | None, found: re.Match[str]) -> set[str]:
    """What its script writes, or the action of the repository declares; of another action, what others ask of it."""
    used = text_of(child(step, "uses"))
    if used.startswith("./"):
        return _declared(tree, [f"{used.removeprefix('./').rstrip('/')}/action.{end}" for end in ("yml", "yaml")])
    script = text_of(child(step, "run"))
    if script:
        return _written(script, found["output"])
    asked = re.findall(rf"steps\.{re.escape(found['name'])}\.outputs\.([\w-]+)", document.text)
    given = [text_of(value) for _, _, value in entries(child(step, "with"))]
    if asked.count(found["output"]) > 1 or any(found["output"] in text for text in given):
        return set()  # an output that the step itself names is there
    return {one for one in asked if asked.count(one) > 1}


def _written(script: str, asked: str) -> set[str]:
    """What a script prints as outputs; a variable of its own is none, though one that is asked for may become one."""
    every = list(_WRITTEN.finditer(script))
    if "<<" in script or any(one["name"] == asked for one in every):
        return {one["name"] for one in every}
    return {one["name"] for one in every if _PRINTS.search(script[: one.start("name")].rpartition("\n")[2])}


def _declared(tree: Tree, paths: Iterable[str]) -> set[str]:
    for path in paths:
        document = parse_yaml(path, tree.read(path)) if path in tree else None
        if isinstance(document, YamlDocument):
            return {name for name, _, _ in entries(child(document.root, "outputs"))}
    return set()


def _of_job(tree: Tree, job: yaml.Node | None) -> set[str]:
    used = text_of(child(job, "uses")).removeprefix("./")
    if not used:
        return {name for name, _, _ in entries(child(job, "outputs"))}
    document = parse_yaml(used, tree.read(used)) if used in tree else None
    if not isinstance(document, YamlDocument):
        return set()
    return {name for name, _, _ in entries(child(document.root, "on", "workflow_call", "outputs"))}
