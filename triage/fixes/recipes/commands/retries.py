"""`retry`: one download of the failed step is tried a few times, and fails when the last try does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import yaml

from triage.fixes.document import eol_at, line_end, line_of, line_start, splice
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.repeated_lines import Lines, fails_as_a_whole, lines_of_calls
from triage.fixes.recipes.commands.tries import more_tries
from triage.fixes.recipes.failing import failing, may_fail
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.overrides.nearest import starts_program
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import YamlDocument, child, every_node, parse_yaml, scalar_at, text_of
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RetryCommand

# Options by which a program tries again by itself.
_TRIES = re.compile(r"--(?:retry|tries|retries|retry-\w+)(?:=|\Z)")
_SHELL = re.compile(r"(?:(?:/usr)?/bin/)?(?:bash|sh)(?: [\w -]+)?(?: \{0\})?")
# A program of the repository whose name says that it does nothing else.
_FETCHES = re.compile(r"(?:^|/)(?:download|fetch)[\w-]*\.(?:py|sh)\Z")
# What a log calls the tool that failed, and the commands that are this tool.
# The packages in which those raise.
_MODULES = {"huggingface-cli": "huggingface_hub", "hf": "huggingface_hub", "python": "pip"}
_TOOLS = {
    "ERROR": ("pip", "python", "uv"),
    "curl": ("curl",),
    "wget": ("wget",),
    "fatal": ("git",),
    "E": ("apt", "apt-get"),
}
_QUOTED = re.compile(rb"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.S)
_ERREXIT = re.compile(rb"(?m)^\s*set\s+([-+])[a-zA-Z]*e")
_STATUS = re.compile(rb"\$\?|\$\{?PIPESTATUS")
# `apt` is `apt-get`, `pip3` is `pip`.
_FAMILY = re.compile(r"-get\Z|[0-9.]+\Z")


def retry_command(recipe: RetryCommand, here: Situation) -> Outcome:
    if recipe.settled and any(recipe.settled.encode() in here.tree.read(path) for path in _files(here)):
        return InPlace(f"`{recipe.settled}` stands in a loop")
    step = here.step or here.inner
    if step is None or step.run is None:
        return Refusal("the failed step is not known, or runs no commands", here.job.path, here.job.line)
    shell = step.shell or here.job.shell
    if not _SHELL.fullmatch(shell or "sh"):
        return Refusal(f"`{shell}` is no shell that this loop is for", here.job.path, step.line)
    if not shell and (system := _of_windows(here, step)):
        return Refusal(f"`{system}` reads the step by a shell that this loop is not for", here.job.path, step.line)
    found = {one.calls[-1].key: one for one in here.concerned if _downloads(recipe, one)}
    # A trace shows the commands of a pipe in any order; a traceback is of one program.
    blamed = failing(
        replace(here.facts, traced=()), [one for one in here.concerned if one.argv and not one.substitution]
    )
    if blamed and blamed[0].calls[-1].key not in found:
        call = blamed[0].calls[-1]
        return Refusal("what failed is no command that may be tried again", call.path, call.line)
    chosen = _spoken_of(here, list(found.values()))
    if len(chosen) == 1 and (counted := _counted(recipe, here, chosen[0])) is not None:
        return counted
    if chosen and (rival := _rival(here, chosen)) is not None:
        return Refusal(
            f"nothing says that a download failed, and not `{rival.command_line}`, which may ask a server too"
        )
    lines = lines_of_calls(here.tree, chosen)
    if isinstance(lines, Refusal) or not _alike(chosen):
        return lines if isinstance(lines, Refusal) and len(chosen) == 1 else _several(here, chosen)
    where = f"{lines.path}:{chosen[0].calls[-1].line}"
    if any(_TRIES.match(word.head) for one in chosen for word in one.argv):
        return InPlace(f"{where} tries again by itself")
    data = here.tree.read(lines.path)
    if b"&& break" in data[lines.start : lines.end]:
        return InPlace(f"{where} is tried again in a loop")
    if lines.piped and not fails_as_a_whole(data, lines, shell, of_script=not _in_step(step, lines)):
        return Refusal("the shell takes the status of the last command of the pipe alone", lines.path, step.line)
    return _looped(recipe, here, lines, chosen[0].step)


def _of_windows(here: Situation, step: Step) -> str:
    """The label of a cell of the matrix that runs on Windows, unless the step asks for a system itself; "" for none."""
    if "runner.os" in step.condition or "matrix." in step.condition:
        return ""
    labels = [*here.job.labels]
    if any("matrix." in label for label in labels):
        labels += [text_of(node) for node in every_node(child(here.job.node, "strategy"))]
    return next((label for label in labels if "windows" in label.lower()), "")


def _files(here: Situation) -> list[str]:
    return list(dict.fromkeys([here.job.path, *(call.path for one in here.concerned for call in one.calls)]))


def _in_step(step: Step, lines: Lines) -> bool:
    return lines.path == step.path


def _downloads(recipe: RetryCommand, one: Invocation) -> bool:
    words = [str(value) for value in one.argv]
    words = words[1:] if words[:1] == ["sudo"] else words
    starts = [start.split() for start in recipe.commands]
    return not one.substitution and (_fetches(one) or any(words[: len(start)] == start for start in starts))


def _spoken_of(here: Situation, found: Sequence[Invocation]) -> list[Invocation]:
    """Those that the log's line is about: the command that a shell traced last, else those of the tool that it names.
    What is written line by line is one download, as `apt-get update` and `apt-get install` are."""
    if len(found) > 1 and (not _alike(found) or isinstance(lines_of_calls(here.tree, found), Refusal)):
        tools = _TOOLS.get(here.captures.get("tool", ""), ())
        of_tool = [one for one in found if _tool(one) in tools]
        return list(failing(here.facts, found)[:1]) or of_tool or list(found)
    return list(found)


def _rival(here: Situation, found: Sequence[Invocation]) -> Invocation | None:
    """Another program of the failed step that may have said it; None where the log tells that the download did: it
    names the tool, traced it last, or shows the traceback of its package."""
    tools = {_FAMILY.sub("", _tool(one)) for one in found}
    told = {*_TOOLS.get(here.captures.get("tool", ""), ()), *here.facts.packages}
    traced = failing(replace(here.facts, frames=()), here.concerned)
    if any(tool in told or _MODULES.get(tool, "") in told for tool in tools) or any(one in found for one in traced):
        return None
    others = [one for one in may_fail(here.concerned) if one.argv and one.calls and not one.substitution]
    keys = {one.calls[-1].key for one in found}
    return next((one for one in others if one.calls[-1].key not in keys and starts_program(one)), None)


def _alike(found: Sequence[Invocation]) -> bool:
    """Whether all are of one tool, with the program that needs what they install."""
    return len({_FAMILY.sub("", _tool(one)) for one in found if not _fetches(one)}) <= 1


def _fetches(one: Invocation) -> bool:
    return any(_FETCHES.search(value.text or "") for value in one.program[:2])


def _tool(one: Invocation) -> str:
    words = [str(value) for value in one.argv]
    return next((word for word in words if word != "sudo"), "")


def _several(here: Situation, found: Sequence[Invocation]) -> Outcome:
    if not found:
        return Refusal("no command of the failed step is one that may be tried again", here.job.path, here.job.line)
    places = ", ".join(dict.fromkeys(f"{one.calls[-1].path}:{one.calls[-1].line}" for one in found))
    return Words(f"try the download again in a loop that fails with the last try; it is one of {places}")


def _counted(recipe: RetryCommand, here: Situation, one: Invocation) -> Outcome | None:
    """A loop that is there counts further. None where there is none."""
    call = one.calls[-1]
    data = here.tree.read(call.path)
    edits = more_tries(data, call)
    if edits is None or not call.insertable:
        return None
    if isinstance(edits, Refusal):
        return InPlace(f"{call.path}:{call.line} is tried again in a loop: {edits.reason}")
    after = splice(data, edits)
    if isinstance(after, Refusal):
        return after
    changed = {line_of(data, edit.start) for edit in edits}
    lines = [line.decode("utf-8", "replace") for at, line in enumerate(after.split(b"\n"), 1) if at in changed]
    return _made(recipe, here, edits, one.step, lines)


def _looped(recipe: RetryCommand, here: Situation, lines: Lines, step: int) -> Outcome:
    data = here.tree.read(lines.path)
    around = _around(here, lines)
    # An option, as in `pip install -i`, is no variable.
    free = [name for name in ("i", "attempt", "download_try") if not re.search(rf"(?<![\w-]){name}\b", around)]
    if not free:
        return Refusal("the script uses every name that the loop could count with", lines.path)
    name = free[0]
    if reason := _minded(data, lines):
        return Refusal(reason, lines.path)
    scalar = _scalar(here, lines)
    if isinstance(scalar, Refusal):
        return scalar
    if scalar is not None and scalar[1].style != "|":
        edit = _on_line(recipe, *scalar, lines, name)
    else:
        edit = _in_block(recipe, data, lines, name)
    if isinstance(edit, Refusal):
        return edit
    return _made(recipe, here, (edit,), step, edit.new.decode("utf-8", "replace").splitlines())


def _minded(data: bytes, lines: Lines) -> str:
    """Why the script needs the command as it is: it goes on after a failure, or a text of several lines would move."""
    before = data[max(data.rfind(b"run:", 0, lines.start), 0) : lines.start] if _is_yaml(lines) else data[: lines.start]
    errexit = _ERREXIT.findall(before)
    if errexit and errexit[-1] == b"+":
        return "the script goes on where the command fails"
    rest = data[lines.end :].lstrip().split(b"\n", 1)[0]
    if _STATUS.search(rest):
        return "the next line reads the status of the command"
    if any(_spans_lines(data[start:end]) for start, end, _ in lines.parts):
        return "the command holds a text of several lines, which a loop would move"
    return ""


def _spans_lines(command: bytes) -> bool:
    """Whether a line breaks inside of a quoted text."""
    return any(b"\n" in found for found in _QUOTED.findall(command))


def _is_yaml(lines: Lines) -> bool:
    return lines.path.endswith((".yml", ".yaml"))


def _around(here: Situation, lines: Lines) -> str:
    """The script of the step that holds the lines, or the whole of a file of its own."""
    scalar = _scalar(here, lines)
    whole = scalar[1].value if isinstance(scalar, tuple) else here.tree.read(lines.path).decode("utf-8", "replace")
    return str(whole)


def _scalar(here: Situation, lines: Lines) -> tuple[YamlDocument, yaml.ScalarNode] | Refusal | None:
    if not _is_yaml(lines):
        return None
    document = parse_yaml(lines.path, here.tree.read(lines.path))
    node = None if isinstance(document, Refusal) else scalar_at(document, lines.start)
    if isinstance(document, Refusal) or node is None:
        return Refusal("the command is put together at run time", lines.path)
    return document, node


def _made(recipe: RetryCommand, here: Situation, edits: tuple[Edit, ...], step: int, changed: Sequence[str]) -> Outcome:
    path = edits[0].path
    lines = [as_promised(line) for line in changed]
    promises = [Expectation("line", line, here.target.job, path) for line in lines if line not in ("", "|")]
    # A step without a name is called by its first line, which is another one then.
    settled = replace(recipe, settled=lines[-4] if len(lines) > 3 else lines[0])
    made = Edited(edits, (declared_at(here, path, step),), tuple(dict.fromkeys(promises)), settled=settled)
    own = path == here.job.path and is_workflow(path)
    return made if own else replace(made, blast_radius=blast_radius(here, edits))


def _in_block(recipe: RetryCommand, data: bytes, lines: Lines, name: str) -> Edit:
    """The lines inside the loop, two columns to the right, each only after the one before."""
    begin, eol = line_start(data, lines.start), eol_at(data, lines.start)
    head = data[begin : lines.start]
    body: list[str] = []
    for at, (start, end, stop) in enumerate(lines.parts):
        last = at == len(lines.parts) - 1
        # A blank behind the backslash would be a word.
        rest = b" && break" + data[end:stop] if last else b" && \\"
        one = (data[start:end] + rest).decode("utf-8", "replace").splitlines()
        body += [one[0], *(line.removeprefix(head.decode()) for line in one[1:])]
    text = eol.join(head + line.encode() if line else b"" for line in _loop(recipe, body, name))
    return Edit(lines.path, begin, lines.end, text, "the download failed for a moment")


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
    recipe: RetryCommand, document: YamlDocument, scalar: yaml.ScalarNode, lines: Lines, name: str
) -> Edit | Refusal:
    """`run: curl ...` becomes a block."""
    data, start, end = document.data, document.start(scalar), document.end(scalar)
    text = data[lines.start : lines.end].decode("utf-8", "replace")
    first = line_start(data, start)
    if scalar.style or scalar.value != text or data[end : line_end(data, end)].strip():
        return Refusal("the command shares its line with others", lines.path, document.line(scalar))
    column = len(data[first:start]) - len(data[first:start].lstrip(b" -"))
    eol = eol_at(data, start)
    body = b"".join(eol + b" " * (column + 2) + line.encode() for line in _loop(recipe, [f"{text} && break"], name))
    return Edit(lines.path, start, end, b"|" + body, "the download failed for a moment")
