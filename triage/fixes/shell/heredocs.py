"""Where here-documents end: bash takes a line that is the word and nothing else, the grammar also one that is indented
or goes on with a blank.

The grammar is given a copy of the text, of the same length, in which such lines of a here-document are no end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import tree_sitter
import tree_sitter_bash
from tree_sitter import Node

# Repairs of one script; a text that needs more of them is no script that a person wrote.
_MOST = 20
_QUOTING = re.compile(rb"[\"'\\]")


def for_the_grammar(data: bytes, root: Callable[[bytes], Node]) -> tuple[Node, int]:
    """The tree, and from which byte on it is not to be believed (the text's length: all of it is)."""
    read, tree = data, root(data)
    for _ in range(_MOST) if b"<<" in data else ():
        wrong = next((one for one in _heredocs(tree) if not _ends_right(data, one)), None)
        if wrong is None:
            return tree, len(data)
        repaired = read if _several(wrong) else _repaired(data, read, wrong)
        if repaired == read:
            return tree, wrong.start_byte
        read = repaired
        tree = root(read)
    first = next((one.start_byte for one in _heredocs(tree) if not _ends_right(data, one)), len(data))
    return tree, first if b"<<" in data else len(data)


def descriptor(text: str, node: Node) -> str:
    """The number before a here-document: `3<<EOF`; "" where none is written."""
    found = _part(node, "file_descriptor")
    return text[found.start_byte : found.end_byte] if found is not None else ""


@cache
def _query() -> tree_sitter.Query:
    return tree_sitter.Query(tree_sitter.Language(tree_sitter_bash.language()), "(heredoc_redirect) @found")


def _heredocs(tree: Node) -> list[Node]:
    found = tree_sitter.QueryCursor(_query()).captures(tree).get("found", [])
    return sorted(found, key=lambda node: node.start_byte)


def _part(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)


def _several(node: Node) -> bool:
    """Two on one line, which the grammar does not know."""
    return any(child.is_error for child in node.children)


def _ends_right(data: bytes, node: Node) -> bool:
    if _several(node):
        return False
    end = _part(node, "heredoc_end")
    return end is None or (end.start_byte, end.end_byte) in (_lines(data, node) or [])[-1:]


def _lines(data: bytes, node: Node) -> list[tuple[int, int]] | None:
    """Lines that hold the word, up to the one that ends it; None where none does."""
    start = _part(node, "heredoc_start")
    if start is None:
        return None
    word = _QUOTING.sub(b"", data[start.start_byte : start.end_byte])
    at, found = data.find(b"\n", start.end_byte), list[tuple[int, int]]()
    while 0 <= at < len(data):
        stop = data.find(b"\n", at + 1)
        stop = len(data) if stop < 0 else stop
        line = data[at + 1 : stop]
        bare = line.lstrip(b"\t") if _part(node, "<<-") is not None else line
        if bare == word:
            return [*found, (stop - len(word), stop)]
        if line.strip().startswith(word):
            found.append((at + 1 + line.index(word), stop))
        at = stop
    return None


def _repaired(data: bytes, read: bytes, node: Node) -> bytes:
    """The text with the lines between changed that the grammar may take for the end."""
    copy = bytearray(read)
    for first, _ in (_lines(data, node) or [])[:-1]:
        copy[first : first + 1] = b"_" if copy[first : first + 1] != b"_" else b"-"
    return bytes(copy)


def goes_on(heredoc: Node) -> bool:
    """Whether the rest of the line hangs on the here-document: a pipe, `&&`."""
    return heredoc.child_by_field_name("right") is not None or any(one.type == "pipeline" for one in heredoc.children)
