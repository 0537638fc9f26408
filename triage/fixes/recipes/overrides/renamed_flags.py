"""`replace_flags`: flags of an engine or a trainer that are known to go by another name, or to be one too many.

The rules are reviewed facts of public programs. Of several flags that the log names all must be known: the next run
would stop at the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from triage.fixes.document import line_after, line_end, line_start, line_with
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.numbers import whole
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.fixes.workflow.files import is_workflow
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import ReplaceFlags

_FLAG = re.compile(r"--[A-Za-z][\w-]{2,80}")
# Programs that start an engine take its options with its name before them.
_PREFIXES = ("", "sglang-", "vllm-", "sglang_", "vllm_")
_ARROW = " => "
# The size of the groups that one engine's weights are split over, as engines and trainers spell it.
_SIZE = "{size}"
_SIZES = ("--tp-size", "--tensor-parallel-size", "--tp", "--rollout-num-gpus-per-engine")


def replace_flags(recipe: ReplaceFlags, here: Situation) -> Outcome:
    rules = {f"--{prefix}{old[2:]}": _with(prefix, new) for old, new in _rules(recipe) for prefix in _PREFIXES}
    named = _FLAG.findall(here.captures.get(recipe.flags.strip("{}"), "")) if recipe.flags else []
    if recipe.flags and (not named or any(flag not in rules for flag in named)):
        return Refusal("it is not known what all of the flags that are refused are called now")
    wanted = {flag: rules[flag] for flag in named or rules}
    found: dict[object, tuple[Invocation, Value]] = {}
    for one in here.concerned:
        words = {word.text or "" for word in one.argv}
        for word in one.argv if not recipe.beside or recipe.beside in words else ():
            if (word.text or "") in wanted:
                found.setdefault(word.sites[0].key if word.sites else word, (one, word))
    if not found:
        return (
            InPlace(f"{here.job.id} passes none of them") if recipe.settled else Refusal("no command passes the flags")
        )
    return _whole(recipe, here, [_changed(here, one, word, wanted) for one, word in found.values()])


def _whole(recipe: ReplaceFlags, here: Situation, parts: list[Outcome]) -> Outcome:
    made = together(parts)
    if not isinstance(made, Edited):
        return made
    sites = blast_radius(here, made.edits)
    return replace(made, settled=replace(recipe, settled=True), blast_radius=sites)


def _rules(recipe: ReplaceFlags) -> Iterator[tuple[str, str]]:
    for one in recipe.rules:
        old, _, new = one.partition(_ARROW)
        yield old, new


def _with(prefix: str, new: str) -> str:
    return f"--{prefix}{new[2:]}" if new else ""


def _changed(here: Situation, one: Invocation, word: Value, rules: Mapping[str, str]) -> Outcome:
    old = word.text or ""
    site = word.sites[0] if len(word.sites) == 1 else None
    new = _filled(one, rules[old])
    if site is None or site.kind not in (SiteKind.LITERAL, SiteKind.ASSIGN) or isinstance(new, Refusal):
        where = f"{site.path}:{site.line}" if site is not None else one.step_name
        return Words(f"{where} passes {old}: it becomes `{rules[old]}`" if rules[old] else f"{where} passes {old}")
    flag = new.partition(" ")[0]
    if flag and find_setting(one, flag) is not None:
        return Words(f"{site.path}:{site.line} passes {old} and {flag}: remove the first")
    return _written(here, one, site, old, new) if new else _without(here, one, site, old)


def _filled(one: Invocation, new: str) -> str | Refusal:
    """With the size of the engine's groups where the new flag takes it."""
    if _SIZE not in new:
        return new
    prefixed = (f"--{prefix}{size[2:]}" for prefix in _PREFIXES for size in _SIZES)
    held = (find_setting(one, size) for size in prefixed)
    text = next((found.value.text or "" for found in held if found is not None), "")
    return new.replace(_SIZE, text) if whole(text) is not None else Refusal("the engine's size is not known")


def _written(here: Situation, one: Invocation, site: Site, old: str, new: str) -> Outcome:
    data = here.tree.read(site.path)
    if data[site.start : site.end] != old.encode() or site.quote:
        return Words(f"{site.path}:{site.line} passes {old}: it becomes `{new}`")
    flag, space, size = new.partition(" ")
    edits = replace_value(here.tree, site, old, flag, why=f"{old} is called {flag} now")
    if isinstance(edits, Refusal):
        return edits
    edits = tuple(replace(edit, new=edit.new + f"{space}{size}".encode()) for edit in edits)
    line = as_promised(line_with(data, site.start, site.end, edits[0].new))
    promise = Expectation("line", line, here.target.job, site.path)
    return Edited(edits, (declared_at(here, site.path, one.step),), (promise,), title=f"Pass {new} instead of {old}")


def _without(here: Situation, one: Invocation, site: Site, old: str) -> Outcome:
    """The whole line where it holds nothing else, of a list or of a command that goes on; else the word alone."""
    data = here.tree.read(site.path) if site.path in here.tree else b""
    first, last = line_start(data, site.start), line_end(data, site.end)
    line = data[first:last].strip()
    alone = line.removesuffix(b"\\").strip() == old.encode()
    goes_on = line.endswith(b"\\") or not data[:first].rstrip().endswith(b"\\")
    if data[site.start : site.end] != old.encode() or is_workflow(site.path) or (alone and not goes_on):
        return Words(f"remove {old} at {site.path}:{site.line}")
    start, end = (first, line_after(data, last)) if alone else (site.start, site.end)
    while not alone and data[start - 1 : start] == b" ":
        start -= 1
    edit = Edit(site.path, start, end, b"", f"{old} is one too many here")
    rest = data[:first].rstrip().rpartition(b"\n")[2] if alone else line_with(data, start, end, b"")
    promise = Expectation("line", as_promised(rest), here.target.job, site.path)
    declared = declared_at(here, site.path, one.step)
    return Edited((edit,), (declared,), (promise,), title=f"Do not pass {old}")
