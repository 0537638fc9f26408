"""`effective_value`: change a knob at the one place that decides it in the failing job."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage.fixes.evaluate.settings import Setting, find_setting
from triage.fixes.evaluate.values import Site
from triage.fixes.hydra.config import Present
from triage.fixes.invariants import check_layout, separate
from triage.fixes.numbers import whole
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.branches import likely
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.overrides.assignments import assignment_value
from triage.fixes.recipes.overrides.deciding import Change, place_value
from triage.fixes.recipes.overrides.inside_json import value_in_json
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.overrides.needed import as_needed, gives_too_little, multiplied
from triage.fixes.recipes.overrides.recorded import files_of, recorded_value
from triage.fixes.recipes.overrides.shown import programs_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import fitting, new_value
from triage.fixes.recipes.values import same as same_value
from triage.fixes.recipes.wiring.environment import environment_value
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import takes, usual_alike
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml
from triage.model.recipe import EffectiveValue

_SAFE = re.compile(r"[\w.+:/@%,=-]+\Z")


@dataclass(frozen=True, slots=True)
class Found:
    """A command that the knob takes effect in. `setting` is None when only the configuration says `old`."""

    program: Program
    key: str
    setting: Setting | None
    old: str | None

    @property
    def sites(self) -> tuple[Site, ...]:
        return self.setting.value.sites if self.setting is not None else ()

    def change(self, new: str) -> Change:
        command = self.program.invocation
        return Change(command, self.key, self.setting, self.old or "", new, self.prefix, self.program.file)

    @property
    def prefix(self) -> str:
        """What Hydra wants before a key that the command does not set yet: `+` for one that the configuration lacks."""
        configuration = self.program.configuration
        lacks = configuration is not None and not isinstance(configuration.look(self.key), Present)
        return "+" if lacks and self.setting is None else ""


def effective_value(recipe: EffectiveValue, here: Situation) -> Outcome:
    """All halves of the fix, or none: they were worked out to go together."""
    programs = programs_of(here)
    outcomes = [_one(part, here, programs) for part in (recipe, *recipe.together)]
    whole = together(outcomes)
    if not isinstance(whole, Edited):
        return whole
    parts = [one.settled for one in outcomes if isinstance(one, Edited) and isinstance(one.settled, EffectiveValue)]
    halves = [half for part in parts for half in (replace(part, together=()), *part.together)]
    shared = (*whole.blast_radius, *blast_radius(here, whole.edits))
    whole = replace(whole, blast_radius=shared, costs=(*whole.costs, *_replicas(programs, recipe)))
    return replace(whole, settled=replace(halves[0], together=tuple(halves[1:]))) if halves else whole


def _replicas(programs: Sequence[Program], recipe: EffectiveValue) -> Iterator[str]:
    """How many rollout engines are left when each takes more GPUs."""
    wanted = next((one.to for one in (recipe, *recipe.together) if one.knob == "rollout_tensor_parallel"), "")
    for each in programs:
        own = each.read("rollout_gpus") if separate(each.read) else each.read("trainer_gpus")
        gpus, old, new = (whole(text) or 0 for text in (own, each.read("rollout_tensor_parallel"), wanted))
        if min(gpus, old, new) > 0 and old != new:
            yield f"rollout replicas: {gpus // old} before, {gpus // new} after, on {gpus} GPUs"
            return


def _one(written: EffectiveValue, here: Situation, programs: Sequence[Program]) -> Outcome:
    recipe = as_needed(written, here)
    if isinstance(recipe, Refusal):
        return recipe
    numbers = (recipe.dividing, recipe.to, recipe.at_most, recipe.at_least, recipe.over)
    texts = [here.fill(text) for text in (*numbers, *recipe.from_values)]
    if (refused := next((text for text in texts if isinstance(text, Refusal)), None)) is not None:
        return refused
    dividing, to, most, least, over, *present = (str(text) for text in texts)
    fit = fitting(recipe.candidates, dividing)
    recipe = replace(recipe, to=to, at_most=most, at_least=least, over=over, from_values=tuple(present), candidates=fit)
    looked = [_lacking(recipe, each, here) if recipe.as_alike else _find(recipe, each) for each in programs]
    found = [one for one in looked if one is not None and (not recipe.own_file or _in_own_file(here, one))]
    if not found:
        inside = value_in_json(recipe, here)
        if inside is not None:
            return inside
        names = here.tables.knobs.get(recipe.knob, {}).get("env", ())
        if names:
            return environment_value(recipe, here, names)
        kept = here.tables.knobs.get(recipe.knob, {}).get("record", ())
        if files := files_of(here, kept):
            return recorded_value(recipe, here, kept, files)
        launched = here.tables.knobs.get(recipe.knob, {}).get("shell", ())
        if launched:
            return assignment_value(recipe, here, launched)
        return Refusal(f"no command of {_where(here)} reads {_name(recipe, here)}", here.job.path, here.job.line)
    set_there = [one for one in found if one.setting is not None] or found
    every = [one.program.invocation for one in set_there]
    probable = set(map(id, likely(every)))
    ran = _ran(here, [one for one in set_there if id(one.program.invocation) in probable])
    return ran if isinstance(ran, Refusal) else _change(recipe, here, ran)


def _ran(here: Situation, found: Sequence[Found]) -> list[Found] | Refusal:
    """Of branches that set the knob differently, the one whose value the log shows; which ran must not be guessed."""
    by_place: dict[tuple[object, ...], list[Found]] = {}
    for one in found:
        command = one.program.invocation
        by_place.setdefault((command.step, command.combination, command.calls[-1].key, one.key), []).append(one)
    ran: list[Found] = []
    for same in by_place.values():
        shown = here.facts.settings.get(same[0].key, "")
        chosen = [one for one in same if shown and one.old is not None and same_value(one.old, shown)] or same
        values = {(one.old, tuple(site.key for site in one.sites)) for one in chosen}
        if len(values) > 1:
            tests = {str(test) for one in chosen for test in one.program.invocation.assumptions}
            held = " or ".join(sorted({str(one.old) for one in chosen}))
            return Refusal(f"{same[0].key} is {held}, and the log does not say which: {'; '.join(sorted(tests))}")
        ran.append(_once(chosen))
    return ran


def _once(chosen: Sequence[Found]) -> Found:
    """Branches that lead to one place are one change, which assumes only what all of them do."""
    first = chosen[0]
    command = first.program.invocation
    shared = [one for one in command.conditions if all(one in each.program.invocation.conditions for each in chosen)]
    return replace(first, program=replace(first.program, invocation=replace(command, conditions=tuple(shared))))


def _where(here: Situation) -> str:
    return f"step `{here.step.name}`" if here.step is not None else here.job.id


def _name(recipe: EffectiveValue, here: Situation) -> str:
    spellings = [one for written in here.tables.knobs.get(recipe.knob, {}).values() for one in written]
    return recipe.key or recipe.flag or (f"a setting such as `{spellings[0]}`" if spellings else "such a setting")


def _find(recipe: EffectiveValue, each: Program) -> Found | None:
    keys = [key for key in (recipe.key, recipe.flag) if key] or list(each.spellings(recipe.knob))
    for key in keys:
        setting = find_setting(each.invocation, key)
        if setting is not None:
            return Found(each, key, setting, setting.value.text)
    known = next((key for key in keys if each.default(key)), "") or next((key for key in keys if each.knows(key)), "")
    return Found(each, known, None, each.default(known)) if known else None


def _lacking(recipe: EffectiveValue, each: Program, here: Situation) -> Found | None:
    """The key that the program's file lacks and that the configurations like it hold."""
    keys = [key for key in each.spellings(recipe.knob) if each.file and not key.startswith("-")]
    key = next((key for key in keys if takes(here.tree, each.file, key)), "")
    return Found(each, key, None, "") if key else None


