"""Where a script's variables stand: what is quoted by single quotes, escaped, a comment or a text for another program
holds none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import tree_sitter
import tree_sitter_bash
from tree_sitter import Node

_ASSIGNED = ("variable_assignment", "for_statement")
# A larger text is no script that a person wrote.
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Variable:
    """`at`: where the name begins, in characters. `is_set`: it gets a value that lasts; else it is read, or stands
    before a command for that alone (`for_command`)."""

    name: str
    at: int
    is_set: bool = False
    for_command: bool = False


@lru_cache(maxsize=64)
def variables(text: str) -> tuple[Variable, ...]:
    """In the order of the text; nothing of one that is no shell."""
    data = text.encode("utf-8", "surrogatepass")
    return tuple(_found(data)) if len(data) <= _MOST else ()


def _found(data: bytes) -> Iterator[Variable]:
    parser, query = _grammar()
    nodes = tree_sitter.QueryCursor(query).captures(parser.parse(data).root_node).get("name", [])
    plain, at, seen = data.isascii(), 0, 0
    for node in sorted(nodes, key=lambda one: one.start_byte):
        at += node.start_byte - seen if plain else len(data[seen : node.start_byte].decode("utf-8", "replace"))
        seen = node.start_byte
        yield _variable(data, node, at)


def _variable(data: bytes, node: Node, at: int) -> Variable:
    name, above = data[node.start_byte : node.end_byte].decode("utf-8", "replace"), node.parent
    owner = above.parent if above is not None and above.type == "subscript" else above
    first = owner is not None and owner.start_byte == node.start_byte
    if owner is None or owner.type not in _ASSIGNED or not (first or owner.type == "for_statement"):
        return Variable(name, at)
    alone = _before_command(data, owner)
    return Variable(name, at, is_set=not alone, for_command=alone)


def _before_command(data: bytes, assignment: Node) -> bool:
    """The grammar joins an assignment with a command on the next line, too."""
    command = assignment.parent
    begun = command.child_by_field_name("name") if command is not None and command.type == "command" else None
    return begun is not None and not _apart(data[assignment.end_byte : begun.start_byte])


def _apart(between: bytes) -> bool:
    return b"\n" in between.replace(b"\\\n", b"").replace(b"\\\r\n", b"")


@cache
def _grammar() -> tuple[tree_sitter.Parser, tree_sitter.Query]:
    language = tree_sitter.Language(tree_sitter_bash.language())
    return tree_sitter.Parser(language), tree_sitter.Query(language, "(variable_name) @name")
