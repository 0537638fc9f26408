"""`default_input`: an input of a started workflow that is empty where a schedule or a push starts it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import DefaultInput

_READ = re.compile(r"\$\{\{\s*(?P<whole>(?:github\.event\.)?inputs\.(?P<name>[A-Za-z_][\w-]*))(?P<end>\s*)\}\}")
_FALLS_BACK = re.compile(r"\binputs\.(?P<name>[A-Za-z_][\w-]*)\s*\|\|")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
# Events that give the inputs their values.
_GIVING = frozenset({"workflow_dispatch", "workflow_call"})
# What is left of a name whose variable part is empty.
_HOLLOW = re.compile(r"^[:/=-]|[:/=-]$|//|::|==$")


def default_input(recipe: DefaultInput, here: Situation) -> Outcome:
    """`|| 'all'` behind each input that has a default, in the failed job and in those that it waits for. Only where the
    log shows the place of one of them empty, or a name with nothing in that place."""
    document, events = here.job.document, here.job.workflow.triggers - _GIVING
    if here.job.path != here.target.workflow_path or not events:
        return Refusal("nothing but a person, who gives every input, starts the workflow", here.job.path)
    declared = entries(child(document.root, "on", "workflow_dispatch", "inputs"))
    defaults = {name: text_of(child(node, "default")) for name, _, node in declared}
    defaults = {name: value for name, value in defaults.items() if value and "\n" not in value}
    switches = {name for name, _, node in declared if text_of(child(node, "type")) == "boolean"}
    reads = [one for job in _waited_for(here, here.job.id) for one in _reads(document, job, defaults)]
    if not reads and any(_falls_back(document, job, defaults) for job in _waited_for(here, here.job.id)):
        return InPlace(f"what {here.job.id} reads has its default")
    if not reads:
        return Refusal("the job reads no input that has a default", here.job.path, here.job.line)
    said = here.captures.get(recipe.said.strip("{}"), "")
    commands = here.facts.commands
    shown = _HOLLOW.search(said) is not None or any(_shown_empty(one, commands) for one in reads)
    if not shown and not (recipe.of_image and _names_image(here, {one[0].split(".")[1] for one in reads})):
        whole, name = reads[0][2]["whole"], reads[0][2]["name"]
        return Words(
            f"{here.job.path}: where `{sorted(events)[0]}` starts the workflow `{whole}` is empty: see whether it was, "
            f"and write `{whole} || '{defaults[name]}'` then"
        )
    if switched := next((one for _, _, one in reads if one["name"] in switches and _is_on(defaults, one)), None):
        # `false || 'true'` is true: nobody could switch it off any more.
        return Words(f"{here.job.path}: give `{switched['whole']}` a default that a person can still switch off")
    return together(
        [_defaulted(here, place, node, defaults) for place, node in dict.fromkeys(one[:2] for one in reads)]
    )


def _is_on(defaults: Mapping[str, str], read: re.Match[str]) -> bool:
    """Of the event's own inputs even `false` is a text, which counts as true."""
    return defaults[read["name"]] == "true" and not read["whole"].startswith("github.")


_Read = tuple[str, yaml.ScalarNode, "re.Match[str]"]


def _waited_for(here: Situation, job: str) -> list[str]:
    """The job, and all that end before it."""
    found, left = [job], [job]
    while left:
        needs = [text_of(one) for one in items(child(here.job.workflow.job_node(left.pop()), "needs"))]
        left += [one for one in needs if one not in found]
        found += [one for one in needs if one not in found]
    return found


def _reads(document: YamlDocument, job: str, defaults: Mapping[str, str]) -> Iterator[_Read]:
    for place, node in _scalars(child(document.root, "jobs", job), f"jobs.{job}"):
        for found in _READ.finditer(node.value):
            if found["name"] in defaults:
                yield place, node, found


def _falls_back(document: YamlDocument, job: str, defaults: Mapping[str, str]) -> bool:
    scalars = _scalars(child(document.root, "jobs", job), "")
    return any(found["name"] in defaults for _, node in scalars for found in _FALLS_BACK.finditer(node.value))


def _scalars(node: yaml.Node | None, place: str) -> Iterator[tuple[str, yaml.ScalarNode]]:
    if isinstance(node, yaml.ScalarNode):
        yield place, node
    for index, one in enumerate(node.value if isinstance(node, yaml.SequenceNode) else ()):
        yield from _scalars(one, f"{place}[{index}]")
    for name, _, value in entries(node):
        if name != "if":  # a condition may well ask whether there is a value
            yield from _scalars(value, f"{place}.{name}")


def _names_image(here: Situation, readers: set[str]) -> bool:
    """Whether a job that failed at its image computes the name, itself or from what a job that reads the input gave."""
    workflow = here.job.workflow
    for name, _, node in entries(child(workflow.node, "jobs")):
        held = child(node, "container")
        image = text_of(child(held, "image") if isinstance(held, yaml.MappingNode) else held)
        concerned = set(_waited_for(here, name))
        if "${{" in image and here.job.id in concerned and readers & concerned:
            return True
    return False


def _shown_empty(read: _Read, commands: tuple[str, ...]) -> bool:
    """Whether the log shows the line of the script with nothing in the place of the input."""
    _, node, found = read
    start = node.value.rfind("\n", 0, found.start()) + 1
    end = node.value.find("\n", found.end())
    line = node.value[start : end if end >= 0 else len(node.value)].strip()
    own = re.compile(rf"\$\{{\{{\s*{re.escape(found['whole'])}\s*\}}\}}")
    parts = [_EXPRESSION.split(part) for part in own.split(line)]
    shape = "".join(".*".join(map(re.escape, part)) for part in parts)
    return any(re.fullmatch(shape, f"{one.strip()}{end}") for one in commands for end in ("", " "))


def _defaulted(here: Situation, place: str, node: yaml.ScalarNode, defaults: Mapping[str, str]) -> Outcome:
    """All of one text, the last one first."""
    events = ", ".join(sorted(here.job.workflow.triggers - _GIVING))
    edits: list[Edit] = []
    whole = node.value
    for found in reversed([one for one in _READ.finditer(node.value) if one["name"] in defaults]):
        value, at = defaults[found["name"]].replace("'", "''"), found.end("whole")
        added = f" || '{value}'"
        made = splice_scalar(
            here.job.document, node, at, at, added, why=f"`{events}` gives no input, not even its default"
        )
        if isinstance(made, Refusal):
            return made
        edits += made
        whole = f"{whole[:at]}{added}{whole[at:]}"
    promise = Expectation("value", f"{place}={whole.strip()}", here.target.job, here.job.path)
    return Edited(tuple(edits), (f"{here.job.path}:{place}",), (promise,))
