"""`git checkout` of another commit right after the clone, which a file blocks that the clone itself has changed: line
endings that `.gitattributes` turns are no work of anybody."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from triage.fixes.document import line_end
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at

_FORCED = ("-f", "--force")
_VERB = re.compile(r"git[ \t]+(?:-C[ \t]+\S+[ \t]+)?(?:checkout|switch)(?![\w-])")
# What changes files between the clone and the checkout, whose work would be lost.
_CHANGES = ("apply", "am", "merge", "cherry-pick", "stash", "revert", "rm", "mv")
# What changes none: whatever else runs there may have worked on them.
_PLAIN = frozenset(
    (
        "git",
        "cd",
        "pushd",
        "popd",
        "echo",
        "printf",
        "export",
        "set",
        "ls",
        "pwd",
        "cat",
        "true",
        "test",
        "[",
        "[[",
        "mkdir",
    )
)
_WRITES = re.compile(rb">(?!&|[ \t]*/dev/)")


def force_checkout(here: Situation) -> Outcome:
    """The one checkout behind the clone of the repository that the log names."""
    ran = [one for one in here.concerned if one.calls and not one.substitution]
    found = [pair for at, one in enumerate(ran) if _git(one, "clone") for pair in _checkouts(here, ran[at:])]
    name = here.captures.get("name", "")
    named = [pair for pair in found if name and _clones(pair[0], name)] or found
    calls = {one.calls[-1].key: one for _, one in named}
    if not calls:
        return Refusal("no checkout follows a clone in the failed step")
    lacking = [one for one in calls.values() if not any(word.text in _FORCED for word in one.program)]
    if not lacking:
        return InPlace("the checkout does not mind changed files")
    if len(lacking) != 1 or lacking[0].calls[-1].path not in here.tree:
        return Refusal(f"{len(lacking)} checkouts follow a clone, and the log does not say which one failed")
    call = lacking[0].calls[-1]
    text = here.tree.read(call.path)[call.start : call.end].decode("utf-8", "replace")
    verb = _VERB.match(text)
    if verb is None:
        return Refusal("the checkout is put together at run time", call.path, call.line)
    why = "nothing was worked on since the clone: what is changed there is git's own doing"
    edits = replace_at(here.tree, call.path, call.start, verb[0], f"{verb[0]} -f", why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = (declared_at(here, call.path, lacking[0].step),)
    title = f"Check out over what the clone changed at {call.path}:{call.line}"
    return Edited(tuple(edits), declared, promised(here, edits), title=title)


def _git(one: Invocation, verb: str) -> bool:
    words = [word.text or "" for word in one.program]
    return words[:1] == ["git"] and verb in words[1:4]


def _checkouts(here: Situation, ran: Sequence[Invocation]) -> list[tuple[Invocation, Invocation]]:
    """The checkout behind the clone `ran[0]`, unless something works on its files first."""
    for one in ran[1:]:
        words = [word.text or "" for word in one.program]
        if _git(one, "clone") or (words and posixpath.basename(words[0]) not in _PLAIN):
            break
        if words[:1] == ["git"] and any(word in _CHANGES for word in words[1:3]):
            break
        if _git(one, "checkout") or _git(one, "switch"):
            kept = not _is_in(one, _folder(ran[0])) or _writes_between(here, ran[0], one)
            return [] if kept else [(ran[0], one)]
    return []


def _writes_between(here: Situation, clone: Invocation, checkout: Invocation) -> bool:
    """Whether what stands between the two of one file writes to another."""
    first, last = clone.calls[-1], checkout.calls[-1]
    data = here.tree.read(first.path) if first.path == last.path and first.path in here.tree else b""
    return _WRITES.search(data[line_end(data, first.end) : last.start]) is not None


def _is_in(one: Invocation, folder: str) -> bool:
    """Whether it runs in the clone, as far as that is known."""
    told = [word.text or "" for word in one.program]
    place = told[told.index("-C") + 1] if "-C" in told[:-1] else one.directory
    return not place or posixpath.basename(place) == folder


def _folder(clone: Invocation) -> str:
    last = next((word.text or "" for word in reversed(clone.program) if not (word.text or "").startswith("-")), "")
    return posixpath.basename(last.rstrip("/")).removesuffix(".git")


def _clones(one: Invocation, name: str) -> bool:
    return _folder(one) == name
