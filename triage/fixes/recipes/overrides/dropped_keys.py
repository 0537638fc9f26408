"""`drop_config_keys`: keys of the program's own configuration that nothing in the repository takes any more."""

from __future__ import annotations

import re
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.lighter import configuration_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.yaml.edits import remove_entry
from triage.fixes.yaml.nodes import YamlDocument, entries, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import DropConfigKeys

_NAME = re.compile(r"[A-Za-z_]\w{2,80}")
_READING = (".py", ".yaml", ".yml", ".json", ".toml", ".sh")
_MOST = 12


def drop_config_keys(recipe: DropConfigKeys, here: Situation) -> Outcome:
    """Of keys that stand at the top of one YAML file. Names that are known anywhere else, or that a package may have
    renamed, are for a person."""
    names = tuple(dict.fromkeys(_NAME.findall(here.captures.get(recipe.names.strip("{}"), ""))))
    path = configuration_of(here)
    if isinstance(path, Refusal) or not 0 < len(names) <= _MOST:
        return path if isinstance(path, Refusal) else Refusal("the log does not say which keys they are")
    document = parse_yaml(path, here.tree.read(path))
    if isinstance(document, Refusal):
        return document
    there = [name for name, _, _ in entries(document.root)]
    if recipe.settled and not set(names) & set(there):
        return InPlace(f"{path} holds none of {', '.join(names)}")
    if strange := [name for name in names if there.count(name) != 1]:
        return Refusal(f"{path} does not hold `{strange[0]}` at its top", path)
    if known := [name for name in names if name in recipe.keep or _is_named(here.tree, path, name)]:
        return Words(f"rename or remove {', '.join(names)} in {path}: `{known[0]}` is known elsewhere")
    left = [(key, value) for name, key, value in entries(document.root) if name not in names]
    if not left:
        return Refusal("nothing would be left", path)
    return _dropped(recipe, here, document, names, left[0])


def _dropped(
    recipe: DropConfigKeys,
    here: Situation,
    document: YamlDocument,
    names: tuple[str, ...],
    kept: tuple[yaml.Node, yaml.Node],
) -> Outcome:
    edits: list[Edit] = []
    for name in names:
        made = remove_entry(document, document.root, name, why=f"the program takes no `{name}`")
        if isinstance(made, Refusal):
            return made
        edits += made
    path, start = document.path, document.start(kept[0])
    line = as_promised(document.data[start:].splitlines()[0].decode("utf-8", "replace"))
    declared = tuple(f"{path}:{name}" for name in names)
    promise = Expectation("line", line, here.target.job, path)
    whole = Edited(tuple(edits), declared, (promise,), settled=replace(recipe, settled=True))
    title = f"Leave {', '.join(f'`{name}`' for name in names)} out of {path}"
    return replace(whole, title=title, blast_radius=readers(here.tree, path))


def _is_named(tree: Tree, own: str, name: str) -> bool:
    """Whether a program, a script or another configuration of the tree has the word."""
    word = re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)")
    return any(word.search(tree.read(path)) for path in tree.paths() if path.endswith(_READING) and path != own)
