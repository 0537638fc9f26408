"""Repairs of a workflow that does not parse: small attempts at the line where the reader stopped, each tried out."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

import yaml

from triage.fixes.document import lines_of, splice, starts_of
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.wiring.misread import ABOVE, HAS_KEY, KINDS, Attempt, Text, negations
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import check
from triage.fixes.workflow.keys import unknown_keys
from triage.fixes.yaml.nodes import YamlDocument, every_node, parse_yaml
from triage.model.patch import Edit, Expectation, as_promised

_CONFLICT = re.compile(rb"(?:<{7} |>{7} |={7}\s*$)")


def repair_unparsed(path: str, data: bytes, line: int) -> Outcome:
    """`line`, from 1, is where the reader stopped. One kind of slip after the other; two repairs of one kind are a
    guess, and refused."""
    foreign = _no_workflow(path, data)
    if foreign is not None:
        return foreign
    text = _read(path, data, line)
    for kind in KINDS:
        fitting = {made: one for one in kind(text) if _valid(path, made := _made(text, data, one), one)}
        least = min((one.cost for one in fitting.values()), default=0)
        found = [one for one in fitting.values() if one.cost == least]
        if len(found) > 1:
            return Refusal(f"it does not parse, and {len(found)} repairs of line {line} would do", path, line)
        if found:
            return _edited(text, found[0])
    return Refusal("it does not parse, and no one slip near that line explains it", path, line)


def _no_workflow(path: str, data: bytes) -> Words | None:
    """What no edit mends: another kind of file at the workflow's place, or a merge that was not finished."""
    first = data.split(b"\n", 1)[0].decode("utf-8", "replace").strip()[:60]
    if first.startswith("#!") or not re.search(rb"(?m)^(?:jobs|runs)\s*:", data):
        kind = f"a script (`{first}`)" if first.startswith("#!") else "something else"
        undo = f"`git log -- {path}` names the commit, `git checkout COMMIT^ -- {path}` brings back what was there"
        return Words(f"{path} holds {kind} and no workflow: restore it ({undo})")
    marks = [at for at, line in enumerate(lines_of(data), 1) if _CONFLICT.match(line)]
    if marks:
        return Words(f"{path}:{marks[0]}: a merge left its conflict markers: keep one of the two sides")
    return None


def _read(path: str, data: bytes, line: int) -> Text:
    lines = tuple(lines_of(data))
    stop = min(max(line - 1, 0), max(len(lines) - 1, 0))
    filled = [at for at in range(stop, -1, -1) if at < len(lines) and lines[at].strip()]
    live = [at for at in filled[1:] if not lines[at].lstrip().startswith(b"#")]
    near = dict.fromkeys([*filled[: ABOVE + 1], *live[:ABOVE]])
    return Text(path, lines, starts_of(lines), tuple(near), tuple(reversed(_unended(data))))


def _unended(data: bytes) -> list[int]:
    """The lines, from 0, on which quoted values begin that do not end there, as far as the reader comes."""
    found: list[int] = []
    try:
        for token in yaml.scan(data.decode("utf-8", "replace")):
            if isinstance(token, yaml.ScalarToken) and token.style in ("'", '"'):
                goes_on = token.start_mark.line != token.end_mark.line
                found += [token.start_mark.line] if goes_on else []
    except yaml.MarkedYAMLError as error:
        quoted = "quoted scalar" in str(error.context)
        found += [error.context_mark.line] if quoted and error.context_mark else []
    except yaml.YAMLError:  # a character that no YAML has
        return []
    return found


def _edits(text: Text, attempt: Attempt) -> tuple[Edit, ...]:
    return tuple(
        Edit(text.path, text.starts[at], text.starts[at] + len(text.lines[at]), new, attempt.why)
        for at, new in attempt.new
    )


def _made(text: Text, data: bytes, attempt: Attempt) -> bytes:
    """The file after the attempt; empty when it cannot be made."""
    made = splice(data, _edits(text, attempt))
    return b"" if isinstance(made, Refusal) else made


def _valid(path: str, data: bytes, attempt: Attempt) -> bool:
    """Whether GitHub would read the file; a line that moved to another level has keys that are unknown there."""
    document = parse_yaml(path, data)
    if not data or isinstance(document, Refusal) or check(path, data) or unknown_keys(document):
        return False
    return not _swallowed(document, attempt)


def _swallowed(document: YamlDocument, attempt: Attempt) -> bool:
    """Whether a line that holds a key of a workflow has become part of a script above it."""
    starts, more = {node.start_mark.line for node in every_node(document.root)}, 0
    for at, new in sorted(attempt.new):
        if HAS_KEY.match(new) and at + more not in starts:
            return True
        more += new.count(b"\n") - 1
    return False


def _edited(text: Text, attempt: Attempt) -> Edited:
    written = [line for _, new in attempt.new for line in new.splitlines() if line.strip()]
    shown = dict.fromkeys(map(as_promised, written))
    promises = tuple(Expectation("line", one, "", text.path) for one in shown if one)
    return Edited(_edits(text, attempt), (text.path,), promises)


def repair_negations(path: str, data: bytes, lines: Container[int]) -> Outcome:
    """For a file that parses all the same, with a tag in place of the condition. `lines`, from 0, are those of tags: a
    script may hold the same text."""
    text = _read(path, data, 1)
    attempt = next(negations(text), None)
    new = tuple(one for one in attempt.new if one[0] in lines) if attempt is not None else ()
    if attempt is None or not new:
        return Refusal("no condition begins with `!`", path)
    attempt = replace(attempt, new=new)
    return _edited(text, attempt)
