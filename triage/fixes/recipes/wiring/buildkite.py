"""`timeout` of a step that Buildkite runs: its log says that it was canceled, and not that its time was over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import yaml

from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.azure import KeyedLimit, limits_of, raised_at, stands
from triage.fixes.recipes.wiring.gitlab import documents_of
from triage.fixes.recipes.wiring.limits import seconds_of
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.yaml.nodes import child, every_node, text_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.recipe import Timeout

_FILES = re.compile(r"(?:.*/)?\.buildkite/.*\.ya?ml\Z|(?:.*/)?[\w.-]*buildkite[\w.-]*\.ya?ml\Z")
KEY = "timeout_in_minutes"
_NAMES = ("key", "label", "name", "id", "identifier")
_SCRIPTS = ("command", "commands", "script")
# Where one command of a line ends, and what quoting and the filling in of variables leave.
_ENDS = re.compile(r"&&|\|\|?|;|\n")
_QUOTING = re.compile(r"[\"'\\`]")
# A command of one word tells no step.
_TELLING = 2
# The programs of a step begin to print a while after its time begins, and it is ended some seconds after that is over.
_BEGUN, _LATE = 0.88, 3.0


def raise_buildkite_timeout(
    recipe: Timeout, tree: Tree, target: Target, here: Situation | Refusal, facts: Facts
) -> Outcome:
    found = _limits(tree)
    if stands(recipe, found):
        return InPlace(f"{recipe.settled} stands already")
    meant = _meant(found, target, here, facts)
    if not meant:
        return Refusal(f"no step with a {KEY} runs the commands that the log shows")
    minutes = facts.minutes or facts.clocked
    if not minutes:
        return Refusal(f"the log has no clock that says how long it ran of {meant[0].where}'s {meant[0].node.value}")
    reached = [one for one in meant if _reached(one, minutes)]
    if len(reached) != 1:
        several = ", ".join(f"{one.where} ({one.node.value})" for one in (reached or meant)[:4])
        return Refusal(f"it was canceled after about {minutes:.0f} minutes: {several}")
    return raised_at(recipe, reached[0], target)


def raise_stated_limit(
    recipe: Timeout, tree: Tree, target: Target, here: Refusal, facts: Facts, captures: Mapping[str, str]
) -> Outcome | None:
    """Where the log says how long the limit was, and no workflow of GitHub's is known: the one step that it names, or
    whose commands it shows, and that has this limit. None where there is no such step."""
    seconds = seconds_of(captures)
    if seconds is None or target.workflow_path:
        return None
    found = _limits(tree)
    if stands(recipe, found):
        return InPlace(f"{recipe.settled} stands already")
    lasting = [one for one in found if decimal(one.node.value) == seconds / 60]
    meant = _meant(lasting, target, here, facts)
    return raised_at(recipe, meant[0], target) if len(meant) == 1 else None


def _limits(tree: Tree) -> list[KeyedLimit]:
    return [one for document in documents_of(tree, _FILES) for one in limits_of(document, document.root, KEY)]


def _meant(
    found: Sequence[KeyedLimit], target: Target, here: Situation | Refusal, facts: Facts
) -> Sequence[KeyedLimit]:
    lines = facts.commands if isinstance(here, Refusal) else here.lines
    return _named(found, target) or _shown(found, frozenset(_commands([*lines, *target.script, target.step])))


def _reached(one: KeyedLimit, minutes: float) -> bool:
    allowed = float(decimal(one.node.value) or 0)
    return _BEGUN * allowed <= minutes <= allowed + _LATE


def _named(found: Sequence[KeyedLimit], target: Target) -> list[KeyedLimit]:
    job = target.job.strip()
    named = [one for one in found if job and job in {text_of(child(one.owner, name)) for name in _NAMES}]
    return named if len(named) == 1 else []


def _shown(found: Sequence[KeyedLimit], commands: frozenset[str]) -> list[KeyedLimit]:
    """Those of whose commands the log shows the most."""
    counted = [(len(set(_commands(_script(one.owner))) & commands), one) for one in found]
    most = max((count for count, _ in counted), default=0)
    return [one for count, one in counted if count == most] if most else []


def _script(owner: yaml.MappingNode) -> Iterator[str]:
    for name in _SCRIPTS:
        yield from (text_of(node) for node in every_node(child(owner, name)) if isinstance(node, yaml.ScalarNode))


def _commands(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for part in _ENDS.split(line.replace("$$", "$")):
            words = _QUOTING.sub("", part).split()
            if len(words) >= _TELLING and not words[0].startswith("#"):
                yield " ".join(words)
