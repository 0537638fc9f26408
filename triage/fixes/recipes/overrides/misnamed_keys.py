"""`rename_config_key`: a key of the program's own configuration that what is made of it does not take: the name that is
meant takes its place."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import yaml

from triage.fixes.document import line_with
from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.lighter import configuration_of
from triage.fixes.recipes.overrides.misnamed_toml import named_toml, rename_in_toml
from triage.fixes.recipes.overrides.removing import classes_of, field_class, fields_of, types_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.settings.alike import others_holding, roots_alike
from triage.fixes.settings.readers import readers
from triage.fixes.yaml.nodes import YamlDocument, child, entries, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RenameConfigKey

_NAME = re.compile(r"[A-Za-z_]\w{2,80}\Z")
_TYPE = re.compile(r"[A-Za-z_]\w*")
_LEAST = 2
# What makes the opposite, or another quantity, of a name.
_TURNING = frozenset(
    (*("no", "not", "without", "disable", "skip", "ignore", "min", "max", "num", "eval", "val", "test", "train"),)
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the configuration holds the key: the path of its mapping, the mapping and the key's own node."""

    path: tuple[str, ...]
    mapping: yaml.Node
    key: yaml.Node


def rename_config_key(recipe: RenameConfigKey, here: Situation) -> Outcome:
    asked = here.captures.get(recipe.name.strip("{}"), "")
    *parents, name = asked.split(".")
    owner = here.captures.get(recipe.owner.strip("{}"), "").removesuffix(".__init__").rpartition(".")[2]
    if not _NAME.match(name):
        return Refusal("the log does not say which key it is")
    if recipe.settled:
        name, parents = recipe.settled, []
    return renamed(recipe, here, name, tuple(parents), owner)


def renamed(recipe: RenameConfigKey, here: Situation, name: str, parents: tuple[str, ...], owner: str) -> Outcome:
    path = configuration_of(here)
    owner = field_class(here.tree, owner, parents) or owner
    if isinstance(path, Refusal):
        in_toml = named_toml(here)
        meant_by = partial(_field_meant, here.tree, owner, name)
        fields = taken_by(here.tree, owner) if owner else frozenset()
        return rename_in_toml(recipe, here, in_toml, (*parents, name), meant_by, fields) if in_toml else path
    document = parse_yaml(path, here.tree.read(path))
    if isinstance(document, Refusal):
        return document
    places = [one for one in _places(document.root, name) if one.path[len(one.path) - len(parents) :] == parents]
    if recipe.settled:
        return InPlace(f"{path} has `{name}`") if places else Refusal(f"{path} does not have `{name}`", path)
    if not places:
        return Refusal(f"{path} holds no key `{name}`", path)
    meant = {place: _meant(here.tree, path, name, owner, place) for place in places}
    known = {place: new for place, new in meant.items() if new}
    lines = ", ".join(str(document.line(place.key)) for place in places)
    if len(known) != 1:  # of several places one alone may be wrong: the others are right where they are
        who = f"`{owner}` takes" if owner else "the program takes"
        return Words(f"{who} no `{name}`: rename or remove it in {path} (line {lines})")
    ((place, new),) = known.items()
    return _edited(recipe, here, document, place, new, owner)


def _places(node: yaml.Node | None, name: str, path: tuple[str, ...] = ()) -> Iterator[_Place]:
    """Those of the file's own text; what a mapping takes from an anchor stands where the anchor does."""
    seen: set[int] = set()
    left = [(node, path)]
    while left:
        mapping, above = left.pop()
        if mapping is None or id(mapping) in seen:
            continue
        seen.add(id(mapping))
        for own, key, value in entries(mapping):
            if own == name:
                yield _Place(above, mapping, key)
            left.append((value, (*above, own)))


def _meant(tree: Tree, path: str, name: str, owner: str, place: _Place) -> str:
    """The field of the class that the name resembles, else the key that configurations like this one hold in the same
    mapping; "" where it is set already, and where the name is known there."""
    there = {own for own, _, _ in entries(place.mapping)}
    fields = taken_by(tree, owner) if owner else frozenset()
    if 2 * len(fields & there) < len(there - {name}):
        fields = frozenset()  # another class of that name: this one takes hardly any of what the mapping holds
    if fields:
        held = child(place.mapping, name)
        return _field_meant(tree, owner, name, there, held.tag.rpartition(":")[2] if held is not None else "")
    new = _slip(name, _usual(tree, path, name, place))
    new = new or ("" if owner else _with_a_word(name, _declared(tree)))
    return "" if new in there else new


