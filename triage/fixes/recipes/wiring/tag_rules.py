"""`repair_tag_rule`: rules of docker/metadata-action that name an event which it does not know."""

from __future__ import annotations

import re

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.model.patch import Expectation
from triage.model.recipe import RepairTagRule

# What a reference may be to the action (its README, type=ref), and what people call the same.
_MEANT = {"push": "branch", "branches": "branch", "heads": "branch", "tags": "tag", "release": "tag", "create": "tag"}
_MEANT |= {"pull_request": "pr", "pull-request": "pr", "pull_request_target": "pr", "merge_request": "pr"}
_ACTIONS = ("docker/metadata-action@", "crazy-max/ghaction-docker-meta@")
_EVENT = re.compile(r"(?<=event=)([\w-]+)")


def repair_tag_rule(recipe: RepairTagRule, here: Situation) -> Outcome:
    """Each such rule of the file: another job that builds an image by it fails the same way."""
    rule = here.captures.get(recipe.rule.strip("{}"), "").strip()
    event = _EVENT.search(rule)
    new = _MEANT.get(event[1], "") if event is not None and "type=ref" in rule else ""
    if not new or event is None:
        return (
            Words(f"the rule `{rule}` is none that the action's README lists") if rule else Refusal("no rule is named")
        )
    found = _rules(here.job.document, f"event={event[1]}")
    if not found:
        standing = _rules(here.job.document, f"event={new}")
        return InPlace(f"a rule has `event={new}`") if standing else Refusal(f"no rule has `event={event[1]}`")
    return together([_mended(here, node, place, event[1], new) for node, place in found])


def _rules(document: YamlDocument, text: str) -> list[tuple[yaml.ScalarNode, str]]:
    found = []
    for job, _, node in entries(child(document.root, "jobs")):
        for at, step in enumerate(items(child(node, "steps"))):
            tags = child(step, "with", "tags")
            used = text_of(child(step, "uses")).startswith(_ACTIONS)
            if used and isinstance(tags, yaml.ScalarNode) and any(_has(line, text) for line in tags.value.splitlines()):
                found.append((tags, f"jobs.{job}.steps[{at}].with.tags"))
    return found


def _has(line: str, text: str) -> bool:
    parts = [part.strip() for part in line.split(",")]
    return "type=ref" in parts and text in parts


def _mended(here: Situation, node: yaml.ScalarNode, place: str, old: str, new: str) -> Outcome:
    parts: list[Outcome] = []
    at = 0
    for line in node.value.splitlines(keepends=True):
        offset = line.find(f"event={old}")
        if _has(line, f"event={old}") and offset >= 0:
            first = at + offset + len("event=")
            why = f"a reference is a branch, a tag or a pull request to the action, and no `{old}`"
            edits = splice_scalar(here.job.document, node, first, first + len(old), new, why=why)
            text = line.replace(f"event={old}", f"event={new}").strip()
            promise = Expectation("line", text, here.target.job, here.job.path)
            parts.append(
                edits if isinstance(edits, Refusal) else Edited(edits, (f"{here.job.path}:{place}",), (promise,))
            )
        at += len(line)
    return together(parts)
