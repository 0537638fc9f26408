"""`lighter_loss`: a loss that does not hold all logits at once, as configurations of the same kind name it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.overrides.knobs import program
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import others_holding
from triage.fixes.settings.readers import readers
from triage.fixes.settings.setting import set_in_file
from triage.fixes.whereabouts.naming import CONFIGURATIONS, named_files
from triage.fixes.yaml.nodes import child, entries, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.recipe import LighterLoss

# Where frameworks name the class of the loss, and what those are called that compute it in parts.
_PLACES = ("loss_fn._target_", "loss._component_", "loss_fn._component_", "loss._target_")
_LIGHT = re.compile(r"(?:Fused|Linear|Chunked|Liger|Cut)\w*(?:CrossEntropy|CE|Loss)|(?:CrossEntropy|CE)\w*Chunked")
_ENTROPY = re.compile(r"CrossEntropy|CE(?![a-z])")
_PREFIXES = re.compile(r"Fused|Linear|Chunked|Liger|Cut|Masked")
_LEAST = 2


def lighter_loss(recipe: LighterLoss, here: Situation) -> Outcome:
    path = configuration_of(here, _PLACES)
    if isinstance(path, Refusal):
        return path
    root = _root(here.tree, path)
    place = _held_at(root, _PLACES)
    held = text_of(child(root, *place.split("."))) if place else ""
    if recipe.settled == held or _LIGHT.search(held):
        return InPlace(f"{place} is {held}")
    others = list(_others(here.tree, path, place)) if place else []
    most = foremost(loss for loss, _ in others if _LIGHT.search(loss) and _of_a_kind(held, loss))
    if most is None or most[1] < _LEAST:
        return Refusal(f"no configuration like {path} names a loss that needs less memory", path)
    new = most[0]
    light, heavy = ([keys for loss, keys in others if loss == one] for one in (new, held))
    wanted = [(place, new), *sorted(_companions(here.tree, new, light, heavy).items())]
    why = f"{held.rpartition('.')[2]} holds all logits, {new.rpartition('.')[2]} does not"
    parts = [
        set_in_file(here.tree, path, key, value, job=here.target.job, why=why)
        for key, value in wanted
        if text_of(child(root, *key.split("."))) != value
    ]
    made = together(parts)
    if not isinstance(made, Edited):
        return made
    title = f"Compute the loss with {new.rpartition('.')[2]}, as configurations like this one do"
    return replace(made, title=title, blast_radius=readers(here.tree, path), settled=replace(recipe, settled=new))


def configuration_of(here: Situation, places: Sequence[str] = ()) -> str | Refusal:
    """The one configuration that the job's programs are given; else the one that the commands name, where a script
    hands it on in a way that is not followed, of those that hold one of the `places`."""
    files = {one.file for each in here.concerned if each.argv and (one := program(here.tree, each, here.tables)).file}
    named = () if files else named_files(here.tree, " ".join(here.lines), CONFIGURATIONS)
    for path in named:
        if not places or _held_at(_root(here.tree, path), places):
            files.add(path)
    if len(files) == 1:
        return files.pop()
    return Refusal("no one configuration is known that the program reads", here.job.path, here.job.line)


def _held_at(root: yaml.Node | None, places: Sequence[str]) -> str:
    """The first of the places that holds a text; "" for none."""
    return next((one for one in places if text_of(child(root, *one.split(".")))), "")


def _root(tree: Tree, path: str) -> yaml.Node | None:
    document = parse_yaml(path, tree.read(path)) if path in tree else Refusal("there is no such file", path)
    return None if isinstance(document, Refusal) else document.root


def _of_a_kind(held: str, other: str) -> bool:
    """Of the same package: what its configurations take is known to fit the same trainer. And of the same loss: one of
    preferences or of a distillation trains something else."""
    kinds = [
        "entropy" if _ENTROPY.search(name) else _PREFIXES.sub("", name)
        for name in (one.rpartition(".")[2] for one in (held, other))
    ]
    return held.split(".")[:2] == other.split(".")[:2] and kinds[0] == kinds[1]


def _others(tree: Tree, path: str, place: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every other configuration below the same first folder that names a loss in this place, with its scalars."""
    for _, root in others_holding(tree, path, place.rpartition(".")[2]):
        if loss := text_of(child(root, *place.split("."))):
            yield loss, dict(_scalars(root))


def _scalars(root: yaml.Node | None) -> Iterator[tuple[str, str]]:
    for section, _, node in entries(root):
        for key, _, value in entries(node):
            if isinstance(value, yaml.ScalarNode):
                yield f"{section}.{key}", value.value


def _companions(
    tree: Tree, new: str, light: Sequence[dict[str, str]], heavy: Sequence[dict[str, str]]
) -> dict[str, str]:
    """What the tree's programs say that the loss requires, and switches of the model that half of the configurations
    with it set, and none without."""
    name = re.escape(new.rpartition(".")[2].encode())
    says = re.compile(name + rb"[^\n]{0,40} requires? [^\n]{0,160}?[`'\"]([\w.]{3,80})=([Tt]rue|[Ff]alse)[`'\"]")
    paths = [path for path in tree.paths() if path.endswith(".py")]
    told = [found for path in paths for found in says.findall(tree.read(path))]
    switches = Counter(pair for one in light for pair in one.items() if pair[0].startswith("model."))
    usual = {
        key: value
        for (key, value), count in switches.items()
        if value in ("true", "false") and count * 2 >= len(light) and not any(one.get(key) == value for one in heavy)
    }
    return usual | {key.decode(): value.decode().lower() for key, value in told}
