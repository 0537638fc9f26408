"""`env` and `env_remove`: set a variable where the job's programs see it, or take it (or one item of it) away."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from triage.fixes.counting import foremost
from triage.fixes.document import splice
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.overlay import Overlay
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.held import is_switch
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.nearest import (
    export_in_step,
    hands_on,
    held_in_file,
    set_near_program,
    starts_program,
    work_of,
)
from triage.fixes.recipes.placing import env_place, remove_assignment, remove_env, set_env
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.values import new_value, same
from triage.fixes.recipes.wiring.job_files import set_in_job_file
from triage.fixes.recipes.wiring.past_sudo import behind_sudo, past_sudo
from triage.fixes.recipes.wiring.spelled import as_spelled
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.load import load_job
from triage.fixes.yaml.edits import remove_entry
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import EffectiveValue, RemoveEnv, SetEnv

_ITEMS = re.compile(r"[,;]")
# In ASCII: what a script counts with.
_NUMBER = re.compile(r"[0-9]+\Z")


def set_variable(recipe: SetEnv, here: Situation) -> Outcome:
    if recipe.as_in_workflow:
        plain = replace(recipe, value=_in_workflow(recipe.name, here) or recipe.value, as_in_workflow=False)
        made = set_variable(plain, here)
        return replace(made, settled=plain) if isinstance(made, Edited) else made
    pair = assignment_of(recipe, here)
    if isinstance(pair, Refusal):
        return pair
    name, value = pair
    recipe = replace(recipe, name=name)
    if (handed := set_in_job_file(here, name, value)) is not None:
        return handed
    own = tuple(one for one in here.concerned if one.system == here.system)
    concerned = tuple(one for one in own if not one.substitution and starts_program(one)) or own
    reached = concerned if recipe.level == "program" or here.typed or here.system else own
    if here.job.hands_script:
        reached = work_of(here)
    seen = [one.environment[recipe.name] for one in reached if recipe.name in one.environment]
    equal = [one for one in seen if one.text is not None and same(one.text, value)]
    if equal and len(equal) == len(reached):
        return InPlace(f"{recipe.name} is already `{value}` for every command of {here.job.id}")
    if f"{recipe.name}={value}" in here.target.environment:
        return InPlace(f"the log shows that the step had {recipe.name}={value}")
    inner = next(
        (site for one in seen for site in one.sites if site.kind in (SiteKind.ASSIGN, SiteKind.CALL_ENV)), None
    )
    if inner is not None:
        return _replace(here, recipe.name, inner, value)
    if recipe.level == "program" or here.typed:
        why = f"the program that the job starts sees {recipe.name}"
        near = set_near_program(here, recipe.name, value, why=why, comment=recipe.comment)
        programs = any(starts_program(one) or hands_on(one, here.tree) for one in here.concerned)
        if not isinstance(near, Refusal) or here.typed or not programs:
            return near
    if here.job.hands_script:
        return export_in_step(here, recipe.name, value, why=f"the programs of {here.job.id} see {recipe.name}")
    return _around(recipe, here, value, concerned)


def _around(recipe: SetEnv, here: Situation, value: str, concerned: Sequence[Invocation]) -> Outcome:
    """In the `env` of the job or of the failed step, or what its commands need instead."""
    if any(one.system and one.inside is not None for one in concerned):
        where = here.system or "the container"
        return Refusal(f"{recipe.name} of the job does not reach {where}, in which its programs run")
    if sudoed := behind_sudo(recipe.name, concerned):
        return together([past_sudo(here, one, recipe.name, value) for one in sudoed])
    step = here.step if recipe.level in ("step", "program") else None
    why = f"the programs of {here.job.id} see {recipe.name}"
    level = "job" if recipe.level == "program" else recipe.level
    made = set_env(here, recipe.name, value, comment=recipe.comment, step=step, level=level, why=why)
    return _effective(here, recipe.name, made) if isinstance(made, Edited) else made


def assignment_of(recipe: SetEnv, here: Situation) -> tuple[str, str] | Refusal:
    """The variable and its value, wherever it is then set. From a log both come only as a switch of a framework."""
    told_name, told_value = (here.captures.get(text.strip("{}"), text) for text in (recipe.name, recipe.value))
    if recipe.name.startswith("{") and is_switch(told_name, told_value):
        return as_spelled(told_name, here), told_value
    value = _of_siblings(recipe.name, here) if recipe.copy_from_sibling else here.fill(recipe.value)
    name = _known_name(recipe, here)
    if isinstance(value, Refusal):
        return value
    return name if isinstance(name, Refusal) else (as_spelled(name, here), value)


def _of_siblings(name: str, here: Situation) -> str | Refusal:
    """The value that most of the tree's scripts give the variable; where the failed ones lie decides first."""
    own = {posixpath.dirname(call.path) for one in here.concerned for call in one.calls}
    head = rf"(?m)^[ \t]*export[ \t]+{re.escape(name)}"
    setting = re.compile(rf"{head}=[\"']?([A-Za-z0-9_.:-]{{1,60}})[\"']?[ \t]*(?:#.*)?$")
    found: list[tuple[str, str]] = []
    for path in here.tree.paths():
        if path.endswith((".sh", ".bash", ".slurm")):
            found += [(path, one[1]) for one in setting.finditer(here.tree.read(path).decode("utf-8", "replace"))]
    near = [value for path, value in found if posixpath.dirname(path) in own] or [value for _, value in found]
    most = foremost(near)
    return most[0] if most is not None else Refusal(f"no value of {name} is usual in the scripts of the repository")


