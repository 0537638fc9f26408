"""`effective_value` where a harness reads a time limit out of the test's own configuration: `ci: {time: "00:15:00"}`.

As of a script, no evaluation leads from there to the scheduler: only files that the job's commands name are looked at.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import yaml

from triage.fixes.counting import foremost
from triage.fixes.document import line_start
from triage.fixes.numbers import whole
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.overrides.assignments import Assignment, changed, in_minutes
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.named import named_file
from triage.fixes.whereabouts.naming import CONFIGURATIONS, named_files
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.nodes import child, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import EffectiveValue

# What a scheduler was asked for, as its command has it, and how much more is worth another run.
_TIME = re.compile(r"(?:\s-t|--time)[= ][\"']?([0-9][0-9:-]{1,12})(?![\w:-])")
_MORE = 1.2


def recorded_value(recipe: EffectiveValue, here: Situation, keys: Sequence[str], files: Sequence[str]) -> Outcome:
    if len(files) > 1:
        return Refusal(f"the commands name several configurations: {', '.join(files[:4])}", files[0])
    near = _beside(here.tree, files[0], keys)
    found = list(_recorded(here.tree, files[0], keys))
    if found:
        return changed(recipe, here, found[0], [each for one in near if (each := whole(one.minutes)) is not None])
    if recipe.below or not recipe.factor:
        return Refusal(f"{keys[0]} is not set in it", files[0])
    folder = posixpath.dirname(files[0])
    text = _usual([one for one in near if posixpath.dirname(one.path) == folder]) or _usual(near)
    text = _longer(here, near, text)
    if not text:
        return Refusal(f"no value of {keys[0]} is usual beside it, or longer than what was asked for", files[0])
    *above, last = keys[0].split(".")
    document = parse_yaml(files[0], here.tree.read(files[0]))
    if isinstance(document, Refusal) or not above:
        return Refusal(f"it takes no {keys[0]}", files[0])
    owner = child(document.root, *above[:-1])
    written = text if whole(text) is not None else f'"{text}"'
    if owner is None:
        return Refusal(f"it takes no {keys[0]}", files[0])
    edits = add_entries(document, owner, above[-1], [(last, written)], why=f"most beside it ask for {text}")
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{keys[0]}={text}", here.target.job, files[0])
    made = Edited(edits, (f"{files[0]}:{keys[0]}",), (promise,))
    note = f"that {keys[0]} reaches the scheduler is seen in the log, not proved from the scripts"
    settled = EffectiveValue(knob=recipe.knob, to=in_minutes(text))
    return replace(made.noting(note), settled=settled, title=f"Ask for {text}, as others beside it do")


def _longer(here: Situation, near: Sequence[Assignment], text: str) -> str:
    """What is usual, where the log does not show that so much was asked for; else the least beside it that is longer by
    a fifth; "" for none."""
    if not text:
        return ""
    shown = [in_minutes(found[1]) for line in here.lines for found in _TIME.finditer(line)]
    asked = max((minutes for one in shown if (minutes := whole(one)) is not None), default=0)
    by_length = sorted((minutes, one.text) for one in near if (minutes := whole(one.minutes)) is not None)
    usual = next((minutes for minutes, one in by_length if one == text), 0)
    if usual > asked:
        return text
    return next((one for minutes, one in by_length if minutes >= asked * _MORE), "")


def files_of(here: Situation, keys: Sequence[str]) -> tuple[str, ...]:
    """Configurations that the commands name and that hold the mapping of a key, if not the key."""
    named = [named_file(here.tree, one) for one in here.concerned if one.argv]
    words = " ".join(str(word) for one in here.concerned for call in one.calls for word in call.words)
    found = dict.fromkeys([*named, *named_files(here.tree, words, CONFIGURATIONS)])
    # A variable may carry the name to what the scheduler starts: `export CONFIG=small.yaml`, then `sbatch run.sub`.
    written = " ".join(line for step in _steps(here) for line in step.script)
    for names in (found, named_files(here.tree, written, CONFIGURATIONS)):
        if held := tuple(path for path in names if path and any(_holds(here.tree, path, key) for key in keys)):
            return held
    return ()


def _steps(here: Situation) -> Sequence[Step]:
    return (here.step,) if here.step is not None else here.job.steps


def _holds(tree: Tree, path: str, key: str) -> bool:
    document = parse_yaml(path, tree.read(path))
    above = key.split(".")[:-1]
    return not isinstance(document, Refusal) and isinstance(child(document.root, *above), yaml.MappingNode)


def _recorded(tree: Tree, path: str, keys: Sequence[str]) -> Iterator[Assignment]:
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return
    for key in keys:
        node = child(document.root, *key.split("."))
        if isinstance(node, yaml.ScalarNode) and node.value and id(node) not in document.aliased:
            quote = 1 if node.style in ("'", '"') else 0
            first, last = document.start(node) + quote, document.end(node) - quote
            if document.data[first:last] == node.value.encode():
                head = document.data[line_start(document.data, first) : first].decode()
                yield Assignment(path, first, last, document.line(node), head, node.value)


def _beside(tree: Tree, path: str, keys: Sequence[str]) -> list[Assignment]:
    """Of all configurations below the same first folder: what the cluster is known to take."""
    top = path.partition("/")[0]
    ends = tuple(key.rpartition(".")[2].encode() for key in keys)
    paths = (one for one in tree.paths() if one.startswith(f"{top}/") and one.endswith((".yaml", ".yml")))
    held = (one for one in paths if any(end + b":" in tree.read(one) for end in ends))
    return [each for one in held for each in _recorded(tree, one, keys)]


def _usual(found: Sequence[Assignment]) -> str:
    """The value that most have; "" where two are as frequent."""
    most = foremost(one.text for one in found)
    return most[0] if most is not None else ""