def _field_meant(tree: Tree, owner: str, name: str, there: Collection[str], kind: str) -> str:
    """The one field of the class that the name resembles, and that is not set beside it; "" for none. Where two have a
    word more, the one that can hold the value."""
    taken = taken_by(tree, owner) if owner else frozenset()
    if name in taken:
        return ""
    kinds = types_of(tree, owner)
    fitting = {one for one in taken if one not in there and _holds(kinds.get(one, ""), kind)}
    longer = _a_word_apart(name, fitting)
    meant = longer or [resembling(name, taken)]
    return meant[0] if len(meant) == 1 and meant[0] in fitting else ""


def _holds(annotation: str, kind: str) -> bool:
    """Whether a field of this annotation may hold a value of this kind, as far as bare types tell."""
    names = set(_TYPE.findall(annotation)) - {"Optional", "Union", "None"}
    return (
        not names
        or bool(names - {"bool", "int", "float", "str"})
        or kind in names
        or (kind == "int" and "float" in names)
    )


def _with_a_word(name: str, fields: Collection[str]) -> str:
    """The one field with one word more or less, the others in their order; "" for none, several or the name itself.
    A word that turns the meaning round is no such word."""
    near = _a_word_apart(name, fields)
    return near[0] if len(near) == 1 and name not in fields else ""


def _a_word_apart(name: str, fields: Collection[str]) -> list[str]:
    own = name.split("_")
    near = [one for one in fields if _one_more(own, one.split("_")) or _one_more(one.split("_"), own)]
    return near if len(own) >= _LEAST else []


def _one_more(short: list[str], long: list[str]) -> bool:
    if len(long) != len(short) + 1 or len(short) < _LEAST:
        return False
    cut = next((at for at, word in enumerate(short) if word != long[at]), len(short))
    return short[cut:] == long[cut + 1 :] and long[cut] not in _TURNING


@lru_cache(maxsize=4)
def _declared(tree: Tree) -> frozenset[str]:
    """The fields of all dataclasses of the tree's programs: what their parser of arguments takes is among them."""
    sources = (tree.read(path) for path in tree.paths() if path.endswith(".py"))
    held = (node for one in sources if b"@dataclass" in one for node in python_nodes(one))
    classes = (
        one
        for one in held
        if isinstance(one, ast.ClassDef) and any("dataclass" in ast.dump(each) for each in one.decorator_list)
    )
    return frozenset(
        node.target.id
        for one in classes
        for node in one.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    )


def _usual(tree: Tree, path: str, name: str, place: _Place) -> set[str]:
    """The keys that several configurations like this one hold in the mapping; none where they hold this one too."""
    beside = Counter(key for root in roots_alike(tree, path) for key, _, _ in entries(child(root, *place.path)))
    return {key for key, count in beside.items() if count >= _LEAST} if not beside[name] else set()


def _slip(name: str, names: Collection[str]) -> str:
    """As `resembling`, or a name of which a part is written twice."""
    parts = name.split("_")
    once = "_".join(part for at, part in enumerate(parts) if at == 0 or part != parts[at - 1])
    return once if once in names and once != name else resembling(name, names)


def taken_by(tree: Tree, owner: str) -> frozenset[str]:
    """The fields of a dataclass of the repository, or what its `__init__` takes; none where that is not known."""
    fields = fields_of(tree, owner)
    if not isinstance(fields, Refusal) and fields:
        return fields
    found = classes_of(tree, owner)
    made = [one for node in found for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if len(found) != 1 or len(made) != 1 or made[0].args.kwarg is not None:
        return frozenset()
    arguments = made[0].args
    return frozenset(one.arg for one in (*arguments.args[1:], *arguments.kwonlyargs))


def _edited(
    recipe: RenameConfigKey, here: Situation, document: YamlDocument, place: _Place, new: str, owner: str
) -> Outcome:
    path, data = document.path, document.data
    start, end = document.start(place.key), document.end(place.key)
    old = data[start:end].decode("utf-8", "replace")
    name = old.strip("\"'")
    why = f"`{owner or 'the program'}` has `{new}` and no `{name}`"
    edit = Edit(path, start, end, old.replace(name, new).encode(), why)
    line = as_promised(line_with(data, start, end, edit.new))
    promise = Expectation("line", line, here.target.job, path)
    whole = ".".join((*place.path, new))
    declared = (f"{path}:{'.'.join((*place.path, name))}", f"{path}:{whole}")
    made = Edited((edit,), declared, (promise,), settled=replace(recipe, settled=new))
    made = replace(made, title=f"Write `{new}` for `{name}` in {path}", blast_radius=readers(here.tree, path))
    others = _holding(here.tree, path, place.path, name)
    more = f"{', '.join(others[:4])} hold `{name}` in the same place"
    return made.noting(more if others else "")


def _holding(tree: Tree, path: str, above: tuple[str, ...], name: str) -> list[str]:
    """Other configurations of the same first folder with the same key in the same mapping."""
    others = others_holding(tree, path, name)
    return [other for other, root in others if child(root, *above, name) is not None]