def _in_workflow(name: str, here: Situation) -> str:
    """The one number that other steps of the failed job's workflow have for the variable; "" where there is none, and
    where the failed step has one, which did not help."""
    if any(name in one.environment for one in here.concerned):
        return ""
    jobs = (load_job(here.job.workflow, job_id, {}, ()) for job_id in here.job.workflow.job_ids)
    steps = [step for job in jobs if not isinstance(job, Refusal) for step in job.steps]
    found = {text_of(child(step.node, "env", name)) for step in steps} - {""}
    return next(iter(found)) if len(found) == 1 and all(_NUMBER.match(one) for one in found) else ""


def _known_name(recipe: SetEnv, here: Situation) -> str | Refusal:
    """A name that the log gives only selects among the variables of the tables; `{knob}` without a capture of that
    name is the knob's first variable."""
    knob = recipe.name.strip("{}")
    usual = here.tables.knobs.get(knob, {}).get("env", ())
    if recipe.name == f"{{{knob}}}" and usual and not here.captures.get(knob):
        return usual[0]
    name = here.fill(recipe.name, select=True)
    known = {each for dialects in here.tables.knobs.values() for each in dialects.get("env", ())}
    if isinstance(name, Refusal) or name == recipe.name or name in known:
        return name
    return Refusal(f"`{name}` comes from the log and is no variable that triage knows")


def _effective(here: Situation, name: str, made: Edited) -> Outcome:
    """A variable that only scripts of the repository read does something only when it changes a command of this job."""
    reading = [
        f"{path}:{number}"
        for path in sorted(
            {call.path for one in here.evaluation.invocations for call in one.calls if call.enters == ""}
        )
        if not is_workflow(path)
        for number, line in enumerate(here.tree.read(path).decode("utf-8", "replace").splitlines(), 1)
        if re.search(rf"\$\{{?{re.escape(name)}\b", line)
    ]
    if not reading:
        return made
    content = splice(here.job.document.data, made.edits)
    if isinstance(content, Refusal):
        return content
    after = open_situation(
        Overlay(here.tree, {here.job.path: content}), here.target, here.facts, here.tables, here.captures
    )
    if isinstance(after, Refusal):
        return after
    before = [one.command_line for one in here.evaluation.invocations]
    if before == [one.command_line for one in after.evaluation.invocations]:
        where = ", ".join(reading)
        return Refusal(
            f"{name} changes no command of {here.job.id}: it is read at {where}, in branches this job does not take"
        )
    return made


def _replace(here: Situation, name: str, site: Site, value: str) -> Outcome:
    """A script or a command line sets it: a job's `env` would be overridden there."""
    content = here.tree.read(site.path)[site.start : site.end] if site.path in here.tree else b""
    if not content or not re.fullmatch(r"[\w.+:/@%,=-]+", value):
        return Refusal(f"{name} is set at {site.path}:{site.line}, where it cannot be replaced")
    edit = Edit(
        site.path, site.start, site.end, value.encode(), f"{name} is set here, so `env` would not reach further"
    )
    declared = site.path if not is_workflow(site.path) else f"{site.path}:{here.place}"
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    return Edited((edit,), (declared,), (promise,), blast_radius=blast_radius(here, (site,)))


def environment_value(recipe: EffectiveValue, here: Situation, names: Sequence[str]) -> Outcome:
    """A knob that is a variable: the one that is set, else the first name."""
    for name in names:
        held = held_in_file(here, name)
        if held is not None:
            wanted = new_value(recipe, held[2], lambda _value: "")
            if wanted is None:
                return InPlace(f"{name} is already `{held[2]}` ({held[0]})")
            return _scaled(recipe, here, name, wanted, "program")
        values = [one.environment[name] for one in here.concerned if name in one.environment]
        if values:
            old = values[0].text
            if old is None:
                return Refusal(f"{name} is `{values[0]}` here, which is not known")
            wanted = new_value(recipe, old, lambda _value: "")
            if wanted is None:
                return InPlace(f"{name} is already `{old}`")
            return _scaled(recipe, here, name, wanted, recipe.level)
    if recipe.default:
        return _from_default(recipe, here, names[0])
    if not recipe.to:
        return Refusal(f"{names[0]} is not set in {here.job.id}, so it cannot be scaled")
    return set_variable(SetEnv(names[0], recipe.to, level=recipe.level), here)


