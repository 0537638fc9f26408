"""`copy_checkout`: a job that uses the repository's files, or its history, and never checks it out."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from triage.fixes.counting import foremost
from triage.fixes.recipes.commands.homes import is_there
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.earlier import checkout_moved
from triage.fixes.recipes.wiring.local_actions import action_of_checkout, action_respelt
from triage.fixes.recipes.wiring.step_folder import in_the_checkout
from triage.fixes.recipes.wiring.steps import step_lines
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entry, insert_before
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import CopyCheckout

_ACTION = "actions/checkout"
# What gh does with the API alone, and what needs the files or the history.
_ASKS = re.compile(r"(?m)(?:^|[\s(])gh (?:api|cache|issue|label|pr|release|run|secret|variable|workflow) ")
_OF_COPY = re.compile(
    r"(?m)(?:^|[\s(;&|])(?:git|bash|sh|source|pip3?|pytest|make|cargo|npm|uv)\s|\./|\.github/|gh pr (?:checkout|create)"
)
_CLONES = re.compile(
    r"\bgit (?:clone|init|fetch|pull)\b|\bgh repo clone\b|checkout|download-artifact|\btar -?x|\bunzip\b|rsync"
)
# So many patterns of a list are looked for.
_MOST = 20
# The folder that the runner gives a job.
_OF_RUNNER = re.compile(r"\A/[\w./-]*?/?_{0,2}w(?:ork)?/[\w.-]+/[\w.-]+/")
_TALKS = re.compile(r"\bgit (?:push|fetch|pull|submodule|ls-remote|clone)\b")


def copy_checkout(recipe: CopyCheckout, here: Situation) -> Outcome:
    """The folder in which an action of the repository is looked for; else a checkout, at the version that most of the
    same file use, else of all; with nothing of their `with`."""
    own = next((step for step in here.job.steps if _checks_out(step)), None)
    missing = here.captures.get("path", "")
    if recipe.path:
        lacking = _held(here, here.captures.get(recipe.path.strip("{}"), recipe.path))
        early = own is not None and here.step is not None and own.index < here.step.index
        if not lacking or early or _comes_otherwise(here):
            return Refusal(f"{here.job.id} may have the repository's files", here.job.path, here.job.line)
    if own is not None and (moved := action_of_checkout(here, missing) or action_respelt(here, missing)) is not None:
        return moved
    failed = here.step
    if own is not None and (failed is None or own.index < failed.index):
        inside = None if missing else in_the_checkout(here)
        return inside or InPlace(f"{here.job.id} checks the repository out at {own.path}:{own.line}")
    if own is not None and failed is not None:
        made = checkout_moved(here, own, failed, step_lines(own))
        if isinstance(made, Edited):
            return made
        return Words(f"move the checkout of {here.job.id} ({own.path}:{own.line}) before the step that needs it")
    if (asking := _named_repository(here)) is not None:
        return asking
    if here.job.path != here.target.workflow_path or not here.job.steps or here.job.hands_script:
        return Refusal(f"{here.job.id} has no steps of its own", here.job.path, here.job.line)
    chosen = _chosen(here)
    if chosen is None:
        return Words(
            f"{here.job.id} ({here.job.path}:{here.job.line}) needs `{_ACTION}` first; no job says which release"
        )
    first = here.job.steps[0].node
    document = here.job.document
    start = document.start(first)
    column = start - (document.data.rfind(b"\n", 0, start) + 1)
    dash = document.data.rfind(b"-", 0, start)
    if (
        document.data[dash + 1 : start].strip()
        or column < 2
        or here.job.document.data[dash - 1 : dash] not in (b" ", b"\n")
    ):
        return Refusal("its steps are not written one below the other", here.job.path, here.job.line)
    inner = column - (dash - document.data.rfind(b"\n", 0, dash) - 1)
    gap = " " * (inner - 1)
    named = _named(chosen)
    keys = [*([f"name: {named}"] if named else []), f"uses: {chosen.uses}"]
    if not _pushes(here) and (chosen.path != here.job.path or _keeps_nothing(chosen)):
        keys += ["with:", "  persist-credentials: false"]
    lines = [f"-{gap}{keys[0]}", *(" " * inner + key for key in keys[1:])]
    why = f"as in {chosen.path}:{chosen.line}; the job uses the repository and has no copy of it"
    edits = insert_before(document, first, lines, column - inner, why=why)
    steps = f"{here.place}.steps"
    promise = Expectation("value", f"{steps}[0].uses={chosen.uses}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{steps}[+-1]",), (promise,))
    return made.noting("the checkout takes the event's commit: a job that needs the history asks for `fetch-depth: 0`")


def _held(here: Situation, missing: str) -> bool:
    """Whether the repository holds what is missing where it is looked for: by its path, from the folder that the step
    runs in, by the end of an absolute path; by its name alone only where any folder will do."""
    patterns = [_OF_RUNNER.sub("", part.strip()).rstrip("/") for part in re.split(r",| or ", missing)[:_MOST]]
    folders = {"", *(one.directory or "" for one in here.concerned)} if here.step is not None else {""}
    return any(_is_held(here.tree, one, folders) for one in patterns if one)


def _is_held(tree: Tree, pattern: str, folders: Iterable[str]) -> bool:
    name = pattern.removeprefix("**/")
    if name != pattern:
        return any(f"/{one}".endswith(f"/{name}") for one in tree.paths())
    places = {posixpath.normpath(posixpath.join(folder, name)) for folder in folders} - {"."}
    return bool(in_tree(tree, name)) or any(is_there(tree, place) for place in places)


def _comes_otherwise(here: Situation) -> bool:
    """A clone, a download, or another action than GitHub's that takes the repository out, up to the failed step."""
    last = here.step.index if here.step is not None else len(here.job.steps)
    texts = [step.run.value if step.run is not None else step.uses for step in here.job.steps if step.index <= last]
    return any(_CLONES.search(one) for one in texts)


