"""`move_action`: releases of GitHub's own actions that it does not run any more, and references that do not exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from triage.fixes.recipes.outcome import InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.wiring.unresolved import REFERENCE, moved, resolve_action
from triage.fixes.recipes.wiring.wrapped import WRAPPED, Use, documents_of, uses_in, wrappers_of
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.yaml.nodes import child, entries, items, text_of
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
_OWN = "actions/"
_MOST = 4
_TOGETHER = "it reads what the releases of its own generation write"


def move_action(recipe: MoveAction, here: Situation) -> Outcome:
    given = here.captures.get(recipe.action.strip("{}"), "")
    if (asked := REFERENCE.match(given)) is not None:
        return resolve_action(asked["action"], asked["ref"], here)
    said = _SAID.match(given)
    if said is None or said["name"] not in _RUNS or int(said["major"]) >= _RUNS[said["name"]]:
        return Refusal("the log names no release that is known to be retired")
    names = next((pair for pair in _PAIRS if said["name"] in pair), {said["name"]})
    # Of a pair every release before is retired; of another action the log speaks of one.
    first = _RUNS[said["name"]] if len(names) > 1 else int(said["major"]) + 1
    every = [one for document in documents_of(here.tree, here.job) for one in uses_in(document)]
    uses = [one for one in every if one[2]["name"] in names]
    old = [one for one in uses if int(one[2]["major"]) < first]
    around = wrappers_of(said["name"])
    outer = [one for one in every if one[2]["name"] in around]
    wrapping = [one for one in outer if int(one[2]["major"]) < around[one[2]["name"]].first]
    if not uses and not outer:
        return _inside_of_another(here, said["name"])
    if not old and not wrapping:
        return InPlace(f"{here.job.path} uses releases that are run")
    wanted = max(_major(here, name, _RUNS[name]) for name in names)
    return together([*(_moved(here, one, wanted) for one in old), *_unwrapped(here, wrapping, every)])


def _inside_of_another(here: Situation, name: str) -> Outcome:
    """No file of the repository asks for it: an action of others does, inside, that a step of the job asks for."""
    uses = dict.fromkeys(step.uses for step in here.job.steps if step.uses and not step.uses.startswith(("./", _OWN)))
    if not uses:
        return Refusal(f"{here.job.path} does not use {name} by a release", here.job.path)
    asked = ", ".join(list(uses)[:_MOST])
    return Words(f"No step asks for {name}: an action that the job asks for uses it inside ({asked}). Move that one.")


def _unwrapped(here: Situation, wrapping: Sequence[Use], every: Sequence[Use]) -> Iterator[Outcome]:
    """What holds the retired one inside, and what must move with it; of that a commit may be any release."""
    for one in wrapping:
        outer = WRAPPED[one[2]["name"]]
        yield _moved(here, one, _major(here, one[2]["name"], outer.first))
        for name, first in outer.partners.items():
            old = [use for use in every if use[2]["name"] == name and int(use[2]["major"]) < first]
            yield from (_moved(here, use, _major(here, name, first), _TOGETHER) for use in old)
            pinned = re.search(rf"uses:[ \t]*[\"']?({re.escape(name)}@[0-9a-f]{{7,40}})\b", here.job.document.text)
            if pinned is not None:
                yield Words(f"move {one[1].value} to v{outer.first}, and {pinned[1]} to v{first} or later with it")


def move_where_used(
    recipe: MoveAction, tree: Tree, target: Target, facts: Facts, captures: Mapping[str, str]
) -> Outcome:
    """Where no job is known: in the jobs of the only workflow that asks for what the log names."""
    given = captures.get(recipe.action.strip("{}"), "")
    name, _, release = given.replace(": ", "@").partition("@")
    every = list(_asked(tree, name))
    found = [(path, job) for path, job, one in every if one == release or (": " in given and one[:3] == f"{release}.")]
    if not found and ": " in given:
        around = [(one, held.first) for outer, held in wrappers_of(name).items() for one in _asked(tree, outer)]
        found = [(path, job) for (path, job, one), first in around if _is_before(one, first)]
        every += [one for one, _ in around]
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


def _is_before(release: str, first: int) -> bool:
    found = re.match(r"v?([0-9]+)(?:\.|\Z)", release)
    return found is not None and int(found[1]) < first


def _major(here: Situation, name: str, first: int) -> int:
    """The release that most other workflows have, where it is one that runs."""
    found: Counter[int] = Counter()
    for path in workflow_paths(here.tree):
        workflow = load_workflow(here.tree, path) if name.encode() in here.tree.read(path) else Refusal("")
        if not isinstance(workflow, Refusal):
            found.update(int(used["major"]) for _, _, used, _ in uses_in(workflow.document) if used["name"] == name)
    running = [(count, major) for major, count in found.items() if major >= first]
    return max(running)[1] if running else first


def _moved(here: Situation, use: Use, major: int, why: str = "") -> Outcome:
    document, node, used, place = use
    why = why or f"{node.value} is not run any more"
    made = moved(here, node, place, f"{used['name']}@v{major}", why=why, document=document)
    return made if isinstance(made, Refusal) else replace(made, title=f"Move {used['name']} to v{major}")
