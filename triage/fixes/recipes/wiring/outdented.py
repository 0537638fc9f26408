"""Repairs of workflows that do not parse, or parse as something else, because lines stand too far to the left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import yaml

from triage.fixes.document import indent_of, line_after, line_end, line_of, line_start, lines_of, splice, starts_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import check
from triage.fixes.workflow.keys import JOB
from triage.fixes.yaml.nodes import YamlDocument, child, content_end, entries, text_of
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


def bodies_beside_jobs(document: YamlDocument) -> Iterator[Outcome]:
    """A job without anything, and behind it `runs-on` and `steps` in its own column: they are what it holds."""
    held = entries(child(document.root, "jobs"))
    for at, (name, key, value) in enumerate(held):
        own = list(takewhile(lambda one: one[0] in JOB and not _is_job(one[2]), held[at + 1 :]))
        found = {one[0] for one in own}
        if not text_of(value) and isinstance(value, yaml.ScalarNode) and found & {"steps", "uses"} and len(found) > 1:
            yield _within(document, name, int(key.start_mark.column), own)


def _is_job(node: yaml.Node) -> bool:
    return any(child(node, key) is not None for key in ("runs-on", "steps", "uses"))


def _within(document: YamlDocument, job: str, column: int, own: list[tuple[str, yaml.Node, yaml.Node]]) -> Outcome:
    data, edits = document.data, []
    at = line_start(data, document.start(own[0][1]))
    end = document.byte(content_end(document.text, own[-1][2]))
    if any(key.start_mark.column != column for _, key, _ in own) or not column:
        return Refusal(f"what stands below `{job}` is in no one column", document.path, line_of(data, at))
    while at < end:
        if data[at : line_end(data, at)].strip():
            edits.append(Edit(document.path, at, at, b" " * column, f"it belongs to the job `{job}`"))
        at = line_after(data, at)
    declared = tuple(f"{document.path}:jobs.{one}" for one in (job, *(name for name, _, _ in own)))
    scalars = [
        (name, text_of(value)) for name, _, value in own if isinstance(value, yaml.ScalarNode) and text_of(value)
    ]
    promises = tuple(Expectation("value", f"jobs.{job}.{name}={text}", job, document.path) for name, text in scalars)
    first = as_promised(data[document.start(own[0][1]) : line_end(data, document.start(own[0][1]))])
    return Edited(tuple(edits), declared, promises or (Expectation("line", first, job, document.path),))


def steps_beside_jobs(document: YamlDocument) -> Iterator[Outcome]:
    """`steps:` in the column of the jobs is read as a job of that name; it belongs to the job before it."""
    jobs = child(document.root, "jobs")
    before = ""
    for name, key, value in entries(jobs):
        if name == "steps" and isinstance(value, yaml.SequenceNode) and before and before not in JOB:
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
