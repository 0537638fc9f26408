"""`rename_input`, `drop_ref` and `cache_files`: what a step hands to the action that it uses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.document import line_end
from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import insert_after, remove_below
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import CacheFiles, DropRef, RenameInput

_NAME = re.compile(r"'([\w-]{1,60})'")
# What installs name, and what each of the setup actions calls the files that its cache depends on.
_LISTS = re.compile(r"(?:^|\s)(?:-r|--requirements?|-c)[ =]?[\"']?([\w./-]+\.txt)\b")
_OWN = re.compile(
    r"\binstall\b[^\n|;&]*(?:\s-e\s*)?\s[\"']?\.(?:\[[\w,-]+\])?[\"']?(?:\s|$)|\b(?:uv sync|python setup\.py)\b"
)
_KEYS = {"astral-sh/setup-uv": "cache-dependency-glob", "actions/setup-python": "cache-dependency-path"}
# A commit or a release: whoever holds another repository there does not want whatever its newest is.
_FIXED = re.compile(r"[0-9a-f]{7,40}\Z|v?[0-9]+(?:\.[0-9]+)+[\w.+-]*\Z")


def rename_input(recipe: RenameInput, here: Situation) -> Outcome:
    """In the failed step, else in the one step that gives the input; a name from the log only selects."""
    old, listed = (here.captures.get(one.strip("{}"), "") for one in (recipe.input, recipe.known))
    known = _NAME.findall(listed)
    given = [step for step in _used(here) if child(step.node, "with", old) is not None]
    if not given and any(child(step.node, "with", one) is not None for step in _used(here) for one in known):
        return InPlace(f"no step gives an action the input `{old}`")
    if len(given) != 1 or not known:
        return Refusal(f"no one step gives an action the input `{old}`", here.job.path, here.job.line)
    step = given[0]
    free = [one for one in known if child(step.node, "with", one) is None]
    new = resembling(old, free) or _longer(old, free)
    if not new:
        return Words(f"{step.path}:{step.line} gives `{old}`, which the action does not know")
    key = next(key for name, key, _ in entries(child(step.node, "with")) if name == old)
    document = step.document
    edit = Edit(document.path, document.start(key), document.end(key), new.encode(), f"the action has no `{old}`")
    place = f"{here.place}.steps[{step.index}].with"
    value = child(step.node, "with", old)
    held = f"{place}.{new}={text_of(value).strip()}"
    start = document.start(key)
    line = document.data[start : line_end(document.data, start)].decode("utf-8", "replace")
    kind, text = (
        ("line", as_promised(line.replace(old, new, 1).encode())) if "\n" in text_of(value) else ("value", held)
    )
    declared = (f"{document.path}:{place}.{old}", f"{document.path}:{place}.{new}")
    made = Edited((edit,), declared, (Expectation(kind, text, here.target.job, document.path),))
    return replace(made, title=f"Give `{new}`, which the action knows, instead of `{old}`")


def _longer(old: str, free: list[str]) -> str:
    """`github-token` for `token`: the one name that ends in it, or begins with it, as whole words."""
    found = [one for one in free if one.endswith(f"-{old}") or one.startswith(f"{old}-")]
    return found[0] if len(found) == 1 else ""


def _used(here: Situation) -> list[Step]:
    """The failed step alone where it uses an action, else all that do."""
    if here.step is not None and here.step.uses and here.step.path == here.job.path:
        return [here.step]
    return [step for step in here.job.steps if step.uses and step.path == here.job.path]


def drop_ref(recipe: DropRef, here: Situation) -> Outcome:
    gone = here.captures.get(recipe.ref.strip("{}"), "").removeprefix("refs/heads/").removeprefix("refs/tags/")
    steps = [step for step in here.job.steps if step.uses.startswith("actions/checkout@")]
    held = [one for one in steps if _ref(one) == gone]
    if not gone or (steps and not held and not any(_ref(one) for one in steps)):
        return InPlace("no checkout asks for a branch") if gone else Refusal("the log names no branch")
    if not held or any(one.path != here.job.path for one in held):
        return Refusal(f"no checkout of {here.job.id} asks for `{gone}` in its own words", here.job.path, here.job.line)
    if fixed := next(
        (one for one in held if child(one.node, "with", "repository") is not None and _FIXED.match(gone)), None
    ):
        return Words(
            f"{fixed.path}:{fixed.line} holds another repository at `{gone}`, which it has not: name one that it has"
        )
    return replace_title(together([_without(here, step, gone) for step in held]), held[0], gone)


def _ref(step: Step) -> str:
    return text_of(child(step.node, "with", "ref")).removeprefix("refs/heads/").removeprefix("refs/tags/")


def replace_title(made: Outcome, step: Step, gone: str) -> Outcome:
    if not isinstance(made, Edited):
        return made
    other = text_of(child(step.node, "with", "repository"))
    what = f"the default branch of {other}" if other else "the commit that the run is for"
    return replace(made, title=f"Check out {what}: `{gone}` is gone")


def _without(here: Situation, step: Step, gone: str) -> Outcome:
    document, mapping = step.document, child(step.node, "with")
    why, place = f"there is no `{gone}`", f"{here.place}.steps[{step.index}]"
    if not isinstance(mapping, yaml.MappingNode):
        return Refusal("its `with` is no mapping", step.path, step.line)
    promise = Expectation("value", f"{place}.uses={step.uses}", here.target.job, document.path)
    if id(mapping) in document.aliased:
        return Refusal("the step's input cannot be removed by lines alone", step.path, step.line)
    removed = remove_below(document, step.node, mapping, "with", "ref", why=why)
    if isinstance(removed, Refusal):
        return removed
    return Edited(removed[0], (f"{document.path}:{place}.{removed[1]}",), (promise,))


def cache_files(recipe: CacheFiles, here: Situation) -> Outcome:
    """The files that the job's installs read, else those of the project, as what its cache depends on."""
    pattern = here.captures.get(recipe.pattern.strip("{}"), "")
    steps = [step for step in _used(here) if step.uses.partition("@")[0] in _KEYS]
    caching = [step for step in steps if _caches(step)]
    if len(caching) != 1:
        return Refusal("no one step sets up a cache of packages", here.job.path, here.job.line)
    step = caching[0]
    key, mapping = _KEYS[step.uses.partition("@")[0]], child(step.node, "with")
    if not any(one.uses.startswith("actions/checkout@") for one in here.job.steps[: step.index]):
        return Words(f"{step.path}:{step.line}: check the repository out before its files are looked for")
    if child(mapping, key) is not None:
        return InPlace(f"{step.path}:{step.line} names the files that the cache depends on")
    files = list(dict.fromkeys(_read(here))) or [one for one in MANIFESTS if one in here.tree][:1]
    if not files or not isinstance(mapping, yaml.MappingNode) or mapping.flow_style:
        return Words(f"{step.path}:{step.line}: leave the cache out, nothing in the repository matches `{pattern}`")
    last, column = mapping.value[-1], mapping.value[0][0].start_mark.column
    lines = [f"{key}: {files[0]}"] if len(files) == 1 else [f"{key}: |", *(f"  {one}" for one in files)]
    why = f"nothing in the repository matches `{pattern}`, and these are what the job installs from"
    edits = insert_after(step.document, last[1], lines, column, why=why)
    place = f"{here.place}.steps[{step.index}].with.{key}"
    kind, text = ("value", f"{place}={files[0]}") if len(files) == 1 else ("line", f"{key}: |")
    promise = Expectation(kind, text, here.target.job, step.path)
    return Edited(edits, (f"{step.path}:{place}",), (promise,))


def _caches(step: Step) -> bool:
    held = child(step.node, "with")
    return text_of(child(held, "cache")) == "pip" or text_of(child(held, "enable-cache")) in ("true", "auto")


def _read(here: Situation) -> Iterator[str]:
    for step in here.job.steps:
        script = step.run.value if step.run is not None else ""
        for named in _LISTS.findall(script):
            path = posixpath.normpath(named)
            if path in here.tree:
                yield path
        if _OWN.search(script):
            yield from [one for one in MANIFESTS if one in here.tree][:1]
