"""`container_variable`: an assignment that a container is told to run as its program becomes `-e` of what starts it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at
from triage.model.patch import Edit
from triage.model.recipe import ContainerVariable

_ENGINES = ("docker", "podman", "nerdctl")
# What runs the words behind it: an assignment there is its own.
_RUNNERS = ("env", "sudo", "exec", "nohup", "time", "timeout", "nice", "bash", "sh")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,80}=[^\s]{0,200}\Z")


def container_variable(recipe: ContainerVariable, here: Situation) -> Outcome:
    wanted = here.captures.get(recipe.assignment.strip("{}"), "")
    if not _ASSIGNMENT.match(wanted):
        return Refusal("what the container could not start is no assignment")
    found = {one.calls[-1].key: one for one in here.concerned if _starts(one) and one.calls}
    held = [(one, at) for one in found.values() if (at := _command_at(one, wanted)) > 0]
    if not held:
        passed = any(_is_option(one, wanted) for one in found.values())
        said = f"no command of {here.job.id} lets a container run `{wanted}`"
        return InPlace(f"{wanted} is an option") if passed else Refusal(said, here.job.path, here.job.line)
    edits: list[Edit] = []
    for one, at in held:
        made = _moved(here, one.argv, at)
        if isinstance(made, Refusal):
            return made
        edits += made
    declared = tuple(dict.fromkeys(declared_at(here, edit.path, held[0][0].step) for edit in edits))
    return Edited(tuple(edits), declared, promised(here, edits), title=f"Give the container {wanted} with -e")


def _starts(one: Invocation) -> bool:
    words = [word.text or "" for word in one.argv[:4]]
    return any(word.rpartition("/")[2] in _ENGINES for word in words[:2]) and bool({"run", "exec"} & set(words))


def _is_option(one: Invocation, wanted: str) -> bool:
    texts = [word.text or "" for word in one.argv]
    return any(word == wanted and texts[at - 1] in ("-e", "--env") for at, word in enumerate(texts) if at)


def _command_at(one: Invocation, wanted: str) -> int:
    """The place of the assignment where it is no option's value, behind the image's or the container's name."""
    texts = [word.text for word in one.argv]
    at = texts.index(wanted) if wanted in texts else 0
    before = texts[at - 1] or "" if at > 1 else "-"
    return 0 if before.startswith("-") or before.rpartition("/")[2] in _RUNNERS or at + 1 >= len(texts) else at


def _moved(here: Situation, words: Sequence[Value], at: int) -> list[Edit] | Refusal:
    """The assignments from there on, each as an option before the name that they follow."""
    last = at
    while last + 1 < len(words) and _ASSIGNMENT.match(words[last + 1].text or ""):
        last += 1
    sites = [word.sites[0] if len(word.sites) == 1 else None for word in words[at : last + 2]]
    name = words[at - 1].sites[0] if words[at - 1].sites else None
    first, rest = sites[0], sites[-1]
    quoted = any(site is not None and site.quote in ("'", '"') for site in sites[:-1])
    if quoted or first is None or rest is None or name is None or len({first.path, rest.path, name.path}) > 1:
        return Refusal("the command is put together where it cannot be changed", here.job.path, here.job.line)
    data = here.tree.read(first.path)
    old = data[first.start : rest.start].decode("utf-8", "replace")
    options = "".join(f"-e {word.text} " for word in words[at : last + 1])
    begin = name.start - len(name.quote)
    head = data[begin : name.end].decode("utf-8", "replace")
    why = "a container starts a program, no shell reads what stands before it"
    parts = [
        replace_at(here.tree, first.path, begin, head, f"{options}{head}", why=why),
        replace_at(here.tree, first.path, first.start, old, "", why=why),
    ]
    refused = next((part for part in parts if isinstance(part, Refusal)), None)
    return refused or [edit for part in parts if not isinstance(part, Refusal) for edit in part]
