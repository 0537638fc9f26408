"""A step that makes room on a machine of GitHub's own already, and leaves folders that `add_step` would remove."""

from __future__ import annotations

import posixpath

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.shell.edits import append_argument, replace_at
from triage.fixes.workflow.model import Step
from triage.model.recipe import AddStep


def remove_more(recipe: AddStep, here: Situation, step: Step) -> Outcome | None:
    """None where the step removes all of them, or by other means than one `rm` of the workflow's own text."""
    # Not what a remark speaks of.
    said = "\n".join(f" {line}".partition(" #")[0] for one in here.job.steps for line in one.script)
    gone = _folders(said)
    left = [one for one in _folders(recipe.run) if not any(f"{one}/".startswith(f"{other}/") for other in gone)]
    removing = [one for one in here.evaluation.invocations if one.step == step.index and _removes(one)]
    if not left or len(removing) != 1 or removing[0].calls[-1].path != here.job.path:
        return None
    call, words, whole = removing[0].calls[-1], " ".join(left), "removes toolchains, and leaves these"
    if any(word.text == "sudo" for word in call.words):
        edits = append_argument(here.tree, call, words, why=f"the step {whole}")
    else:  # root's folders are not its user's to remove
        old = here.tree.read(call.path)[call.start : call.end].decode("utf-8", "replace")
        new = f"{old} && sudo rm -rf {words}"
        edits = replace_at(here.tree, call.path, call.start, old, new, why=f"the step {whole}")
    if not isinstance(edits, tuple):
        return None
    title = f"Remove more of what the job does not need at {call.path}:{call.line}"
    return Edited(edits, (declared_at(here, call.path, step.index),), promised(here, edits), title=title)


def _folders(run: str) -> list[str]:
    return [word.rstrip("/") for word in run.split() if word.startswith("/") and word.strip("/")]


def _removes(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program]
    known = [word for word in words[1:] if word.startswith("/")]
    alone = bool(one.calls) and one.calls[-1].insertable and not one.substitution and not one.conditions
    return alone and bool(known) and posixpath.basename(words[0]) == "rm"