def _in_own_file(here: Situation, one: Found) -> bool:
    """Whether the knob is turned where this very job does so: in the command, or in the file that it names."""
    document = parse_yaml(one.program.file, here.tree.read(one.program.file)) if one.program.file else None
    root = document.root if isinstance(document, YamlDocument) else None
    return one.setting is not None or child(root, *one.key.split(".")) is not None


def _change(recipe: EffectiveValue, here: Situation, found: Sequence[Found]) -> Outcome:
    changes, standing = [], []
    for one in found:
        if recipe.product:
            product = multiplied(recipe, one.program)
            if isinstance(product, Refusal):
                return product
            recipe = product
        if recipe.as_alike and not recipe.to:
            recipe = replace(recipe, to=usual_alike(here.tree, one.program.file, one.key))
        if one.old is None:
            return Refusal(f"{one.key} is `{one.setting.value if one.setting else ''}` here, which is not known")
        wanted = new_value(recipe, one.old, _objection(recipe, one, here))
        if isinstance(wanted, Refusal):
            return Refusal(f"{one.key}: {wanted.reason}", wanted.path, wanted.line)
        if wanted is None:
            standing.append(f"{one.key} is already `{one.old or 'at its default'}`{_at(one)}")
        elif refused := _unread(recipe, one, here) or gives_too_little(recipe, here, one.old, wanted):
            return refused
        elif not _SAFE.match(wanted):
            return Refusal(f"`{wanted}` cannot be written without quoting")
        else:
            changes.append(one.change(wanted))
    if not changes:
        return InPlace("; ".join(dict.fromkeys(standing)))
    return _edited(here, changes, standing)


