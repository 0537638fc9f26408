"""Repairs of workflows that do not parse, or parse as something else, because lines stand too far to the left."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import indent_of, line_of, line_start, lines_of, splice, starts_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import check
from triage.fixes.yaml.nodes import YamlDocument, child, entries
from triage.model.patch import Edit, Expectation, as_promised

_HEADER = re.compile(rb"\s*(?:- )?[\w-]+:\s*[|>][-+0-9]*\s*\n\Z")
# Commands that change nothing but the shell that runs them, which ends with the step.
_IDLE = re.compile(
    rb"\s*(?:(?:export|unset|set|cd|alias|source|umask|true|:)(?:\s[^;&|]*)?|[A-Za-z_]\w*=[^;&|\s]*)\s*\Z"
)
_OPENS = re.compile(rb"\s*- (?:name|run):")


def indent_comments(path: str, data: bytes) -> Outcome:
    """Lines of a script commented out at the first column end its block: they get the block's indentation. A step of
    which nothing is left that does anything is commented out like them."""
    idle = _idle_steps(path, data)
    made = splice(data, idle)
    if idle and isinstance(made, bytes) and not check(path, made):
        numbers = [line_of(data, edit.start) for edit in idle]
        return Edited(tuple(idle), (path,), tuple(_promise(path, made, number) for number in numbers))
    edits, numbers = [], []
    lines, offset, indent = lines_of(data), 0, b""
    for at, line in enumerate(lines):
        if _HEADER.match(line):
            following = next((one for one in lines[at + 1 :] if one.strip() and not one.startswith(b"#")), b"")
            indent = following[: indent_of(following)]
        elif indent and line.startswith(b"#"):
            edits.append(Edit(path, offset, offset, indent, "at the first column it ends the script's block"))
            numbers.append(at + 1)
        elif line.strip() and not line.startswith(indent):
            indent = b""
        offset += len(line)
    made = splice(data, edits)
    if not edits or isinstance(made, Refusal) or check(path, made):
        return Refusal("it does not parse, and no line of a script that stands too far left explains it", path)
    promises = tuple(_promise(path, made, number) for number in numbers)
    return Edited(tuple(edits), (path,), promises)


def _idle_steps(path: str, data: bytes) -> list[Edit]:
    """`#` before each line of the steps whose scripts hold comments at the first column and idle commands alone."""
    lines = lines_of(data)
    starts, edits = starts_of(lines), []
    for header, end in _outdented_blocks(lines):
        script = [at for at in range(header + 1, end) if lines[at].strip() and not lines[at].startswith(b"#")]
        opening = [at for at in range(max(header - 1, 0), header + 1) if _OPENS.match(lines[at])]
        if opening and all(_IDLE.match(lines[at].rstrip()) for at in script):
            why = "the other commands of the step are commented out, and what is left of it does nothing"
            edits += [_hidden(path, starts[at], lines[at], why) for at in [*range(opening[0], header + 1), *script]]
    return edits


def _hidden(path: str, start: int, line: bytes, why: str) -> Edit:
    return Edit(path, start, start + len(line), b"#" + line, why)


def _outdented_blocks(lines: list[bytes]) -> Iterator[tuple[int, int]]:
    """`run: |` of a step and the line behind its script, where a comment at the first column cuts the script."""
    for header, line in enumerate(lines):
        if not _HEADER.match(line) or b"run:" not in line:
            continue
        column = indent_of(line) + 2 * line.lstrip().startswith(b"- ")
        end = header + 1
        while end < len(lines) and _inside(lines[end], column):
            end += 1
        if any(one.startswith(b"#") for one in lines[header + 1 : end]):
            yield header, end


def _inside(line: bytes, column: int) -> bool:
    return not line.strip() or line.startswith(b"#") or indent_of(line) > column


def _promise(path: str, data: bytes, number: int) -> Expectation:
    """The line is there, whatever stands around it."""
    text = as_promised(lines_of(data)[number - 1])
    return Expectation("line", text, "", path)


def steps_beside_jobs(document: YamlDocument) -> Iterator[Outcome]:
    """`steps:` in the column of the jobs is read as a job of that name; it belongs to the job before it."""
    jobs = child(document.root, "jobs")
    before = ""
    for name, key, value in entries(jobs):
        if name == "steps" and isinstance(value, yaml.SequenceNode) and before:
            yield _indent(document, key, value, before)
        before = name


def _indent(document: YamlDocument, key: yaml.Node, steps: yaml.SequenceNode, job: str) -> Outcome:
    at = line_start(document.data, document.start(key))
    column = int(key.start_mark.column)
    deeper = b" " * column
    if child(document.root, "jobs", job, "steps") is not None or steps.start_mark.column < 2 * column:
        return Refusal(f"`steps` beside the jobs does not fit `{job}`", document.path, line_of(document.data, at))
    edit = Edit(document.path, at, at, deeper, f"`steps` belongs to {job}, and was read as a job of that name")
    first = child(steps.value[0], "uses") or child(steps.value[0], "run") if steps.value else None
    kind = "uses" if steps.value and child(steps.value[0], "uses") is not None else "run"
    text = first.value.strip() if isinstance(first, yaml.ScalarNode) else ""
    promise = Expectation("value", f"jobs.{job}.steps[0].{kind}={text}", job, document.path)
    return Edited((edit,), (f"{document.path}:jobs.steps", f"{document.path}:jobs.{job}.steps"), (promise,))
