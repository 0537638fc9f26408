"""A workflow that asks for a right, and does not get it: the token of a fork's pull request only reads."""

from __future__ import annotations

import re

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node, items, text_of
from triage.model.patch import Edit, Expectation, as_promised

_FORKS, _TARGET = "pull_request", "pull_request_target"
# Text that whoever opens a pull request chooses; in a script it would be run.
_CHOSEN = re.compile(r"\$\{\{[^}]*github\.(?:event\.(?!number\b)[\w.]*|head_ref)")
_BRINGS = re.compile(
    r"\b(?:git (?:clone|fetch|pull)|gh (?:pr checkout|repo clone|run download)|curl|wget|pip|npm|docker)\b"
)


def run_for_forks(here: Situation, scope: str) -> Outcome | None:
    """`pull_request_target`, whose token has what `permissions` says, for a workflow that runs nothing of the pull
    request. None for one that pull requests do not start."""
    document, triggers = here.job.document, child(here.job.workflow.node, "on")
    if _FORKS not in here.job.workflow.triggers or here.job.path != here.target.workflow_path:
        return None
    why = f"`permissions` gives `{scope}: write`, which the token of a fork's pull request never has"
    node = _named(triggers)
    if node is None or _TARGET in here.job.workflow.triggers or not _harmless(document):
        return Words(
            f"{why}: let the part that writes run in a workflow of its own, on `workflow_run` or on `{_TARGET}`, "
            "without the files of the pull request"
        )
    edit = Edit(document.path, document.start(node), document.end(node), _TARGET.encode(), why)
    place = f"on.{_TARGET}" if isinstance(triggers, yaml.MappingNode) else "on"
    types = [text_of(one) for one in items(child(triggers, _FORKS, "types"))]
    promise = Expectation("value", f"{place}.types[0]={types[0]}", here.target.job, document.path)
    if not types:
        line = document.text.splitlines()[document.line(node) - 1].replace(_FORKS, _TARGET, 1)
        promise = Expectation("line", as_promised(line), here.target.job, document.path)
    declared = (f"{document.path}:on", f"{document.path}:on.{_FORKS}", f"{document.path}:on.{_TARGET}")
    title = f"Run on `{_TARGET}`, whose token may write"
    because = f"{why}. The workflow checks nothing of the pull request out and puts none of its texts into a script."
    note = f"`{_TARGET}` runs the workflow as the base branch has it: keep files of the pull request out of it"
    return Edited((edit,), declared, (promise,), title=title, because=because).noting(note)


def _named(triggers: yaml.Node | None) -> yaml.Node | None:
    """Where the trigger stands: a key, an item, or the one word."""
    keys = [key for name, key, _ in entries(triggers) if name == _FORKS]
    listed = [one for one in items(triggers) if text_of(one) == _FORKS]
    return next(iter([*keys, *listed]), None)


def _harmless(document: YamlDocument) -> bool:
    """Whether no job fetches files, uses an action of the repository, or has a stranger's text in a script."""
    for _, _, job in entries(child(document.root, "jobs")):
        if child(job, "uses") is not None or child(job, "container") is not None:
            return False
        for step in items(child(job, "steps")):
            used, script = text_of(child(step, "uses")), text_of(child(step, "run"))
            script += text_of(child(step, "with", "script"))
            if used.startswith(("actions/checkout@", "actions/cache", "./", "docker://")) or _BRINGS.search(script):
                return False
            if _CHOSEN.search(script):
                return False
    return not any("self-hosted" in text_of(one) for one in every_node(document.root))
