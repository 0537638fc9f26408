"""A distribution for a job that installs nothing itself: right before the command that needs it, by the job's pip."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from triage.fixes.document import line_end
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.recipes.dependencies.beside import quoted
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.reaching import too_late
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.surroundings import enters_environment, in_other_python
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.fixes.workflow.files import is_action
from triage.fixes.yaml.steps import insert_step
from triage.model.patch import Expectation

_SETUP = "actions/setup-python@"
_PIP = re.compile(r"((?:\$\{?\w+\}?|python[0-9.]*) -m pip|pip3?) install\b", re.A)


def of_the_job(here: Situation, done: Sequence[Install]) -> list[Install]:
    """Without what an action installs that the job uses: others use it too, and do not need what one step needs."""
    if here.step is None or here.step.run is None:
        return list(done)
    return [one for one in done if not is_action(one.call.path)]


def before_command(here: Situation, name: str, why: str) -> Edited | None:
    """One line before the failed command, or a step before the failed one where only a branch runs the command. None
    where the job's Python is not its own: what an image holds is for the image to say."""
    step = here.step
    head = "pip" if _own_python(here) else _pip_of_later(here)
    if here.image or here.job.hands_script or here.typed or step is None or step.run is None or not head:
        return None
    line = f"{head} install {quoted(name)}"
    found = _failed(here, name)
    shown = [found] if found is not None else [one for one in here.concerned if one.calls]
    if enters_environment(here) or any(in_other_python(here, one) for one in shown if not _is(one, name)):
        return None
    if found is not None:
        edits = insert_line(here.tree, found.calls[0], line, why=why, before=True)
        declared = declared_at(here, found.calls[0].path, found.step)
    else:
        edits = insert_step(here.job.document, step, f"Install {name}", line, why=why, before=True)
        declared = f"{here.job.path}:{here.place}.steps[+{step.index - 1}]"
    if isinstance(edits, Refusal):
        return None
    promise = Expectation("command", f"pip install {name}", here.target.job, here.target.workflow_path)
    if head != "pip":
        promise = Expectation("line", line if found is not None else f"run: {line}", here.target.job, edits[0].path)
    title = f"Install {name} before the command that needs it"
    return Edited(edits, (declared,), (promise,), notes=(f"{here.job.id} installs nothing else; {why}",), title=title)


def _own_python(here: Situation) -> bool:
    if here.job.image is not None:
        return False
    at = here.step.index if here.step is not None else -1
    return on_bare_machine(here) or any(one.uses.startswith(_SETUP) for one in here.job.steps[:at])


def _pip_of_later(here: Situation) -> str:
    """As a later step of the job, and none before, calls pip in its container; "" where none does on every run."""
    own = [one for one in too_late(here) if one.call.path == here.job.path and one.call.insertable]
    texts = (here.tree.read(one.call.path)[one.call.start : one.call.end].decode("utf-8", "replace") for one in own)
    found = (_PIP.match(text) for text in texts)
    return next((one[1] for one in found if one is not None), "")


def _failed(here: Situation, name: str) -> Invocation | None:
    """The one command of the failed step that needs it, where the step runs it whatever happens."""
    written = [one for one in here.concerned if one.calls and not one.substitution]
    needing = failing(here.facts, written) or tuple(one for one in written if _is(one, name))
    if not needing and len(written) == 1:
        needing = tuple(written)
    one = needing[0] if len({one.calls[0].key for one in needing}) == 1 else None
    return one if one is not None and _at_margin(here, one.calls[0]) else None


def _at_margin(here: Situation, call: Call) -> bool:
    """Whether the command begins a line of the step's script, in no branch and no loop."""
    data = here.tree.read(call.path)
    text = data[call.start : line_end(data, call.start)].decode("utf-8", "replace").rstrip()
    lines = here.step.run.value.splitlines() if here.step is not None and here.step.run is not None else []
    return call.path == here.job.path and any(text and line.startswith(text.strip("\"'")) for line in lines)


def _is(one: Invocation, name: str) -> bool:
    return any(posixpath.basename(value.text or "") == name for value in one.argv[: one.inner + 1])