def _unread(recipe: EffectiveValue, one: Found, here: Situation) -> Refusal | None:
    """Whether another setting decides that nothing reads the knob in this job: a change of it would do nothing."""
    knob = recipe.knob or _knob_of(one.key, here)
    for switch, wanted in here.tables.switches.get(knob, {}).items():
        spellings = one.program.spellings(switch)
        shown = next((value for key in spellings if (value := here.facts.settings.get(key, ""))), "")
        held = (one.program.followed(switch) or shown).lower()
        lacks = held == wanted[1:].lower() if wanted.startswith("!") else held != wanted.lower()
        if lacks:
            name = spellings[0] if spellings else switch
            needs = f"only when {name} is {'not ' if wanted.startswith('!') else ''}{wanted.lstrip('!')}"
            return Refusal(f"{one.key} is read {needs}, which is {f'`{held}`' if held else 'not known'} here")
    return None


def _at(one: Found) -> str:
    sites = one.sites
    return f" ({sites[0].path}:{sites[0].line})" if sites else ""


def _objection(recipe: EffectiveValue, one: Found, here: Situation) -> Callable[[str], str]:
    """Why a value breaks the layout. What was broken before is no objection."""
    knob = recipe.knob or _knob_of(one.key, here)

    def broken(value: str) -> set[tuple[str, str]]:
        def read(name: str) -> str:
            return value if name == knob else one.program.read(name)

        layout = check_layout(read, here.tables, here.facts.gpus)
        return {(each.name, each.text) for each in layout if each.holds is False}

    def objection(value: str) -> str:
        before = {name for name, _ in broken(one.old or "")}
        return "; ".join(f"{name} ({text})" for name, text in sorted(broken(value)) if name not in before)

    return objection if knob else lambda _value: ""


def _knob_of(key: str, here: Situation) -> str:
    for knob, dialects in here.tables.knobs.items():
        if any(key in keys for dialect, keys in dialects.items() if dialect.startswith("hydra")):
            return knob
    return ""


def _edited(here: Situation, changes: Sequence[Change], standing: Sequence[str]) -> Outcome:
    outcomes = [place_value(here, change) for change in changes]
    whole = together(outcomes)
    if not isinstance(whole, Edited):
        return whole
    clash = _clash(whole)
    if clash:
        return clash
    assumed = dict.fromkeys(str(one) for change in changes for one in change.invocation.assumptions)
    notes = [f"assumed that {text}" for text in assumed]
    return replace(whole.noting(*standing, *notes), settled=_settled(changes))


def _settled(changes: Sequence[Change]) -> EffectiveValue | None:
    """The same change by name, so that a second application is seen to be in place."""
    chosen = dict.fromkeys((change.key, change.new) for change in changes)
    if len({key for key, _ in chosen}) < len(chosen):
        return None
    first, *others = (_named(key, new) for key, new in chosen)
    return replace(first, together=tuple(others))


def _named(key: str, new: str) -> EffectiveValue:
    return EffectiveValue(flag=key, to=new) if key.startswith("-") else EffectiveValue(key=key, to=new)


def _clash(whole: Edited) -> Refusal | None:
    by_place: dict[tuple[str, int, int], bytes] = {}
    for edit in whole.edits:
        other = by_place.setdefault((edit.path, edit.start, edit.end), edit.new)
        if other != edit.new:
            return Refusal(f"one place would need two values ({other.decode()} and {edit.new.decode()})", edit.path)
    return None
