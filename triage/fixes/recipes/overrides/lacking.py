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
from triage.fixes.recipes.overrides.adding import add_key
from triage.fixes.recipes.overrides.read_keys import copy_read_key
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml
from triage.model.recipe import CopyConfigKey

_KEY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")


# Programs set it on an object of some name.
_OWNER = r"(?:\w+\.)?"
_VALUE = r"[ \t]*=[ \t]*(?P<value>[\"']?[\w./-]+[\"']?)(?=[\s,;)\\]|\Z)"
_SETTING = (".sh", ".bash", ".yml", ".yaml", ".py")
# What a configuration leaves to whoever runs it: there is no value to copy.
_MANDATORY = "???"
# A shorter name begins too many others.
_LEAST = 6


@dataclass(frozen=True, slots=True)
class _Held:
    """Where another configuration has the key: its text, and the names that stand before it, the nearest first."""

    path: str
    text: str
    before: tuple[str, ...]


def copy_config_key(recipe: CopyConfigKey, here: Situation) -> Outcome:
    key = here.captures.get(recipe.key.strip("{}"), "")
    owner = here.captures.get(recipe.owner.strip("{}"), "") if recipe.owner else ""
    if owner:
        return copy_read_key(here, owner, key)
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
    held = list(_beside(here, path, parents[-1], leaf))
    given = {} if held else _given(here, key)
    if not held and not given and (near := _under_another_name(here, path, parents, leaf)):
        return _as_named_there(here, path, key, *near)
    texts = sorted({one.text for one in held} or set(given.values()))
    if len(texts) != 1:
        return Words(f"add `{key}` to {path}; others have {', '.join(texts) or 'no such key'}")
    places = [one.path for one in held] or list(given)[:4]
    why = f"the code reads it, and {places[0]} has it"
    made = add_key(here, path, key, texts[0], why, held[0].before if held else ())
    if not isinstance(made, Edited):
        return made
    because = "The code reads the key, and the configurations beside this one have it."
    if not held:
        because = "The code reads the key, and whoever sets it gives it this value."
    made = replace(made, title=f"Add `{key}` to {path}", because=because)
    return made.noting(f"its value is that of {', '.join(places)}")


def _under_another_name(here: Situation, path: str, parents: list[str], leaf: str) -> tuple[str, str] | None:
    """The one key of the same mapping that resembles it, or of which one's last word begins the other's, with its text:
    the code calls it otherwise by now. None where there is none, or several, or its value is computed."""
    document = parse_yaml(path, here.tree.read(path)) if path in here.tree else Refusal("it is not there", path)
    mapping = None if isinstance(document, Refusal) else child(document.root, *parents)
    if isinstance(document, Refusal) or not isinstance(mapping, yaml.MappingNode):
        return None
    names = [name for name, _, _ in entries(mapping)]
    begun = [name for name in names if _goes_on(name, leaf) or _goes_on(leaf, name)]
    name = begun[0] if len(begun) == 1 else "" if begun else resembling(leaf, names)
    name = name if name.count("_") == leaf.count("_") else ""  # a word more is another quantity
    held = list(_held(document, mapping, name)) if name else []
    return (name, held[0].text) if held else None


def _goes_on(short: str, long: str) -> bool:
    rest = long.removeprefix(short)
    return long != short and rest != long and len(short) >= _LEAST and rest.isalpha()


def _as_named_there(here: Situation, path: str, key: str, near: str, text: str) -> Outcome:
    leaf = key.rpartition(".")[2]
    made = add_key(here, path, key, text, f"the code reads `{leaf}`, and the value stands there as `{near}`", (near,))
    if not isinstance(made, Edited):
        return made
    because = f"The code reads `{leaf}`, which nothing else sets; the configuration has the value as `{near}`."
    made = replace(made, title=f"Add `{key}` to {path}, with the value of `{near}`", because=because)
    return made.noting(f"where nothing reads `{near}` any more, it can go")


def _given(here: Situation, key: str) -> dict[str, str]:
    """Values that scripts and programs of the tree give the key by its whole path, where at least two do."""
    whole = re.escape(key)
    by_shell, by_code = (re.compile(rf"(?<![\w.]){before}{whole}{_VALUE}") for before in ("", _OWNER))
    found = {}
    for path in here.tree.paths():
        if path.endswith(_SETTING):
            wanted = by_code if path.endswith(".py") else by_shell
            for match in wanted.finditer(here.tree.read(path).decode("utf-8", "replace")):
                found[f"{path}:{match.start()}"] = match["value"].strip("\"'")
    places = {place.partition(":")[0]: value for place, value in found.items()}
    return places if len(places) > 1 and len(set(found.values())) == 1 else {}


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
