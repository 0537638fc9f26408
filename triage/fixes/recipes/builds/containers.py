"""`container_option`: how the job's container is started, or those that its steps start or build images in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import yaml

from triage.fixes.document import line_end, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.shown import shown_commands
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.overrides.nearest import starts_program
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.environment import assignment_of
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entry, replace_scalar, splice_scalar
from triage.fixes.yaml.nodes import child
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import ContainerOption, SetEnv

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?\Z", re.I)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
# A build trains nothing: it imports, and tries a loader. The sizes that repositories give one are of this order.
_OF_BUILD = "1g"
_ACTION = "docker/build-push-action@"
_INPUTS = {"--shm-size": "shm-size", "--ulimit": "ulimit", "--network": "network"}


def set_container_option(recipe: ContainerOption, here: Situation) -> Outcome:
    """In `container.options`; where a step runs or builds a container, in its command or the build action's input."""
    node = here.job.container_options
    if here.facts.build is not None or (node is None and here.job.image is None):
        return _of_commands(recipe, here)
    if node is None:
        return _new_options(recipe, here)
    place = f"{here.place}.container.options"
    present = re.search(rf"{re.escape(recipe.option)}(=|\s+)(\S+)", node.value)
    if present and recipe.enough and not recipe.settled and _suffices(present[2], recipe.enough):
        return Refusal(f"{recipe.option} is {present[2]} already, which should be enough", here.job.path, here.job.line)
    wanted = _wanted(recipe, present[2] if present else "")
    if present and _suffices(present[2], wanted):
        return InPlace(f"{recipe.option} is already {present[2]}")
    if present:
        start, end, text = present.start(2), present.end(2), wanted
    else:
        start = end = len(node.value.rstrip())
        text = f" {recipe.option}={wanted}"
    edits = splice_scalar(
        here.job.document, node, start, end, text, why=f"{recipe.option} decides it for the container"
    )
    if isinstance(edits, Refusal):
        return edits
    promised = node.value[:start] + text + node.value[end:]
    promise = Expectation("value", f"{place}={promised.strip()}", here.target.job, here.job.path)
    settled = replace(recipe, settled=wanted)
    title = f"Raise {recipe.option} from {present[2]} to {wanted}" if present else ""
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), settled=settled, title=title)


def _wanted(recipe: ContainerOption, present: str) -> str:
    """The size that is asked for; where that is there and did not suffice, a multiple of it."""
    found = _SIZE.match(present)
    if recipe.settled or found is None or recipe.factor == 1 or not _suffices(present, recipe.value):
        return recipe.settled or recipe.value
    more = f"{float(found[1]) * recipe.factor:g}{found[2]}"
    return present if recipe.at_most and not _suffices(recipe.at_most, more) else more


def set_in_container(recipe: SetEnv, here: Situation) -> Outcome | None:
    """`-e NAME=value` where the failed step runs its program in a container that it starts, which sees nothing of the
    job's `env`; None where it starts none."""
    if here.step is None or here.typed or here.facts.build is not None:
        return None
    found = [(one, word) for one in here.concerned if (word := _verb(one, ("run", "exec"))) is not None]
    inside = [one for one in here.concerned if one.system and starts_program(one)]
    keys = {call.key for one in inside for call in one.calls}
    leading = [(one, word) for one, word in found if one.calls[-1].key in keys]
    inner = leading or [(one, word) for one, word in found if word.text == "exec"] or found
    ours = [one for one, _ in found]
    beside = [one for one in here.concerned if starts_program(one) and not one.system and one not in ours]
    if not inner or beside:  # what fails may be the program outside
        return None
    pair = assignment_of(recipe, here)
    if isinstance(pair, Refusal):
        return pair
    name, value = pair
    if any(_sets_itself(one, name) for one in inside):
        return None
    return together([_variable(name, value, here, one, word) for one, word in inner])


def _sets_itself(one: Invocation, name: str) -> bool:
    """Whether the script inside gives the variable a value, which an option of the container would not change."""
    held = one.environment.get(name)
    return held is not None and any(site.kind in (SiteKind.ASSIGN, SiteKind.CALL_ENV) for site in held.sites)


def keeps_out(one: Invocation, names: Sequence[str]) -> bool:
    """Whether the command starts a container that is given none of these variables: it sees nothing of the job's."""
    if _verb(one, ("run", "exec")) is None:
        return False
    words = [word.text or "" for word in one.argv]
    return not all(name in words or f"--env={name}" in words for name in names) and "--env-file" not in words


def builds_image(one: Invocation) -> bool:
    return _verb(one, ("build",)) is not None


def _variable(name: str, value: str, here: Situation, one: Invocation, verb: Value) -> Outcome:
    """Behind the subcommand; where the option is there already, its value."""
    option = f"{name}={value}"
    for flag, after in pairwise(one.argv):
        if flag.text in ("-e", "--env") and (after.text or "").partition("=")[0] == name:
            return _replaced(here, one, after, option) if after.text != option else _held(one, option)
    joined = next((word for word in one.argv if (word.text or "").startswith(f"--env={name}=")), None)
    if joined is not None:
        whole = f"--env={option}"
        return _replaced(here, one, joined, whole) if joined.text != whole else _held(one, option)
    return _replaced(here, one, verb, f"{verb.text} -e {shlex.quote(option)}")


def _held(one: Invocation, option: str) -> InPlace:
    return InPlace(f"{one.calls[-1].path}:{one.calls[-1].line} runs with {option} already")


