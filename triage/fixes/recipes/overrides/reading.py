"""Who reads a key of the configuration: code of the program that the job starts, under the strategy that it chooses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.hydra.config import Configuration, Present
from triage.fixes.hydra.entry import module_path
from triage.interfaces import Tree

_STRATEGY = re.compile(rb"(?m)^[ \t]*strategy:[ \t]*[\"']?([a-z]{3,20})")
_IMPORTED = re.compile(rb"(?m)^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*)")
_TESTS = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)test_[^/]*\Z|_test\.py\Z")
# A constant that means the same in YAML as in Python, or is written below.
_CONSTANT = re.compile(r"(?:True|False|-?[0-9]+(?:\.[0-9]+)?|\"[\w./-]{1,60}\"|'[\w./-]{1,60}')\Z")


@dataclass(frozen=True, slots=True)
class Read:
    """`default` is the constant that the code takes where the key is not there; "" for none or for a computed one."""

    path: str
    line: int
    default: str = ""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def reads_of(tree: Tree, invocation: Invocation, configuration: Configuration, key: str) -> list[Read]:
    """Where the program's code reads the last part of the key as one of the part before it."""
    parent, leaf = (re.escape(part) for part in key.split(".")[-2:])
    wanted = re.compile(
        rf"\b{parent}(?:\.get\(\s*[\"']{leaf}[\"']\s*(?:,\s*(?P<default>[^()\n,]{{1,80}}?)\s*)?\)"
        rf"|\.{leaf}\b(?!\s*(?:=[^=]|\())|\[[\"']{leaf}[\"']\])"
    )
    found = []
    for path in _code_of(tree, invocation, configuration, leaf):
        text = tree.read(path).decode("utf-8", "replace")
        for match in wanted.finditer(text):
            default = match["default"] or ""
            known = default if _CONSTANT.match(default) else ""
            found.append(Read(path, line_of(text.encode(), len(text[: match.start()].encode())), known))
    return found


def may_read(tree: Tree, invocation: Invocation, configuration: Configuration, key: str) -> str:
    """A file that could read the key in a way that is not followed: by its name as text, or of any object; or a
    configuration that takes it over. "" for none."""
    leaf = re.escape(key.rpartition(".")[2])
    loose = re.compile(rf"(?m)^(?!\s*(?:from|import)\s).*(?:[\"']{leaf}[\"']|(?<!\bself)(?<!\bcls)\.{leaf}\b(?!\s*\())")
    code = _code_of(tree, invocation, configuration, leaf)
    read = next((path for path in code if loose.search(tree.read(path).decode("utf-8", "replace"))), "")
    taken = re.compile(rf"\$\{{[\w.]*\b{leaf}\}}")
    return read or next(
        (f"the configuration's {text}" for text in _texts(configuration.root) if taken.search(text)), ""
    )


def _texts(root: object) -> Iterator[str]:
    """What the configuration holds; what an anchor shares is read once."""
    seen: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping | list) and id(node) not in seen:
            seen.add(id(node))
            left += node.values() if isinstance(node, Mapping) else node


def _code_of(tree: Tree, invocation: Invocation, configuration: Configuration, leaf: str) -> Iterator[str]:
    """Files that hold the word, of the packages that the program's folder imports, without other strategies' ones."""
    own = posixpath.dirname(module_path(tree, invocation))
    beside = [path for path in tree.paths() if posixpath.dirname(path) == own and path.endswith(".py")]
    tops = {found.decode() for path in beside for found in _IMPORTED.findall(tree.read(path))}
    others = _other_strategies(tree, configuration)
    for path in tree.paths():
        below = path.startswith(f"{own}/") or path.removeprefix("src/").partition("/")[0] in tops
        own_code = path.endswith(".py") and below and not any(other in path for other in others)
        if own_code and not _TESTS.search(path) and leaf.encode() in tree.read(path):
            yield path


def _other_strategies(tree: Tree, configuration: Configuration) -> set[str]:
    """Strategies that configurations of the tree choose, and this one does not; none where it chooses none."""
    keys = configuration.keys()
    chosen = {_chosen(configuration, key) for key in keys if key.rpartition(".")[2] == "strategy"}
    chosen.discard("")
    files = (path for path in tree.paths() if path.endswith((".yaml", ".yml")) and not _TESTS.search(path))
    every = {found.decode() for path in files for found in _STRATEGY.findall(tree.read(path))} if chosen else set()
    return {one for one in every if not any(one in own or own in one for own in chosen)}


def _chosen(configuration: Configuration, key: str) -> str:
    found = configuration.look(key)
    return (found.value or "").rstrip("0123456789") if isinstance(found, Present) else ""


def as_yaml(default: str) -> str:
    return default.strip("\"'") if re.fullmatch(r"[\"'][A-Za-z][\w./-]*[\"']", default) else default
