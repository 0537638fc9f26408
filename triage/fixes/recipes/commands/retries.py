"""`retry`: one download of the failed step is tried a few times, and fails when the last try does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import yaml

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, parse_yaml, scalar_at
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RetryCommand

# Options by which a program tries again by itself.
_TRIES = re.compile(r"--(?:retry|tries|retries|retry-\w+)(?:=|\Z)")
_SHELLS = ("", "bash", "sh", "bash -e {0}", "bash -l {0}", "bash -el {0}", "bash -euo pipefail {0}")


def retry_command(recipe: RetryCommand, here: Situation) -> Outcome:
    if recipe.settled and any(recipe.settled in one.run.value for one in here.job.steps if one.run is not None):
        return InPlace(f"`{recipe.settled}` stands in a loop")
    step = here.step
    if step is None or step.run is None:
        return Refusal("the failed step is not known, or runs no commands", here.job.path, here.job.line)
    found = {one.calls[0].key: one for one in here.concerned if one.step == step.index and _downloads(recipe, one)}
    own = [one for one in found.values() if one.calls[0].path == here.job.path and len(one.calls) == 1]
    if len(own) != 1 or len(found) != 1:
        return _several(here, list(found.values()))
    call = own[0].calls[0]
    if any(_TRIES.match(word.head) for word in own[0].argv):
        return InPlace(f"{call.path}:{call.line} tries again by itself")
    if (step.shell or here.job.shell) not in _SHELLS:
        return Refusal(f"`{step.shell or here.job.shell}` is no shell that this loop is for", here.job.path, step.line)
    return _looped(recipe, here, call, own[0].step)


def _downloads(recipe: RetryCommand, one: Invocation) -> bool:
    words = [str(value) for value in one.argv]
    words = words[1:] if words[:1] == ["sudo"] else words
    starts = [start.split() for start in recipe.commands]
    return not one.substitution and any(words[: len(start)] == start for start in starts)


def _several(here: Situation, found: Sequence[Invocation]) -> Outcome:
    if not found:
        return Refusal("no command of the failed step is one that may be tried again", here.job.path, here.job.line)
    places = ", ".join(dict.fromkeys(f"{one.calls[-1].path}:{one.calls[-1].line}" for one in found))
    return Words(f"try the download again in a loop that fails with the last try; it is one of {places}")


def _looped(recipe: RetryCommand, here: Situation, call: Call, step: int) -> Outcome:
    data = here.tree.read(call.path)
    document = parse_yaml(call.path, data)
    scalar = None if isinstance(document, Refusal) else scalar_at(document, call.start)
    if isinstance(document, Refusal) or scalar is None or not call.insertable:
        return Refusal("the command is put together at run time", call.path, call.line)
    if b"&& break" in data[call.end : line_end(data, call.end)]:
        return InPlace(f"{call.path}:{call.line} is tried again in a loop")
    name = "attempt" if re.search(r"\$\{?i\b", scalar.value) else "i"
    edit = (
        _in_block(recipe, data, call, name) if scalar.style == "|" else _on_line(recipe, document, scalar, call, name)
    )
    if isinstance(edit, Refusal):
        return edit
    lines = [as_promised(line) for line in edit.new.decode("utf-8", "replace").splitlines()]
    promises = [Expectation("line", line, here.target.job, call.path) for line in lines if line not in ("", "|")]
    # A step without a name is called by its first line, which is another one then.
    settled = replace(recipe, settled=lines[-4])
    return Edited((edit,), (declared_at(here, call.path, step),), tuple(promises), settled=settled)


def _in_block(recipe: RetryCommand, data: bytes, call: Call, name: str) -> Edit | Refusal:
    """The command's lines inside the loop, two columns to the right, with what stands behind it."""
    begin, end, eol = line_start(data, call.start), line_end(data, call.end), eol_at(data, call.start)
    head, tail = data[begin : call.start], data[call.end : end]
    if head.strip() or (tail.strip() and not tail.lstrip().startswith(b"#")):
        return Refusal("the command shares its line with others", call.path, call.line)
    body = (data[call.start : call.end] + b" && break" + tail).decode("utf-8", "replace").splitlines()
    looped = _loop(recipe, [body[0], *(line.removeprefix(head.decode()) for line in body[1:])], name)
    text = eol.join(head + line.encode() if line else b"" for line in looped)
    return Edit(call.path, begin, end, text, "the download failed for a moment")


def _loop(recipe: RetryCommand, body: Sequence[str], name: str) -> list[str]:
    counts = " ".join(str(at + 1) for at in range(recipe.attempts))
    return [
        f"for {name} in {counts}; do",
        *(f"  {line}" for line in body),
        f'  [ "${name}" -lt {recipe.attempts} ] || exit 1',
        f"  sleep {recipe.pause_seconds}",
        "done",
    ]


def _on_line(
    recipe: RetryCommand, document: YamlDocument, scalar: yaml.ScalarNode, call: Call, name: str
) -> Edit | Refusal:
    """`run: curl ...` becomes a block."""
    data, start, end = document.data, document.start(scalar), document.end(scalar)
    text = data[call.start : call.end].decode("utf-8", "replace")
    first = line_start(data, start)
    if scalar.style or scalar.value != text or data[end : line_end(data, end)].strip():
        return Refusal("the command shares its line with others", call.path, call.line)
    column = len(data[first:start]) - len(data[first:start].lstrip(b" -"))
    eol = eol_at(data, start)
    body = b"".join(eol + b" " * (column + 2) + line.encode() for line in _loop(recipe, [f"{text} && break"], name))
    return Edit(call.path, start, end, b"|" + body, "the download failed for a moment")
