"""`deep_clone`: a commit is checked out of a clone that holds the newest one alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

import yaml

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entry, replace_scalar
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import DeepClone

# With the blank before it, so that the line keeps its look; before a backslash the blank stays.
_SHALLOW = re.compile(rb"[ \t]+--(?:depth(?:=|[ \t]+)\d+|single-branch|shallow-submodules)(?=[ \t\r\n]|\Z)")
# What a checkout of all commits brings: branches of the remote, tags and commits. It makes no local branch, knows no
# other remote, and a file that git does not know stays unknown.
_FETCHED = re.compile(
    r"(?:(?:(?:refs/)?remotes/)?origin/(?!HEAD\b)[\w./-]+|refs/tags/[\w./-]+|v?[0-9]+(?:\.[0-9]+)+[\w-]*"
    r"|(?:HEAD|@)(?=[~^])|(?!0+\b)[0-9a-f]{40})(?:[~^][\w{}]*)*\Z"
)
_SAID = ("No names found", "refusing to merge unrelated histories")
_MOVES = ("checkout", "reset", "switch")


def deep_clone(recipe: DeepClone, here: Situation) -> Outcome:
    """The clone before the `git checkout REVISION` of the failed step or build, in whose folder that runs."""
    revision = here.fill(recipe.revision, select=True)
    if isinstance(revision, Refusal):
        return revision
    if recipe.checkout:
        return _whole_checkout(here, revision)
    every = [one for one in here.evaluation.invocations if one.calls and not one.substitution]
    moved = [at for at, one in enumerate(every) if _moves_to(one, revision)]
    found = {
        clone.calls[-1].key: clone for at in moved if (clone := _clone_of(every[:at], _folder(every[at]))) is not None
    }
    if len(found) != 1:
        return Refusal(f"{len(found)} clones lead to the checkout of {revision}")
    (clone,) = found.values()
    return _deepened(here, clone, revision)


def _whole_checkout(here: Situation, revision: str) -> Outcome:
    """`fetch-depth: 0` for the one checkout of the repository before the failed step."""
    failed = here.step
    own = [step for step in here.job.steps if step.uses.startswith("actions/checkout@")]
    if failed is None or len(own) != 1 or own[0].index >= failed.index or own[0].path != here.target.workflow_path:
        return Refusal(f"{here.job.id} has no one checkout before the step that failed", here.job.path)
    if child(own[0].node, "with", "repository") is not None or not _is_fetched(revision) or _clones(here, failed):
        return Refusal(f"`{revision}` comes with no checkout of the repository", here.job.path, own[0].line)
    held, document = child(own[0].node, "with", "fetch-depth"), own[0].document
    if text_of(held) == "0":
        return InPlace(f"{own[0].path}:{own[0].line} fetches the whole history")
    why = f"`{revision}` is not in a clone of one commit"
    if "${{" in (text_of(held) or ""):
        return Refusal("how much it fetches is worked out at run time", own[0].path, own[0].line)
    if isinstance(held, yaml.ScalarNode):
        edits = replace_scalar(document, held, "0", why=why)
    else:
        edits = add_entry(document, own[0].node, "with", "fetch-depth", "0", why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{own[0].index}].with"
    promise = Expectation("value", f"{place}.fetch-depth=0", here.target.job, here.job.path)
    declared = place if child(own[0].node, "with") is None else f"{place}.fetch-depth"
    return Edited(edits, (f"{here.job.path}:{declared}",), (promise,), costs=("the checkout takes longer",))


def _is_fetched(revision: str) -> bool:
    """Whether every end of the range is in the whole history, or the message is of a history cut short."""
    ends = [end for end in re.split(r"\.{2,3}", revision) if end not in ("", "HEAD")]
    return revision in _SAID or (bool(ends) and all(_FETCHED.match(end) for end in ends))


def _clones(here: Situation, step: Step) -> bool:
    """Whether the step makes a clone of its own, which the checkout has no say in."""
    own = (one for one in here.evaluation.invocations if one.step == step.index)
    words = ([posixpath.basename(value.text or "") for value in one.program[:4]] for one in own)
    return any(line[:1] == ["git"] and not {"clone", "init"}.isdisjoint(line) for line in words)


def _deepened(here: Situation, clone: Invocation, revision: str) -> Outcome:
    call = clone.calls[-1]
    data = here.tree.read(call.path)
    why = f"{revision} is not in a clone of the newest commit alone"
    edits = tuple(Edit(call.path, *hit.span(), b"", why) for hit in _SHALLOW.finditer(data, call.start, call.end))
    if not edits:
        return InPlace(
            f"{call.path}:{call.line} clones everything: {revision} is not, or no longer, in that repository"
        )
    if not call.insertable:
        return Refusal("the command is put together at run time", call.path, call.line)
    promise = Expectation("command", " ".join(_kept(clone.argv)), here.target.job, here.target.workflow_path)
    declared = (declared_at(here, call.path, clone.step),)
    made = Edited(edits, declared, (promise,), costs=("the clone takes longer",))
    return made.noting(f"{call.path}:{call.line} clones the repository")


def _kept(words: Sequence[object]) -> Iterator[str]:
    """The words without the options that go, and what they take."""
    before = ""
    for word in map(str, words):
        if before != "--depth" and word.split("=")[0] not in ("--depth", "--single-branch", "--shallow-submodules"):
            yield word
        before = word


def _moves_to(one: Invocation, revision: str) -> bool:
    words = [value.text or "" for value in one.program]
    git = bool(words) and posixpath.basename(words[0]) == "git"
    return git and any(word in _MOVES for word in words[1:4]) and revision in words


def _folder(one: Invocation) -> str | None:
    own = one.inside.folder if one.inside is not None else one.directory
    words = [value.text or "" for value in one.program]
    if own is None or words[1:2] != ["-C"]:
        return own
    return posixpath.normpath(posixpath.join(own, words[2]))


def _clone_of(before: Sequence[Invocation], folder: str | None) -> Invocation | None:
    """The last clone into the folder."""
    for one in reversed(before):
        words = [value.text or "" for value in one.program]
        own = one.inside.folder if one.inside is not None else one.directory
        if not words or posixpath.basename(words[0]) != "git" or "clone" not in words[1:4] or None in (own, folder):
            continue
        places = [word for word in words[words.index("clone") + 1 :] if word and not word.startswith("-")]
        address = next((at for at, word in enumerate(places) if ":" in word or "/" in word), -1)
        if address < 0:
            continue
        name = posixpath.basename(places[address].rstrip("/")).removesuffix(".git")
        target = (places[address + 1 :] or [name])[0]
        if posixpath.normpath(posixpath.join(own or "", target)) == folder:
            return one
    return None
