"""Steps inserted beside others, in the spelling of their neighbour."""

from __future__ import annotations

import re

from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import Edits, insert_after, insert_before
from triage.fixes.yaml.encode import is_plain, quoted
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml, text_of

_DASH = re.compile(r"( *)-( +)")
_NAME = re.compile(r"[A-Za-z][\w .,()/+-]*\w\)?", re.A)


def insert_step(
    document: YamlDocument, anchor: Step, name: str, run: str, *, why: str, before: bool = False
) -> Edits | Refusal:
    """A step that runs a script, after another one; before it, with a script of one line, on that line."""
    shown = name if _NAME.fullmatch(name) or is_plain(name) else quoted(name)
    if isinstance(shown, Refusal):
        return shown
    block = ["run: |", *(f"  {line}".rstrip() for line in run.splitlines())]
    lines = [f"name: {shown}", *([f"run: {run}"] if before and _on_its_line(run) else block)]
    return insert_step_text(document, anchor, lines, why=why, before=before)


def _on_its_line(run: str) -> bool:
    """Whether YAML reads the script as it is, without quotes and on one line."""
    read = parse_yaml("", f"run: {run}\n".encode())
    return "\n" not in run and not isinstance(read, Refusal) and text_of(child(read.root, "run")) == run


def insert_step_text(
    document: YamlDocument, anchor: Step, lines: list[str], *, why: str, before: bool = False
) -> Edits | Refusal:
    """A step given as the lines of its mapping, the first without its dash."""
    mark = anchor.node.start_mark
    line = document.text[mark.index - mark.column : mark.index]
    dash = _DASH.fullmatch(line)
    if dash is None or anchor.node.flow_style or id(anchor.node) in document.aliased:
        return Refusal("the steps are not written as a block list", document.path, document.line(anchor.node))
    first = f"-{dash.group(2)}{lines[0]}"
    inner = " " * (1 + len(dash.group(2)))
    text = [first, *(inner + one if one else "" for one in lines[1:])]
    column = len(dash.group(1))
    if before:
        return insert_before(document, anchor.node, text, column, why=why)
    return insert_after(document, anchor.node, text, column, why=why)
