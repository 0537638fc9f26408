"""The gate against fixes that silently do nothing: the patched tree is evaluated again, and each promise looked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import yaml

from triage.fixes.evaluate.image import evaluate_image
from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.evaluate.settings import deletes, find_setting, may_follow
from triage.fixes.manifests import toml
from triage.fixes.recipes.branches import likely
from triage.fixes.refusal import Refusal
from triage.gates.change import Change, JobRun, failed, ok, skipped
from triage.gates.declared import flatten
from triage.gates.edited import edited_by_jobs
from triage.gates.unread import unread
from triage.model.patch import Expectation, Gate, GateStatus, as_promised

NAME = "the setting reaches the program"
# Promises about a file's text; all others are about what a job runs.
_UNKNOWN = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_ARGUMENT = re.compile(rb"(?mi)^[ \t]*ARG[ \t]+([A-Za-z_]\w*)")
_SETS = re.compile(r"[A-Z_][A-Z0-9_]*=")
_ENDS = ("pkill", "killall", "pgrep")
TEXTUAL = ("value", "line", "lines", "image")


def reaches(change: Change) -> Gate:
    """Every promise holds for every command that it is about; a draft that promises nothing proves nothing."""
    if not change.draft.expectations:
        return failed(NAME, "the draft promises nothing that could be checked")
    met = 0
    for promise in change.draft.expectations:
        gate = _text(change, promise) if promise.kind in TEXTUAL else _command(change, promise)
        if gate.status is not GateStatus.OK:
            return gate
        met += int(gate.reason or 1)
    if edited := next(edited_by_jobs(change), ""):
        return failed(NAME, edited)
    return ok(NAME, f"seen in {met} place{'s' if met != 1 else ''} after evaluating the patched tree")


def _text(change: Change, promise: Expectation) -> Gate:
    """Promises about the text of a file."""
    if promise.workflow_path not in change.after:
        return failed(NAME, f"{promise.workflow_path} is not in the tree")
    if promise.kind == "line":
        lines = change.after.read(promise.workflow_path).decode("utf-8", "replace").splitlines()
        there = any(as_promised(line) == promise.text for line in lines)
        return ok(NAME) if there else failed(NAME, f"{promise.workflow_path} has no line `{promise.text}`")
    if promise.kind == "lines":
        data = change.after.read(promise.workflow_path).decode("utf-8", "replace")
        whole = "\n".join(line.lstrip() for line in data.splitlines())
        there = f"\n{promise.text}\n" in f"\n{whole}\n"
        return ok(NAME) if there else failed(NAME, f"{promise.workflow_path} has nowhere `{promise.text}`")
    if promise.kind == "image":
        return _in_image(change, promise)
    if promise.workflow_path.endswith(".toml"):
        return _in_toml(change, promise)
    place, _, wanted = promise.text.partition("=")
    try:
        scalars = flatten(change.after.read(promise.workflow_path))
    except yaml.YAMLError as error:
        return failed(NAME, f"{promise.workflow_path} does not parse: {error}")
    held = scalars.get(place)
    if held is None or held.strip() != wanted.strip():
        return failed(NAME, f"`{place}` is {'not there' if held is None else f'`{held.strip()}`'}, not `{wanted}`")
    if script := unread(change, promise):
        return failed(NAME, f"{script} is handed {promise.workflow_path}, and nothing in it reads `{place}`")
    return ok(NAME)


def _in_toml(change: Change, promise: Expectation) -> Gate:
    """The place comes first: a requirement holds `=` itself."""
    scalars = toml.scalars(change.after.read(promise.workflow_path))
    if isinstance(scalars, Refusal):
        return failed(NAME, f"{promise.workflow_path} {scalars.reason}")
    place, _, wanted = promise.text.partition("=")
    held = scalars.get(place, "nothing")
    return ok(NAME) if held == repr(wanted) else failed(NAME, f"`{place}` is {held}, not `{wanted}`")


def _in_image(change: Change, promise: Expectation) -> Gate:
    """A RUN instruction runs the command, under the variables that stand before it.

    An `ARG` that the promise shows as unknown gets its value from outside; so may any other, by what the job hands to
    the build.
    """
    handed = frozenset(name.decode() for name in _ARGUMENT.findall(change.after.read(promise.workflow_path)))
    for outside in (frozenset(_UNKNOWN.findall(promise.text)), handed):
        evaluation = evaluate_image(change.after, promise.workflow_path, "", outside)
        if isinstance(evaluation, Refusal):
            return failed(NAME, str(evaluation))
        if seen := _seen(evaluation, promise.text):
            return ok(NAME, str(seen))
    return failed(NAME, f"no RUN of {promise.workflow_path} runs `{promise.text}` afterwards")


def _seen(evaluation: Evaluation, text: str) -> int:
    """How many commands are the promised one, with the variables that stand before it."""
    words = text.split(" ")
    count = next((at for at, word in enumerate(words) if not _SETS.match(word)), len(words))
    command, wanted = " ".join(words[count:]), dict(word.split("=", 1) for word in words[:count])
    hits = [one for one in evaluation.invocations if _starts(one, command)]
    return sum(all(_given(one, name) == value for name, value in wanted.items()) for one in hits)


def _given(one: Invocation, name: str) -> str | None:
    return one.environment[name].text if name in one.environment else None


def _command(change: Change, promise: Expectation) -> Gate:
    wanted = (promise.workflow_path, promise.job)
    run = next((run for run in change.jobs if (run.workflow_path, run.job) == wanted), None)
    if run is None or isinstance(run.after, Refusal):
        return skipped(NAME, f"job {promise.job} cannot be evaluated: {run.after if run else 'not looked at'}")
    promise = _shifted(promise, change)
    about = [one for one in run.after.invocations if is_about(one, promise)]
    concerned = likely(about)
    match promise.kind:
        case "command" | "absent":
            return _runs(concerned, promise)
        case "argument" | "setting" | "environment" | "unset":
            gate = _each(concerned, promise)
            hidden = _hidden(concerned, run, promise) if gate.status is GateStatus.OK else ""
            return failed(NAME, hidden) if hidden else gate
        case other:
            return failed(NAME, f"an unknown kind of promise: {other}")


def _shifted(promise: Expectation, change: Change) -> Expectation:
    """Steps are counted as they were before the draft; those that it inserts move the later ones."""
    start = f"{promise.workflow_path}:jobs.{promise.job}.steps[+"
    after = [int(one[len(start) :].rstrip("]")) for one in change.draft.declared if one.startswith(start)]
    return replace(promise, step=promise.step + sum(place < promise.step for place in after)) if after else promise


def is_about(invocation: Invocation, promise: Expectation) -> bool:
    if promise.step >= 0 and invocation.step != promise.step:
        return False
    if not promise.program or promise.kind in ("command", "absent"):
        return True
    # What ends a program by its name is not the program, and neither is what prints words for another command.
    if (invocation.program and invocation.program[0].text in _ENDS) or (
        promise.kind == "setting" and invocation.substitution
    ):
        return False
    return promise.program in (invocation.module, *(value.text for value in invocation.program))


def _runs(concerned: Sequence[Invocation], promise: Expectation) -> Gate:
    hits = [one for one in concerned if _starts(one, promise.text)]
    if promise.kind == "command" and not hits:
        return failed(NAME, f"no step of {promise.job} runs `{promise.text}` afterwards")
    if promise.kind == "absent" and hits:
        return failed(NAME, f"{promise.job} still runs `{hits[0].command_line}`")
    return ok(NAME, str(max(len(hits), 1)))


def _starts(invocation: Invocation, text: str) -> bool:
    return invocation.command_line == text or invocation.command_line.startswith(f"{text} ")


def _each(concerned: Sequence[Invocation], promise: Expectation) -> Gate:
    if not concerned:
        return failed(NAME, f"no command of {promise.job} starts {promise.program or 'a program'} afterwards")
    missing = [one for one in concerned if not holds(one, promise)]
    if promise.program == "":  # some command
        missing = missing if len(missing) == len(concerned) else []
    if missing:
        where = f"step {missing[0].step_name or missing[0].step}"
        return failed(NAME, f"`{promise.text}` does not reach {promise.program or 'any command'} ({where})")
    return ok(NAME, str(len(concerned)))


def _hidden(concerned: Sequence[Invocation], run: JobRun, promise: Expectation) -> str:
    """What may set the promised key once more, where the log does not show that nothing did."""
    key = promise.text.partition("=")[0]
    if promise.kind != "setting" or isinstance(run.before, Refusal):
        return ""
    shown = run.facts.settings.get(key)
    had = (find_setting(one, key) for one in run.before.invocations if is_about(one, promise))
    if shown is not None and any(one is not None and one.value.text == shown for one in had):
        return ""
    for one in concerned:
        setting = find_setting(one, key)
        if setting is not None and (word := may_follow(one, setting, key)):
            return f"`{word}` stands behind `{promise.text}`, is not known, and may set {key} again"
    return ""


def holds(invocation: Invocation, promise: Expectation) -> bool:
    name, _, wanted = promise.text.partition("=")
    match promise.kind:
        case "argument":
            return any(value.text == promise.text for value in invocation.argv)
        case "setting":
            setting = find_setting(invocation, name)
            if setting is None or setting.prefix == "~" or setting.value.text != wanted:
                return False
            gone = deletes(invocation, name)
            return gone == 0 or (gone < setting.index and setting.prefix != "")
        case "environment":
            seen = invocation.environment.get(name)
            return seen is not None and seen.text == wanted
        case _:
            return promise.text not in invocation.environment
