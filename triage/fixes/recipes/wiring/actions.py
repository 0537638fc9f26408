"""`move_action`: releases of GitHub's own actions that it does not run any more, and references that do not exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.wiring.unresolved import REFERENCE, moved, resolve_action
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.recipe import MoveAction
from triage.model.signature import Tables

# The first major release that runs, by GitHub's own announcements (github.blog/changelog: artifacts 2024-04-16, cache
# 2024-12-05).
_RUNS = {"actions/upload-artifact": 4, "actions/download-artifact": 4, "actions/cache": 4}
# What one writes the other reads, and only its own release's.
_PAIRS = ({"actions/upload-artifact", "actions/download-artifact"},)
_SAID = re.compile(r"(?P<name>[\w.-]+/[\w.-]+): v(?P<major>[0-9]+)")
_USED = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)@v(?P<major>[0-9]+)(?:\.[0-9]+)*\Z")


def move_action(recipe: MoveAction, here: Situation) -> Outcome:
    given = here.captures.get(recipe.action.strip("{}"), "")
    if (asked := REFERENCE.match(given)) is not None:
        return resolve_action(asked["action"], asked["ref"], here)
    said = _SAID.match(given)
    if said is None or said["name"] not in _RUNS or int(said["major"]) >= _RUNS[said["name"]]:
        return Refusal("the log names no release that is known to be retired")
    names = next((pair for pair in _PAIRS if said["name"] in pair), {said["name"]})
    uses = [one for one in _uses(here.job.document) if one[1]["name"] in names]
    # Of a pair every release before is retired; of another action the log speaks of one.
    first = _RUNS[said["name"]] if len(names) > 1 else int(said["major"]) + 1
    old = [one for one in uses if int(one[1]["major"]) < first]
    if not uses:
        return Refusal(f"{here.job.path} does not use {said['name']} by a release", here.job.path)
    if not old:
        return InPlace(f"{here.job.path} uses releases that are run")
    wanted = max(_major(here, name) for name in names)
    return together([_moved(here, *one, wanted) for one in old])


def move_where_used(
    recipe: MoveAction, tree: Tree, target: Target, facts: Facts, captures: Mapping[str, str]
) -> Outcome:
    """Where no job is known: in the jobs of the only workflow that asks for what the log names."""
    given = captures.get(recipe.action.strip("{}"), "")
    name, _, release = given.replace(": ", "@").partition("@")
    every = list(_asked(tree, name))
    found = [(path, job) for path, job, one in every if one == release or (": " in given and one[:3] == f"{release}.")]
    if not found:
        return InPlace(f"no workflow asks for {given}") if every else Refusal(f"no workflow asks for {given[:80]}")
    if len({path for path, _ in found}) > 1:
        return Words(f"{given} is asked for by {', '.join(sorted({path for path, _ in found}))}")
    made = []
    for path, job in dict.fromkeys(found):
        here = open_situation(tree, replace(target, workflow_path=path, job=job), facts, Tables(), captures)
        made.append(here if isinstance(here, Refusal) else move_action(recipe, here))
    return together(made)


def _asked(tree: Tree, name: str) -> Iterator[tuple[str, str, str]]:
    """Workflow, job and release of each use of the action."""
    for path in workflow_paths(tree):
        workflow = load_workflow(tree, path) if name and name.encode() in tree.read(path) else Refusal("")
        for job, _, node in () if isinstance(workflow, Refusal) else entries(child(workflow.document.root, "jobs")):
            for step in items(child(node, "steps")):
                action, _, release = (text_of(child(step, "uses")) or "").partition("@")
                if action.lower() == name.lower():
                    yield path, job, release


def _uses(document: YamlDocument) -> Iterator[tuple[yaml.ScalarNode, re.Match[str], str]]:
    """Each `uses` of a release, with its semantic path."""
    for job, _, node in entries(child(document.root, "jobs")):
        for index, step in enumerate(items(child(node, "steps"))):
            used = child(step, "uses")
            found = _USED.match(used.value) if isinstance(used, yaml.ScalarNode) else None
            if found is not None and isinstance(used, yaml.ScalarNode):
                yield used, found, f"jobs.{job}.steps[{index}].uses"


def _major(here: Situation, name: str) -> int:
    """The release that most other workflows have, where it is one that runs."""
    found: Counter[int] = Counter()
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path) if name.encode() in here.tree.read(path) else Refusal("")
        if not isinstance(workflow, Refusal):
            found.update(int(used["major"]) for _, used, _ in _uses(workflow.document) if used["name"] == name)
    running = [(count, major) for major, count in found.items() if major >= _RUNS[name]]
    return max(running)[1] if running else _RUNS[name]


def _moved(here: Situation, node: yaml.ScalarNode, used: re.Match[str], place: str, major: int) -> Outcome:
    made = moved(here, node, place, f"{used['name']}@v{major}", why=f"{node.value} is not run any more")
    return made if isinstance(made, Refusal) else replace(made, title=f"Move {used['name']} to v{major}")
