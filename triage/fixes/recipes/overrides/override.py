"""`hydra_override`: append `key=value` to every command of the job that starts the program which reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.passing import Manner, Verdict, pass_through
from triage.fixes.evaluate.settings import find_setting, may_hide
from triage.fixes.hydra.config import Configuration, Present, compose
from triage.fixes.hydra.entry import find_entry
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.coverage import uncovered
from triage.fixes.recipes.exposed import exposed_to_setting
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.overrides.knobs import Program
from triage.fixes.recipes.placing import declared_at, set_env
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import same
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument
from triage.model.patch import Edit, Expectation
from triage.model.recipe import HydraOverride

_SPLITS = re.compile(r"[\s*?\[\]]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*\Z")
_POSITION = re.compile(r"\$\{?([1-9])(?![0-9])")
_DEFAULT_VARIABLE = "EXTRA_OVERRIDE"


@dataclass(frozen=True, slots=True)
class Start:
    """A command that the override is for: where to append it, and what its program's configuration holds."""

    invocation: Invocation
    call: Call
    configuration: Configuration | None


def hydra_override(recipe: HydraOverride, here: Situation) -> Outcome:
    value = here.fill(recipe.value)
    if isinstance(value, Refusal):
        return value
    starts = _starts(recipe, here)
    if isinstance(starts, Refusal):
        return starts
    bare = [start for start in starts if not _has(start.invocation, recipe.key, value)]
    if not bare:
        first = starts[0].call
        return InPlace(f"every command already gets {recipe.key}={value} (the first at {first.path}:{first.line})")
    other = next((one for one in bare if find_setting(one.invocation, recipe.key) is not None), None)
    if other is not None:
        return Refusal(f"{other.call.path}:{other.call.line} sets {recipe.key} to another value: change it there")
    prefix = _prefix(recipe, bare)
    if isinstance(prefix, Refusal):
        return prefix
    return _append(recipe, here, bare, f"{prefix}{recipe.key}={value}")


def _starts(recipe: HydraOverride, here: Situation) -> list[Start] | Refusal:
    found = []
    for one in here.evaluation.invocations:
        if one.substitution or not one.calls or not _wanted(recipe, one):
            continue
        entry = find_entry(here.tree, one)
        composed = entry if isinstance(entry, Refusal) else compose(here.tree, entry)
        configuration = None if isinstance(composed, Refusal) else composed
        if recipe.entry or (configuration is not None and _could_hold(configuration, recipe.key)):
            found.append(Start(one, one.calls[0], configuration))
    if not found:
        asked = " or ".join(recipe.entry) or f"a program whose configuration holds {recipe.key}"
        return Refusal(f"no command of {here.job.id} starts {asked}", here.job.path, here.job.line)
    return found


def _wanted(recipe: HydraOverride, invocation: Invocation) -> bool:
    name = invocation.module or next((value.text or "" for value in invocation.program[1:2]), "")
    return not recipe.entry or any(fnmatchcase(name, glob) for glob in recipe.entry)


def _could_hold(configuration: Configuration, key: str) -> bool:
    found = configuration.look(key)
    return isinstance(found, Present) or found.parent


def _has(invocation: Invocation, key: str, value: str) -> bool:
    setting = find_setting(invocation, key)
    return setting is not None and setting.value.text is not None and same(setting.value.text, value)


def _prefix(recipe: HydraOverride, starts: Sequence[Start]) -> str | Refusal:
    """None for a key that the configuration holds, `+` for a new one below a mapping that it holds; never `++`."""
    if recipe.prefix != "auto":
        return recipe.prefix
    prefixes = set()
    for start in starts:
        if start.configuration is None:
            return Refusal("the program's configuration cannot be read, so `key=` and `+key=` cannot be told apart")
        found = start.configuration.look(recipe.key)
        if not isinstance(found, Present) and not found.parent:
            return Refusal(f"the configuration has no `{recipe.key.rpartition('.')[0]}` that could hold the key")
        prefixes.add("" if isinstance(found, Present) else "+")
    if len(prefixes) > 1:
        return Refusal(f"`{recipe.key}` exists in the configuration of some commands only")
    return prefixes.pop()


def _append(recipe: HydraOverride, here: Situation, starts: Sequence[Start], text: str) -> Outcome:
    if any(start.invocation.system for start in starts):  # a container does not see the job's variables
        recipe = replace(recipe, via="literal")
    name = recipe.variable or _DEFAULT_VARIABLE
    if not _VARIABLE.match(name):
        return Refusal(f"`{name}` is no name for a variable")
    word = f'"${{{name}}}"' if recipe.via == "variable" else _literal(text)
    edits: dict[tuple[str, int], tuple[Edit, ...]] = {}
    notes: list[str] = []
    declared: list[str] = []
    scripts: list[Call] = []
    for start in starts:
        call, how = _reachable(here, start, text)
        if isinstance(call, Refusal):
            return call
        notes.append(how)
        if call.key not in edits:
            why = f"{text} reaches {start.invocation.module or 'the program'} from here"
            made = append_argument(here.tree, call, word, why=why)
            if isinstance(made, Refusal):
                return made
            edits[call.key] = made
            declared.append(declared_at(here, call.path, start.invocation.step))
            scripts += [call] if call.path != here.job.path else []
    made_edits = tuple(edit for group in edits.values() for edit in group)
    arguments = Edited(made_edits, tuple(dict.fromkeys(declared)), _promises(here, starts, text))
    whole = _with_variable(recipe, here, arguments, name, text) if recipe.via == "variable" else arguments
    if isinstance(whole, Refusal):
        return whole
    shared = blast_of_calls(here, scripts)
    first = starts[0].invocation
    exposed = exposed_to_setting(here, Program(first, here.tables), first.module, recipe.key)
    return replace(
        whole,
        siblings=exposed,
        blast_radius=shared,
        notes=tuple(dict.fromkeys([*filter(None, notes), *_notes(recipe, starts)])),
    )


