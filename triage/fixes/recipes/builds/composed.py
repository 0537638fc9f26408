"""Images that `docker compose` builds: what its file says of each service."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

import yaml

from triage.fixes.recipes.builds.build import Build
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import child, entries, parse_yaml, text_of
from triage.interfaces import Tree

# In the order in which compose looks for them (docs.docker.com/reference/compose-file).
_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_VERBS = ("build", "up", "run", "create")
_MOST = 50


def composed(tree: Tree, words: Sequence[str], folder: str) -> Iterator[Build]:
    """Of a command line that runs in a folder of the repository; what a variable decides is left out."""
    verb, files = _asked(words)
    if not verb:
        return
    every = [posixpath.normpath(posixpath.join(folder, file)) for file in files or _NAMES]
    for path in every if files else [one for one in every if one in tree][:1]:
        yield from _services(tree, path) if path in tree else ()


def _asked(words: Sequence[str]) -> tuple[str, list[str]]:
    """The verb, "" for none that builds, and the files that the command names."""
    name = posixpath.basename(words[0]) if words else ""
    start = 1 if name in ("docker-compose", "podman-compose") else 2
    if start == 2 and (name not in ("docker", "podman") or words[1:2] != ["compose"]):
        return "", []
    at = next((at for at, word in enumerate(words) if at >= start and word in _VERBS), 0)
    pairs = zip(words[start:at], words[start + 1 : at], strict=False)
    return (words[at] if at else ""), [after for word, after in pairs if word in ("-f", "--file")]


def _services(tree: Tree, path: str) -> Iterator[Build]:
    document = parse_yaml(path, tree.read(path))
    root = document.root if not isinstance(document, Refusal) else None
    base = posixpath.dirname(path) or "."
    for _, _, service in list(entries(child(root, "services")))[:_MOST]:
        node = child(service, "build")
        if node is None:
            continue
        plain = isinstance(node, yaml.ScalarNode)
        given = text_of(node) if plain else text_of(child(node, "context"))
        file = "" if plain else text_of(child(node, "dockerfile"))
        if "$" in given or "$" in file:
            continue
        context = posixpath.normpath(posixpath.join(base, given or "."))
        names = frozenset() if plain else frozenset(name for name, _, _ in entries(child(node, "args")))
        tags = (text_of(child(service, "image")),) if child(service, "image") is not None else ()
        yield Build(posixpath.normpath(posixpath.join(context, file or "Dockerfile")), context, tags, names)
