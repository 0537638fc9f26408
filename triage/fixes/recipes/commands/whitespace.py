"""`fix_whitespace`: blanks at the ends of lines and files that a check found. Only blanks go or come."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile

from triage.fixes.document import indent_of, lines_of, starts_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.yaml.nodes import child, entries, items, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import COLUMNS_OF_COMMENTS, ENDS_OF_FILES, ENDS_OF_LINES, FixWhitespace

_CONFIGURATIONS = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_MARKDOWN = "--markdown-linebreak-ext"
_BREAK = b"  "  # a line break in Markdown, where the hook is told so
_MOST_LINES, _MOST_PROMISED = 2000, 20


def fix_whitespace(recipe: FixWhitespace, tree: Tree, facts: Facts, captures: Mapping[str, str]) -> Outcome:
    rule = captures.get(recipe.rule.strip("{}"), "")
    found = [one for one in facts.spaced if one.rule == rule]
    if rule not in (*ENDS_OF_LINES, *ENDS_OF_FILES, *COLUMNS_OF_COMMENTS) or not found:
        return Refusal("the log names no file in which only blanks are wrong")
    arguments = _arguments(tree, rule)
    if other := next((one for one in arguments if not one.startswith(_MARKDOWN)), ""):
        return Words(f"the hook is given `{other}`: let it change the files, and commit them")
    paths = dict.fromkeys(in_tree(tree, one.path) for one in found)
    if "" in paths:
        gone = next(one.path for one in found if not in_tree(tree, one.path))
        return Refusal(f"the log names {gone}, which is not in the tree")
    lines = {path: {one.line for one in found if in_tree(tree, one.path) == path} for path in paths}
    edits = tuple(edit for path in paths for edit in _edits(tree, path, rule, lines[path], arguments))
    if not edits:
        return InPlace(f"{', '.join(paths)}: nothing but what the check wants stands there")
    if len(edits) > _MOST_LINES:
        return Words(f"more than {_MOST_LINES} lines: let the check's own tool change them, and commit the result")
    changed = dict.fromkeys(edit.path for edit in edits)
    shown = [(edit.path, _line(tree, edit)) for edit in edits[:_MOST_PROMISED]]
    if rule in COLUMNS_OF_COMMENTS:  # comments themselves are no promise
        shown = [one for one in shown if one[1]]
    promises = tuple(Expectation("line", text, "", path) for path, text in shown)
    title = f"Write {_what(rule)} as `{rule}` wants them"
    return Edited(edits, tuple(changed), promises, title=title)


def _what(rule: str) -> str:
    if rule in COLUMNS_OF_COMMENTS:
        return "the columns of comments"
    return "the blanks at the ends of lines" if rule in ENDS_OF_LINES else "the ends of the files"


def _arguments(tree: Tree, rule: str) -> tuple[str, ...]:
    """What the repository gives a hook of pre-commit."""
    path = next((one for one in _CONFIGURATIONS if one in tree), "")
    document = parse_yaml(path, tree.read(path)) if path else Refusal("")
    if isinstance(document, Refusal):
        return ()
    hooks = (hook for repo in items(child(document.root, "repos")) for hook in items(child(repo, "hooks")))
    own = [hook for hook in hooks if text_of(child(hook, "id")) == rule and entries(hook)]
    return tuple(text_of(one) for hook in own for one in items(child(hook, "args")))


def _edits(tree: Tree, path: str, rule: str, lines: set[int], arguments: Sequence[str]) -> Iterator[Edit]:
    """`lines`: those that the check named, from 1; with 0 among them it speaks of the whole file."""
    data = tree.read(path)
    if b"\0" in data[:8000]:
        return
    if rule in COLUMNS_OF_COMMENTS:
        for number in sorted(lines):
            yield from _in_column(path, data, number)
        return
    if rule in ENDS_OF_FILES:
        yield from islice(_end(path, data), 1)
        return
    held = lines_of(data)
    breaks = _breaks(path, arguments)
    for at, (start, line) in enumerate(zip(starts_of(held), held, strict=True), 1):
        if 0 in lines or at in lines:
            body = line.rstrip(b"\r\n")
            kept = body.rstrip()
            kept += _BREAK if breaks and kept and body.endswith(_BREAK) else b""
            if kept != body:
                first, last = start + len(kept), start + len(body)
                yield Edit(path, first, last, b"", f"`{rule}` found blanks at the end of the line")


def _in_column(path: str, data: bytes, line: int) -> Iterator[Edit]:
    """The comment at the line, and those behind it in its column, go to the nearer column of their neighbours."""
    held = lines_of(data)
    if not 0 < line <= len(held):
        return
    own = indent_of(held[line - 1])
    block = list(takewhile(lambda at: _is_comment(held[at], own), range(line - 1, len(held))))
    if not block:
        return
    above = next((one for one in reversed(held[: line - 1]) if _is_content(one)), None)
    below = next((one for one in held[block[-1] + 1 :] if _is_content(one)), None)
    columns = {indent_of(one) for one in (above, below) if one is not None}
    least = min((abs(column - own) for column in columns), default=0)
    nearest = [column for column in columns if abs(column - own) == least]
    if not least or len(nearest) > 1:
        return
    starts = starts_of(held)
    for at in block:
        new = b" " * nearest[0]
        yield Edit(path, starts[at], starts[at] + own, new, "a comment stands in the column of its content")


def _is_comment(line: bytes, column: int) -> bool:
    return indent_of(line) == column and line[column:].startswith(b"#")


def _is_content(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _breaks(path: str, arguments: Sequence[str]) -> bool:
    named = ",".join(one.partition("=")[2] for one in arguments if one.startswith(_MARKDOWN)).lower()
    ends = {f".{one.strip().lstrip('.')}" for one in named.split(",") if one.strip()}
    return ".*" in ends or posixpath.splitext(path)[1].lower() in ends


def _end(path: str, data: bytes) -> Iterator[Edit]:
    """One newline at the end, none in a file of nothing else."""
    body = data.rstrip(b"\r\n")
    rest = data[len(body) :]
    eol = b"\r\n" if rest.startswith(b"\r\n") else b"\n"
    wanted = eol if body else b""
    if data and rest != wanted:
        why = "a file ends with one newline"
        if rest.startswith(wanted) and wanted:
            yield Edit(path, len(body) + len(wanted), len(data), b"", why)
        else:
            yield Edit(path, len(body), len(data), wanted, why)


def _line(tree: Tree, edit: Edit) -> str:
    """The line that stays before what is changed, or the last one above it that holds anything."""
    head = tree.read(edit.path)[: edit.start].rstrip(b"\r\n")
    return as_promised(head[head.rfind(b"\n") + 1 :])