def _with_variable(recipe: HydraOverride, here: Situation, whole: Edited, name: str, text: str) -> Edited | Refusal:
    """The variable is set wherever its argument is used: unset, it would pass an empty one, which Hydra refuses."""
    step = here.step if recipe.level == "step" else None
    variable = set_env(here, name, text, comment=recipe.comment, step=step, why=f"holds the override for {here.job.id}")
    if isinstance(variable, Refusal):
        return variable
    merged = together([variable, whole])
    return merged if isinstance(merged, Edited) else Refusal("nothing to edit")


def _promises(here: Situation, starts: Sequence[Start], text: str) -> tuple[Expectation, ...]:
    """Checked on the patched tree: the last setting of the key in each of these commands."""
    wanted = text.lstrip("+")
    programs = dict.fromkeys((start.invocation.module, start.invocation.step) for start in starts)
    return tuple(
        Expectation("setting", wanted, here.target.job, here.target.workflow_path, module, step)
        for module, step in programs
    )


def _notes(recipe: HydraOverride, starts: Sequence[Start]) -> Iterator[str]:
    """Engines that stay uncovered, by key, and arguments that could set the key unseen."""
    left: dict[str, int] = {}
    for start in starts:
        for key in uncovered(start.configuration, recipe.key) if start.configuration else ():
            left[key] = left.get(key, 0) + 1
    for key, count in left.items():
        yield f"the same setting exists at {key}, whose engine {count} of these commands enable; it is not changed"
    hidden = next((start.call for start in starts if may_hide(start.invocation, recipe.key)), None)
    if hidden is not None:
        yield f"{hidden.path}:{hidden.line} has arguments that are not known and may set {recipe.key}"


def _reachable(here: Situation, start: Start, text: str) -> tuple[Call | Refusal, str]:
    """The workflow's own line when arguments are forwarded from it, else the command in the script."""
    if len(start.invocation.calls) == 1:
        return start.call, ""
    module = start.invocation.module
    passing = pass_through(here.tree, here.job, start.call, here.facts, lambda one: one.module == module)
    script = start.call.enters
    inner = start.invocation.calls[-1]
    taken = _read_by_position(here, start.call)
    if taken and passing.verdict is not Verdict.UNKNOWN:
        return inner, f"{script} takes its argument {taken} for something else, so {_end(here, inner)} is edited"
    key = text.lstrip("+").partition("=")[0]
    if passing.verdict is Verdict.ALL and passing.manner is not Manner.JOINED:
        if passing.manner is Manner.UNQUOTED and _SPLITS.search(text):
            return Refusal(f"{script} forwards $@ unquoted, which would split `{text}`"), ""
        if any(word.lstrip("+").startswith(f"{key}=") for word in passing.trailing):
            return Refusal(f"{script} sets {key} behind the forwarded arguments, where it wins"), ""
        return start.call, f"{script} forwards its arguments ({passing.manner.value})"
    if passing.verdict in (Verdict.SOME, Verdict.UNKNOWN):
        reason = f"whether {script} forwards its arguments is not certain ({passing.reason or passing.verdict.value})"
        return Refusal(reason, start.call.path, start.call.line), ""
    return inner, f"{start.call.enters} does not forward its arguments, so {_end(here, inner)} is edited"


def _end(here: Situation, call: Call) -> str:
    """Where an argument is appended: the last line of a command that may begin many lines above."""
    number = line_of(here.tree.read(call.path), call.argument_end) if call.path in here.tree else call.line
    return f"{call.path}:{number}"


def _read_by_position(here: Situation, call: Call) -> int:
    """The first argument behind those of the call that the script reads by its number; 0 for none."""
    words = [word.text or "" for word in call.words]
    given = next(
        (len(words) - at - 1 for at, word in enumerate(words) if call.enters and call.enters.endswith(word)), 0
    )
    text = here.tree.read(call.enters).decode("utf-8", "replace") if call.enters in here.tree else ""
    read = (int(found) for line in text.splitlines() for found in _POSITION.findall(line.partition(" #")[0]))
    return min((number for number in read if number > given), default=0)


def _literal(text: str) -> str:
    return text if re.fullmatch(r"[\w.+=:/@%,-]+", text) else "'" + text.replace("'", "'\\''") + "'"
