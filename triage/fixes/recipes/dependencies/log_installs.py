"""A failure whose workflow is not known: the installs that its log shows, as commands that read files of the tree."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.dependencies.holding import keeps_out, which
from triage.fixes.recipes.dependencies.importing import file_of
from triage.fixes.recipes.dependencies.installs import installs, is_local
from triage.fixes.recipes.dependencies.known_names import gone_with
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import ending, in_tree
from triage.fixes.whereabouts.typed import JOB, is_typed, typed_path, typed_workflow
from triage.fixes.workflow.load import load_job
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.nodes import parse_yaml
from triage.interfaces import Tree
from triage.model.recipe import PipPin, Recipe
from triage.model.trail import Announced

# From its program on: what runs it in a container or as another user is left out.
_INSTALL = re.compile(r"(?<![\w./-])(?:uv pip|python3? -m pip|pip3?)(?: --?[a-z][\w-]*)* install\b[^&|;\n]*")
_FILES = ("-r", "--requirement", "-c", "--constraint")
# The folder that a command line enters before it installs.
_ENTERS = re.compile(r"(?:^|&&|;)\s*cd\s+(?P<folder>[^\s;&|]+)\s*(?:&&|;)")


def placed_by_log(recipe: Recipe, here: Situation | Refusal, lone: Situation) -> Situation | Refusal:
    """The log's installs; where it shows none and no job is known, for a release that came in anew the tree alone."""
    found = of_the_log(lone)
    if not isinstance(found, Refusal):
        return found
    came = isinstance(recipe, PipPin) and keeps_out(recipe) and (bool(lone.facts.brought) or _is_known(recipe, lone))
    return lone if came and isinstance(here, Refusal) else here


def _is_known(recipe: PipPin, lone: Situation) -> bool:
    """Whether a reviewed table says which release lost the name that the log misses."""
    name = which(recipe, lone)
    return isinstance(name, str) and bool(gone_with(recipe, lone, name))


def of_the_log(lone: Situation) -> Situation | Refusal:
    """`lone` with the log's installs in place of a job; refused where it shows none."""
    beside = _started_in(lone)
    lines = tuple(line for text in lone.facts.installs for line in _read(lone.tree, text, beside))
    if not lines:
        return Refusal("the log shows no install command")
    document = parse_yaml(typed_path("installs"), typed_workflow((Announced("Run", lines),)))
    if isinstance(document, Refusal):
        return document
    workflow = Workflow(document, document.root)  # type: ignore[arg-type] # a mapping, as it is written
    job = load_job(workflow, JOB, {}, ())
    if isinstance(job, Refusal):
        return job
    return replace(lone, workflow=workflow, job=job, evaluation=evaluate_job(lone.tree, job))


def lacks_installs(here: Situation) -> bool:
    """Whether at most the log shows the job, and none of its installs stands in a file of the repository."""
    unknown = not here.image and (here.typed or not here.job.path)
    return unknown and all(is_typed(one.call.path) for one in installs(here.evaluation.invocations))


def _started_in(lone: Situation) -> str:
    """The folder of the script that was started, as the failure's traceback has it; "" where the tree has no such."""
    first = next((frame for frame in lone.facts.frames if "/" in frame), "")
    return posixpath.dirname(file_of(lone.tree, first)) if first else ""


def _read(tree: Tree, text: str, beside: str) -> Iterator[str]:
    """Each install of a command line, with the files and folders that it reads as the tree has them. `beside` is where
    a list lies that the command names without its folder, and of which the tree has several."""
    for found in _INSTALL.finditer(text):
        words = _words(found[0].strip())
        entered = list(_ENTERS.finditer(text[: found.start()]))
        folder = entered[-1]["folder"] if entered else ""
        if words:
            pairs = pairwise(("", *words))
            yield shlex.join(_as_in_tree(tree, folder, before, word, beside) for before, word in pairs)


def _as_in_tree(tree: Tree, folder: str, before: str, word: str, beside: str) -> str:
    if before in _FILES:
        near = posixpath.join(beside, word) if beside and not folder and "/" not in word else ""
        return file_in(tree, folder, word) or (near if near in tree else word)
    if before in ("-e", "--editable") and not is_local(word):
        path, bracket, extras = word.partition("[")
        below = posixpath.normpath(posixpath.join(folder, path))
        return f"./{path}{bracket}{extras}" if _is_project(tree, path) and below == path else word
    if folder and is_local(word) and not word.startswith("/"):
        path, bracket, extras = word.partition("[")
        below = next((one for one in _ends(posixpath.join(folder, path)) if _is_project(tree, one)), "")
        return f"./{below}{bracket}{extras}" if below else f".{bracket}{extras}"
    return word


def file_in(tree: Tree, folder: str, word: str) -> str:
    """The file that a command in `folder` (as a prompt or a `cd` names it) means; else the only one of the tree whose
    path ends so. "" for none."""
    placed = (in_tree(tree, one) for one in _ends(posixpath.join(folder, word)) if "/" in one) if folder else ()
    found = next((path for path in placed if path), "") or in_tree(tree, word)
    if found or word.startswith((".", "/")):
        return found
    return ending(tree, word)


def _ends(path: str) -> list[str]:
    """The path and its ends, the longest first."""
    parts = posixpath.normpath(path).strip("/").split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def _is_project(tree: Tree, folder: str) -> bool:
    return any(f"{folder}/{name}" in tree for name in MANIFESTS)


def _words(text: str) -> Sequence[str]:
    """Also where the quote around the whole, which a shell was given as one word, closes behind it."""
    for one in (text, text.rstrip("'\"")):
        try:
            return shlex.split(one)
        except ValueError:
            continue
    return ()
