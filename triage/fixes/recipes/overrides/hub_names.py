"""`name_model`: a model that a configuration loads from somebody's own folder, by its name on the Hub."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import yaml

from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import CONFIGURATIONS
from triage.fixes.yaml.nodes import child, entries, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import NameModel

_PATH = re.compile(r"(?:/[\w.+-]{1,80}){3,16}\Z")
_NAME = re.compile(r"[A-Za-z0-9][\w-]{1,60}/[A-Za-z0-9][\w.-]{1,90}\Z")
_TEXTS = (*CONFIGURATIONS, ".py", ".sh", ".bash", ".md", ".rst", ".json", ".toml")
# Folders that hold models beside a checkout: what stands below them is no name on the Hub.
_FOLDERS = frozenset(
    ("models", "model", "data", "checkpoints", "ckpts", "ckpt", "outputs", "output", "hf", "weights", "pretrained")
)
# Words at the beginning of two files' names that must be the same, where both are to be of one model.
_ALIKE = 2
# So deep mappings are looked into.
_DEPTH = 8


def name_model(recipe: NameModel, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    path = captures.get(recipe.path.strip("{}"), "").rstrip("/")
    if not _PATH.match(path):
        return Refusal("it is no path of somebody's own folder")
    whole = re.compile(rb"(?<![\w./-])" + re.escape(path.encode()) + rb"/?(?![\w./-])")
    held = [(one, hit.span()) for one in _configurations(tree) for hit in whole.finditer(tree.read(one))]
    if not held:
        settled = recipe.settled
        return InPlace(f"{settled} stands there") if settled else Refusal(f"no configuration names {path}")
    files = list(dict.fromkeys(one for one, _ in held))
    if shared := _below(tree, posixpath.dirname(path), files):
        return Refusal(f"{shared} works in the same folder: runners have it, and the model is not there")
    name = _named(tree, posixpath.basename(path), files) or _of_siblings(tree, path, files)
    if not name:
        return Words(f"{', '.join(files[:4])}: name the model as the Hub has it; {path} is on somebody's own disk")
    why = "the path is on somebody's own disk"
    edits = tuple(Edit(one, start, end, name.encode(), why) for one, (start, end) in held)
    promises = promised_of(tree, target.job, edits)
    made = Edited(edits, tuple(files), promises, title=f"Load {name}", settled=replace(recipe, settled=name))
    return replace(made, blast_radius=readers(tree, files[0]))


def _configurations(tree: Tree) -> Iterator[str]:
    return (path for path in tree.paths() if path.endswith(CONFIGURATIONS))


def _below(tree: Tree, folder: str, files: Sequence[str]) -> str:
    """Another file that names something in the same folder: then it is a place that runners share; "" for none."""
    wanted = f"{folder}/".encode()
    others = (path for path in tree.paths() if path.endswith(_TEXTS) and path not in files)
    return next((path for path in others if wanted in tree.read(path)), "")


def _named(tree: Tree, stem: str, files: Sequence[str]) -> str:
    """`owner/stem` as these files, else as any of the tree has it; "" for none, and where owners differ."""
    head = rb"(?<![\w./-])([A-Za-z0-9][\w-]{1,60}/" + re.escape(stem.encode()) + rb")(?![\w./-])"
    whole = re.compile(head, re.I)
    for paths in (files, [path for path in tree.paths() if path.endswith(_TEXTS)]):
        found = {one.decode() for path in paths for one in whole.findall(tree.read(path))}
        found = {one for one in found if one.partition("/")[0].lower() not in _FOLDERS}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


def _of_siblings(tree: Tree, path: str, files: Sequence[str]) -> str:
    """What the files beside one, of those whose names begin alike, load in the same place; "" where they differ."""
    if len(files) != 1:
        return ""
    (own,) = files
    keys = list(_keys(_root(tree, own), path))
    words = _words(own)
    beside = [one for one in _configurations(tree) if one != own and posixpath.dirname(one) == posixpath.dirname(own)]
    ranked = {one: len(posixpath.commonprefix([words, _words(one)])) for one in beside}
    best = max(ranked.values(), default=0)
    near = [_root(tree, one) for one, count in ranked.items() if count == best and best >= _ALIKE]
    found = {text_of(child(root, *key)) for root in near for key in keys} - {""}
    return next(iter(found)) if len(found) == 1 and all(map(_NAME.match, found)) else ""


def _words(path: str) -> list[str]:
    return re.split(r"[-_]", posixpath.basename(path).rpartition(".")[0])


def _root(tree: Tree, path: str) -> yaml.Node | None:
    document = parse_yaml(path, tree.read(path))
    return None if isinstance(document, Refusal) else document.root


def _keys(node: yaml.Node | None, text: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, _, value in entries(node):
        if text_of(value).rstrip("/") == text:
            yield (*above, name)
        elif len(above) < _DEPTH:
            yield from _keys(value, text, (*above, name))