def _from_default(recipe: EffectiveValue, here: Situation, name: str) -> Outcome:
    told = here.fill(recipe.default)
    if isinstance(told, Refusal):
        return told
    wanted = new_value(recipe, told, lambda _value: "")
    if wanted is None:
        return InPlace(f"{name} is {told} already where nothing sets it, by the log")
    return _scaled(recipe, here, name, wanted, recipe.level)


def _scaled(
    recipe: EffectiveValue, here: Situation, name: str, wanted: str | Refusal, level: Literal["job", "program"]
) -> Outcome:
    """With the value by name, so that a second application does not scale it again."""
    if isinstance(wanted, Refusal):
        return wanted
    made = set_variable(SetEnv(name, wanted, level=level), here)
    settled = EffectiveValue(knob=recipe.knob, to=wanted, level=recipe.level)
    return replace(made, settled=settled) if isinstance(made, Edited) and not recipe.to else made


def remove_variable(recipe: RemoveEnv, here: Situation) -> Outcome:
    name = here.fill(recipe.name, select=True)
    if isinstance(name, Refusal):
        return name
    values = [one.environment[name] for one in here.concerned if name in one.environment]
    if not values:
        return InPlace(
            f"no command of {here.job.id} sees {name} set by the repository: the image or the runner sets it"
        )
    sites = tuple(dict.fromkeys(site for value in values for site in value.sites))
    if not sites or any(site.path not in here.tree for site in sites):
        return _from_layers(here, name)
    return together([_drop(recipe, here, name, site) for site in sites])


def _from_layers(here: Situation, name: str) -> Outcome:
    """A value that is an expression (a secret) has no site: the `env` of the job or of its steps that has the entry."""
    layers = [(child(here.job.node, "env"), f"{here.place}.env.{name}")]
    layers += [(child(step.node, "env"), f"{here.place}.steps[{step.index}].env.{name}") for step in here.job.steps]
    holding = [(node, place) for node, place in layers if child(node, name) is not None]
    outcomes: list[Outcome] = []
    for node, place in holding:
        edits = remove_entry(here.job.document, node, name, why=f"{name} is what breaks this job")
        promise = Expectation("unset", name, here.target.job, here.target.workflow_path)
        outcomes.append(
            edits if isinstance(edits, Refusal) else Edited(edits, (f"{here.job.path}:{place}",), (promise,))
        )
    return together(outcomes) if outcomes else Refusal(f"where {name} is set cannot be traced")


def _drop(recipe: RemoveEnv, here: Situation, name: str, site: Site) -> Outcome:
    content = here.tree.read(site.path)[site.start : site.end].decode("utf-8", "replace")
    if recipe.item:
        return _drop_item(recipe, here, name, site, content)
    promise = Expectation("unset", name, here.target.job, here.target.workflow_path)
    shared = blast_radius(here, (site,))
    if site.kind is SiteKind.YAML_ENV:
        edits = remove_env(here, site, why=f"{name} is what breaks this job")
        declared = env_place(here, site)
    elif site.kind is SiteKind.ASSIGN:
        edits = remove_assignment(here, site, why=f"{name} is what breaks this job")
        declared = site.path if not is_workflow(site.path) else f"{site.path}:{here.place}"
    else:
        return Words(f"take {name} away at {site.path}:{site.line}")
    return edits if isinstance(edits, Refusal) else Edited(edits, (declared,), (promise,), blast_radius=shared)


def _drop_item(recipe: RemoveEnv, here: Situation, name: str, site: Site, content: str) -> Outcome:
    """One `key:value` of PYTORCH_CUDA_ALLOC_CONF and its like; the variable goes when nothing is left."""
    items = _ITEMS.split(content)
    kept = [item for item in items if not item.strip().lower().startswith(recipe.item.lower())]
    if len(kept) == len(items):
        return InPlace(f"{name} at {site.path}:{site.line} does not hold {recipe.item}")
    if not kept:
        return _drop(RemoveEnv(name), here, name, site)
    value = ",".join(kept)
    edit = Edit(site.path, site.start, site.end, value.encode(), f"{recipe.item} is what breaks this job")
    declared = site.path if not is_workflow(site.path) else env_place(here, site)
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    return Edited((edit,), (declared,), (promise,), blast_radius=blast_radius(here, (site,)))
