"""`copy_config_key`: a key that the code reads and one of several configurations lacks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import yaml

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.hydra.config import Absent, Present, compose
from triage.fixes.hydra.entry import Entry, find_entry
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml
from triage.model.patch import Expectation
from triage.model.recipe import CopyConfigKey

_KEY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")


# What a configuration leaves to whoever runs it: there is no value to copy.
_MANDATORY = "???"


@dataclass(frozen=True, slots=True)
class _Held:
    """Where another configuration has the key: its text, and the names that stand before it, the nearest first."""

    path: str
    text: str
    before: tuple[str, ...]


def copy_config_key(recipe: CopyConfigKey, here: Situation) -> Outcome:
    key = here.captures.get(recipe.key.strip("{}"), "")
    if not _KEY.match(key):
        return Refusal("the log names no key by its path")
    programs = {entry: one for one in here.concerned if not isinstance(entry := find_entry(here.tree, one), Refusal)}
    if not programs:
        return Refusal("no command of the failed step is a program whose configuration can be read")
    found = [(entry, _look(here, entry, key)) for entry in programs]
    lacking = [entry for entry, one in found if isinstance(one, Absent) and one.parent]
    files = sorted({f"{one.directory}/{one.name}.yaml" for one in lacking})
    if not lacking and not any(isinstance(one, Present) for _, one in found):
        return Refusal(f"the configuration of {_said(programs)} has no place for `{key}`, or cannot be composed")
    if not lacking:
        return InPlace(f"the configuration of {_said(programs)} has `{key}`")
    if len(files) != 1:
        return Words(f"add `{key}` to the configuration that lacks it: {', '.join(files)}")
    return _added(here, files[0], key)


def _said(programs: dict[Entry, Invocation]) -> str:
    return ", ".join(sorted({one.module_path for one in programs}))


def _look(here: Situation, entry: Entry, key: str) -> Present | Absent | Refusal:
    configuration = compose(here.tree, entry)
    return configuration if isinstance(configuration, Refusal) else configuration.look(key)


def _added(here: Situation, path: str, key: str) -> Outcome:
    *parents, leaf = key.split(".")
    document = parse_yaml(path, here.tree.read(path)) if path in here.tree else Refusal("it is not there", path)
    if isinstance(document, Refusal):
        return document
    mapping = child(document.root, *parents)
    if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style or not mapping.value:
        return Words(f"add `{leaf}` to `{'.'.join(parents)}`, which {path} takes from another file")
    held = list(_beside(here, path, parents[-1], leaf))
    texts = sorted({one.text for one in held})
    if len(texts) != 1:
        return Words(f"add `{key}` to {path}; others have {', '.join(texts) or 'no such key'}")
    names = {name: value for name, _, value in entries(mapping)}
    anchor = next((names[name] for name in held[0].before if name in names), mapping.value[-1][1])
    column = mapping.value[0][0].start_mark.column
    why = f"the code reads it, and {held[0].path} has it"
    edits = insert_after(document, anchor, [f"{leaf}: {texts[0]}"], column, why=why)
    promise = Expectation("line", f"{leaf}: {texts[0]}", here.target.job, path)
    made = Edited(edits, (path,), (promise,), title=f"Add `{key}` to {path}")
    made = replace(made, because="The code reads the key, and the configurations beside this one have it.")
    return made.noting(f"its value is that of {', '.join(one.path for one in held)}")


def _beside(here: Situation, path: str, parent: str, leaf: str) -> Iterator[_Held]:
    """Configurations of the same folder that have the key in a mapping of the same name."""
    folder = posixpath.dirname(path)
    for other in here.tree.paths():
        alike = posixpath.dirname(other) == folder and other != path and other.endswith((".yaml", ".yml"))
        document = parse_yaml(other, here.tree.read(other)) if alike else Refusal("another folder")
        if not isinstance(document, Refusal):
            for mapping in _called(document.root, parent):
                yield from _held(document, mapping, leaf)


def _called(node: yaml.Node | None, name: str) -> Iterator[yaml.MappingNode]:
    for own, _, value in entries(node):
        if own == name and isinstance(value, yaml.MappingNode):
            yield value
        yield from _called(value, name)


def _held(document: YamlDocument, mapping: yaml.MappingNode, leaf: str) -> Iterator[_Held]:
    names = [name for name, _, _ in entries(mapping)]
    value = child(mapping, leaf)
    if isinstance(value, yaml.ScalarNode) and "${" not in value.value and "\n" not in value.value:
        text = document.data[document.start(value) : document.end(value)].decode()
        if not text or text[0] in "&*!" or text == _MANDATORY:
            return
        yield _Held(document.path, text, tuple(reversed(names[: names.index(leaf)])))