def _named_repository(here: Situation) -> Outcome | None:
    """A step that asks GitHub alone needs no copy of the repository, only its name: `GH_REPO`, which gh reads."""
    step = here.step
    script = step.run.value if step is not None and step.run is not None else ""
    if (
        step is None
        or not _ASKS.search(script)
        or _OF_COPY.search(script)
        or here.job.path != here.target.workflow_path
    ):
        return None
    if any(b"actions/checkout@" in line.split(b"#")[0] for line in here.job.document.data.splitlines()):
        return None  # the jobs beside it begin with a checkout
    if child(step.node, "env", "GH_REPO") is not None:
        return InPlace(f"{step.path}:{step.line} names the repository")
    value = "${{ github.repository }}"
    why = "gh asks git for the repository, and the job has no copy of it"
    edits = add_entry(here.job.document, step.node, "env", "GH_REPO", value, why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].env"
    held = f"{place}.GH_REPO" if child(step.node, "env") is not None else place
    promise = Expectation("value", f"{place}.GH_REPO={value}", here.target.job, here.job.path)
    title, because = "Name the repository for gh", "The step asks GitHub, and uses nothing else of the repository."
    return Edited(edits, (f"{here.job.path}:{held}",), (promise,), title=title, because=because)


def _checks_out(step: Step) -> bool:
    return step.uses.startswith(f"{_ACTION}@")


def _pushes(here: Situation) -> bool:
    """Whether a later step may need the credentials that a checkout leaves behind."""
    return any(step.run is not None and _TALKS.search(step.run.value) for step in here.job.steps)


def _keeps_nothing(step: Step) -> bool:
    return text_of(child(step.node, "with", "persist-credentials")) == "false"


def _named(step: Step) -> str:
    name = child(step.node, "name")
    text = step.name if name is not None else ""
    return text if text and text.replace(" ", "").isalnum() else ""


def _chosen(here: Situation) -> Step | None:
    """Of the same file first. A step that takes another repository out is none."""
    found: list[Step] = []
    for job in sibling_jobs(here, _ACTION.encode()):
        found += [step for step in job.steps if _checks_out(step) and child(step.node, "with", "repository") is None]
    near = [step for step in found if step.path == here.job.path] or found
    most = foremost(step.uses for step in near)
    if most is None:
        return None
    same = [step for step in near if step.uses == most[0]]
    return next((step for step in same if _named(step)), same[0])