def _replaced(here: Situation, one: Invocation, word: Value, new: str) -> Outcome:
    """Another text for a word that stands in a file as it reads."""
    call, site = one.calls[-1], word.sites[0] if len(word.sites) == 1 else None
    if site is None or site.kind is not SiteKind.LITERAL or site.path not in here.tree or not call.insertable:
        return Refusal(f"`{word}` is put together where it cannot be edited", call.path, call.line)
    if here.tree.read(site.path)[site.start : site.end] != (word.text or "").encode():
        return Refusal(f"`{word}` is not written as such", site.path, site.line)
    words = [part for other in one.argv for part in (shlex.split(new) if other is word else [str(other)])]
    edit = Edit(site.path, site.start, site.end, new.encode(), "the container sees only what its command gives it")
    promise = Expectation("command", " ".join(words), here.target.job, here.target.workflow_path)
    shared = blast_of_calls(here, (call,))
    return Edited((edit,), (declared_at(here, site.path, one.step),), (promise,), blast_radius=shared)


def _new_options(recipe: ContainerOption, here: Situation) -> Outcome:
    container = child(here.job.node, "container")
    if not isinstance(container, yaml.MappingNode):
        return Refusal(f"{here.job.id} has no container options to extend", here.job.path, here.job.line)
    text, place = f"{recipe.option}={recipe.value}", f"{here.place}.container.options"
    why = f"the container of {here.job.id} is started without {recipe.option}"
    edits = add_entry(here.job.document, here.job.node, "container", "options", text, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={text}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), settled=replace(recipe, settled=recipe.value))


def _of_commands(recipe: ContainerOption, here: Situation) -> Outcome:
    building = here.facts.build is not None
    verbs = ("build",) if building else ("run", "create")
    value = _OF_BUILD if building and _bytes(recipe.value) > _bytes(_OF_BUILD) else recipe.value
    places = [(one, word) for one in here.concerned if (word := _verb(one, verbs)) is not None]
    outcomes = [_in_command(recipe.option, value, here, one, word) for one, word in places]
    steps = here.job.steps if here.step is None else (here.step,)
    if building and recipe.option in _INPUTS:
        actions = [step for step in steps if step.uses.startswith(_ACTION)]
        outcomes += [_in_action(recipe.option, value, here, step) for step in actions]
    if not outcomes:
        shown = [(one, word) for one in shown_commands(here) if (word := _verb(one, verbs)) is not None]
        outcomes = [_in_script(recipe.option, value, here, one, word) for one, word in shown]
    if not outcomes:
        what = "builds no image" if building else "starts no container"
        return Refusal(f"{here.job.id} has no container options to extend, and {what}", here.job.path, here.job.line)
    return together(outcomes)


def _verb(one: Invocation, verbs: tuple[str, ...]) -> Value | None:
    """The subcommand of `docker run`, `docker buildx build` and podman's, behind their own options."""
    words = one.program
    name = posixpath.basename(words[0].text or "") if words else ""
    for word in words[1:4] if name in ("docker", "podman", "nerdctl") else ():
        if word.text in verbs:
            return word
        if word.text not in ("buildx", "container", "image"):
            return None
    return None


def _in_command(option: str, value: str, here: Situation, one: Invocation, verb: Value) -> Outcome:
    call = one.calls[-1]
    present = next(_present(one, option), None)
    if present is not None and _suffices(present[1], value):
        return InPlace(f"{call.path}:{call.line} runs with {option} {present[1]}")
    if present is None:
        return _replaced(here, one, verb, f"{verb.text} {option}={value}")
    joined = (present[0].text or "").startswith(f"{option}=")
    return _replaced(here, one, present[0], f"{option}={value}" if joined else value)


def _in_script(option: str, value: str, here: Situation, one: Invocation, verb: Value) -> Outcome:
    """In a script that the log shows and the job does not lead to: what it holds afterwards is promised, no more."""
    made = _in_command(option, value, here, one, verb)
    if not isinstance(made, Edited):
        return made
    edit = made.edits[0]
    data = here.tree.read(edit.path)
    start, end = line_start(data, edit.start), line_end(data, edit.end)
    line = (data[start : edit.start] + edit.new + data[edit.end : end]).decode("utf-8", "replace").strip()
    promise = Expectation("line", as_promised(line), here.target.job, edit.path)
    kept = replace(made, declared=(edit.path,), expectations=(promise,))
    return kept.noting(f"the log shows that {edit.path} runs; what starts it is not in this repository")


def _present(one: Invocation, option: str) -> Iterator[tuple[Value, str]]:
    """The word that gives the option, or its value, and the value."""
    for word, after in zip(one.argv, (*one.argv[1:], None), strict=True):
        text = word.text or ""
        if text.startswith(f"{option}="):
            yield word, text.partition("=")[2]
        elif text == option and after is not None:
            yield after, after.text or ""


def _in_action(option: str, value: str, here: Situation, step: Step) -> Outcome:
    name, document = _INPUTS[option], step.document
    place = f"{here.place}.steps[{step.index}].with.{name}"
    held = child(step.node, "with", name)
    why = f"the build action gives {name} to every RUN"
    if step.path != here.job.path:
        return Refusal("the build stands in another file", step.path, step.line)
    if isinstance(held, yaml.ScalarNode):
        if _suffices(held.value, value):
            return InPlace(f"{place} is already {held.value}")
        edits = replace_scalar(document, held, value, why=why)
    else:
        edits = add_entry(document, step.node, "with", name, shlex.quote(value), why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={value}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,))


def _suffices(held: str, wanted: str) -> bool:
    return held == wanted or bool(_bytes(held) and _bytes(wanted) and _bytes(held) >= _bytes(wanted))


def _bytes(size: str) -> float:
    """0 for what is no size."""
    found = _SIZE.match(size)
    return float(found[1]) * 2 ** _UNITS[found[2].lower()] if found else 0
