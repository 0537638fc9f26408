"""`copy_env`: entries of `env` (a token, a mirror, an offline mode) that siblings have and the failed job lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.builds.containers import keeps_out
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.nearest import export_in_step
from triage.fixes.recipes.siblings import same_runner, sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.misnamed_env import programs, renamed_entry
from triage.fixes.recipes.wiring.permissions import OF_STRANGERS
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Job
from triage.fixes.yaml.edits import add_entries
from triage.fixes.yaml.encode import quoted
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Expectation
from triage.model.recipe import CopyEnv

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,80}\Z")
# Variables by which programs take a token of GitHub's API.
_OF_GITHUB = re.compile(r"(?:GITHUB|GH)_(?:[A-Z]{2,10}_)?TOKEN\Z")
_SECRET = re.compile(r"\bsecrets\.")
_HUB = "huggingface.co"
_SECRET_NAME = re.compile(r"\bsecrets\.(\w+)")
_EXPRESSION = re.compile(r"\$\{\{[^{}\n]*\}\}")
# What an entry may refer to and still mean the same in another job of the repository.
_LOCAL = re.compile(r"\$\{\{[^}]*\b(?:matrix|steps|needs|inputs|job|runner|strategy|env)\.")


@dataclass(frozen=True, slots=True)
class Layer:
    """The wanted entries of one `env` mapping; `step` when it belongs to a step."""

    values: tuple[tuple[str, str], ...]
    step: bool
    job: Job
    line: int


def copy_env(recipe: CopyEnv, here: Situation) -> Outcome:
    named = _read_in_tree(recipe, here)
    if isinstance(named, Refusal):
        return named
    recipe, own = named, _seen(here)
    if recipe.settled and {one.partition("=")[0] for one in recipe.settled} <= set(own):
        return InPlace(f"{here.job.id} sets {', '.join(recipe.settled)}")
    present = [name for name in own if _wanted(recipe, name)]
    if present:
        return Refusal(f"{here.job.id} already sets {', '.join(sorted(present))}")
    shown = [pair.partition("=")[0] for pair in here.target.environment if pair.partition("=")[2].strip()]
    if set_there := sorted(name for name in shown if _wanted(recipe, name)):
        return Refusal(f"the log shows that the step had {', '.join(set_there)} already: it did not help")
    if recipe.token and (misnamed := renamed_entry(recipe, here)) is not None:
        return misnamed
    found = [layer for layer in _layers(recipe, here) if layer.values]
    chosen = _chosen(found) or (_first_use(recipe, here) if not found else None)
    if chosen is None:
        return _unknown(recipe, here, found)
    if here.facts.secret_source == "None" and all(_SECRET.search(value) for _, value in chosen.values):
        return Words(f"{_place(here)} gets no secrets in this run (a fork's pull request), so no entry would help")
    if not all(_SECRET.search(value) for _, value in chosen.values):
        jobs = [job for job in sibling_jobs(here) if same_runner(here, job)]
        # Those that run the same commands say more than all others.
        jobs = [job for job in jobs if _runs_the_same(here, job)] or jobs
        having = {(job.path, job.id) for job in jobs} & {(layer.job.path, layer.job.id) for layer in found}
        if len(having) * 2 < len(jobs):
            names = ", ".join(name for name, _ in chosen.values)
            return Refusal(f"only {len(having)} of {len(jobs)} siblings on the same kind of runner set {names}")
    kept_away = _kept_away(here, chosen)
    made = Words(kept_away) if kept_away else _added(here, chosen)
    if not isinstance(made, Edited):
        return made
    if not found and not recipe.token:
        needed = f"the repository, or its organisation, must have a secret {recipe.secret}: without it nothing changes"
        made = made.noting(f"no job reads it yet; {needed}")
    return replace(made, settled=replace(recipe, settled=tuple(f"{name}={value}" for name, value in chosen.values)))


def _read_in_tree(recipe: CopyEnv, here: Situation) -> CopyEnv | Refusal:
    """With the name that the log gives, which must be one that a program of the repository reads."""
    if not any(name.startswith("{") for name in recipe.names):
        return recipe
    names = tuple(here.captures.get(name.strip("{}"), "") if name.startswith("{") else name for name in recipe.names)
    wanted = [name for name in names if _VARIABLE.match(name)]
    if not wanted or not any(wanted[0].encode() in data for data in programs(here.tree)):
        return Refusal("no program of the repository reads such a variable")
    return replace(recipe, names=names)


def _runs_the_same(here: Situation, job: Job) -> bool:
    script = here.step.script if here.step is not None else []
    return bool(script) and any(step.script == script for step in job.steps)


def _seen(here: Situation) -> Mapping[str, object]:
    """Names that the failed step sees, from any layer of `env` or from its script."""
    names: dict[str, object] = {}
    for one in here.concerned:
        names.update(one.environment)
    nodes = [
        child(here.job.workflow.node, "env"),
        child(here.job.node, "env"),
        child(here.job.node, "container", "env"),
    ]
    nodes += [child(here.step.node, "env")] if here.step is not None else []
    for node in nodes:
        names.update({name: None for name, _, _ in entries(node)})
    return names


def _wanted(recipe: CopyEnv, name: str) -> bool:
    return any(fnmatchcase(name, glob) for glob in recipe.names)


def _layers(recipe: CopyEnv, here: Situation) -> Iterator[Layer]:
    """Of siblings on the same kind of runner: what does not work elsewhere is not copied."""
    for job in sibling_jobs(here):
        if not same_runner(here, job):
            continue
        whole = child(job.workflow.node, "env") if job.path != here.job.path else None
        for node in (child(job.node, "env"), whole):
            yield Layer(_values(recipe, node), False, job, job.line)
        for step in job.steps:
            yield Layer(_values(recipe, child(step.node, "env")), True, job, step.line)
    for step in here.job.steps:
        yield Layer(_values(recipe, child(step.node, "env")), True, here.job, step.line)


def _values(recipe: CopyEnv, node: yaml.Node | None) -> tuple[tuple[str, str], ...]:
    pairs = [(name, text_of(value)) for name, _, value in entries(node) if _wanted(recipe, name)]
    return tuple((name, value) for name, value in pairs if value and not _LOCAL.search(value))


def _chosen(found: Sequence[Layer]) -> Layer | None:
    """The set of entries that most have; None where two are as frequent."""
    most = foremost(frozenset(layer.values) for layer in found)
    return next((layer for layer in found if most is not None and frozenset(layer.values) == most[0]), None)


def _unknown(recipe: CopyEnv, here: Situation, found: Sequence[Layer]) -> Outcome:
    names = recipe.secret or " or ".join(recipe.names)
    if found:
        return Words(f"the siblings of {_place(here)} set {names} in different ways: choose one for it")
    return Refusal(f"no sibling on the same kind of runner sets {names}")


def _first_use(recipe: CopyEnv, here: Situation) -> Layer | None:
    """The secret under the name of the variable itself, in the failed step alone; None where that cannot be it."""
    name = secret = recipe.secret
    if recipe.token and _OF_GITHUB.match(recipe.names[0]):
        name, secret = recipe.names[0], "GITHUB_TOKEN"
    elif not secret or not here.captures.get("host", _HUB).endswith((_HUB, "hf.co")):
        return None  # a mirror counts by address
    step = here.step if here.step is not None and here.step.run is not None else None
    value = f"${{{{ secrets.{secret} }}}}"
    return Layer(((name, value),), step is not None, here.job, here.job.line if step is None else step.line)


def _kept_away(here: Situation, chosen: Layer) -> str:
    """Why an entry of `env` would not come to where it is wanted; "" where it does."""
    names = ", ".join(name for name, _ in chosen.values)
    secrets = {found for _, value in chosen.values for found in _SECRET_NAME.findall(value)}
    workflows = [here.job.workflow, *(caller.workflow for caller in here.job.callers)] if secrets else []
    if strangers := sorted({one for each in workflows for one in each.triggers} & OF_STRANGERS):
        return (
            f"{_place(here)} runs on `{strangers[0]}`, which strangers set off: give it {names} only where it runs "
            "nothing of theirs"
        )
    for caller in here.job.callers if secrets else ():
        given = child(caller.node, "secrets")
        if text_of(given) != "inherit" and not secrets <= {name for name, _, _ in entries(given)}:
            return f"hand {names} on with `secrets:` where {caller.id} calls the workflow ({caller.path}:{caller.line})"
    theirs, ours = (child(one.node, "environment") for one in (chosen.job, here.job))
    if secrets and theirs is not None and ours is None:
        return (
            f"{names} may be a secret of the environment of {chosen.job.id} ({chosen.job.path}:{chosen.job.line}) alone"
        )
    started = next((one for one in here.concerned if keeps_out(one, [name for name, _ in chosen.values])), None)
    if started is not None:
        call = started.calls[-1]
        return f"give {names} to the container that {call.path}:{call.line} starts, with `-e`"
    return ""


def _place(here: Situation) -> str:
    if here.step is None:
        return f"{here.job.id} ({here.job.path}:{here.job.line})"
    return f"step `{here.step.name}` of {here.job.id} ({here.job.path}:{here.step.line})"


def _added(here: Situation, chosen: Layer) -> Outcome:
    """To the failed step where a sibling's step has them, else to the job."""
    if here.job.hands_script:
        return _exported(here, chosen)
    step = here.step if chosen.step and here.step is not None and here.step.run is not None else None
    owner = here.job.node if step is None else step.node
    place = f"{here.place}.env" if step is None else f"{here.place}.steps[{step.index}].env"
    mapping = child(owner, "env")
    flow = isinstance(mapping, yaml.MappingNode) and bool(mapping.flow_style)
    pairs = [(name, _written(value, flow=flow)) for name, value in chosen.values]
    why = f"copied from {chosen.job.path}:{chosen.line}"
    edits = add_entries(here.job.document, owner, "env", pairs, why=why)
    if isinstance(edits, Refusal):
        return edits
    where = (here.target.job, here.job.path)
    promises = tuple(Expectation("value", f"{place}.{name}={value}", *where) for name, value in chosen.values)
    names = [f".{name}" for name, _ in chosen.values] if mapping is not None else [""]
    made = Edited(edits, tuple(f"{here.job.path}:{place}{name}" for name in names), promises)
    secrets = sorted({found for _, value in chosen.values for found in _SECRET_NAME.findall(value)})
    return made.noting(f"a fork's pull request gets no {', '.join(secrets)}" if secrets else "")


def _exported(here: Situation, chosen: Layer) -> Outcome:
    """In the script that is handed to a workflow elsewhere; a secret only comes there as that workflow says."""
    if any("${{" in value for _, value in chosen.values):
        return Words(f"hand {', '.join(name for name, _ in chosen.values)} to {here.job.uses} as it takes secrets")
    why = f"copied from {chosen.job.path}:{chosen.line}"
    return together([export_in_step(here, name, value, why=why) for name, value in chosen.values])


def _written(value: str, *, flow: bool) -> str:
    """An expression alone needs no quotes, as workflows write it."""
    if _EXPRESSION.fullmatch(value) and not flow and ": " not in value and " #" not in value:
        return value
    text = quoted(value)
    return value if isinstance(text, Refusal) else text
