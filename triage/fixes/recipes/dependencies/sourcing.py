"""Holds what a job builds from the newest commit of another repository, at a revision that the tree already names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_start
from triage.fixes.recipes.dependencies.lint_releases import held_release
from triage.fixes.recipes.dependencies.revisions import agreed, named_revisions, nearest, release_before
from triage.fixes.recipes.dependencies.sources import REVISION, Built, Clone, built, clones, fixed
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.shell.edits import insert_line
from triage.model.patch import Edit, Expectation
from triage.model.recipe import PipPin

_COMMENT = re.compile(rb"^[ \t]*(?P<sign>#[ \t]*)git checkout (?P<revision>" + REVISION.encode() + rb")[ \t\r]*$", re.M)
_SHALLOW = re.compile(rb"--(?:depth(?:=|[ \t]+)\d+|single-branch|shallow-submodules)[ \t]+")


def hold_source(here: Situation, name: str) -> Outcome | None:
    """One outcome over all places; None where the job builds no such thing from its sources."""
    outcomes = [_cloned(here, one, name) for one in clones(here, name)]
    outcomes += [_named(here, one, name) for one in built(here, name)]
    if not outcomes:
        return None
    whole = together(outcomes)
    settled = {one.settled for one in outcomes if isinstance(one, Edited)}
    if isinstance(whole, Edited):
        whole = replace(whole, settled=settled.pop() if len(settled) == 1 else None)
        return whole.noting("the commit is older than what the job tested last: other tests may need what came since")
    return whole


def _cloned(here: Situation, clone: Clone, name: str) -> Outcome:
    call = clone.invocation.calls[-1]
    if fixed(clone.held):
        return InPlace(f"{call.path}:{call.line} clones {clone.url} and {clone.held} is checked out")
    where = f"{call.path}:{call.line} builds {name} from the newest commit of {clone.url}"
    if clone.branch or clone.held:
        return Words(f"{where} ({clone.branch or clone.held}): check out a commit that was good")
    comment = _comment(here, clone)
    if comment is not None:
        revision, edit = comment
        return _checked_out(here, clone, revision, (edit,), f"{call.path} names it in a comment")
    chosen = _chosen(here, clone.url, name, call.path)
    if chosen is None:
        return Words(
            f"{where}: add `git checkout COMMIT` behind it with the last commit that was good{_previous(here, name)}"
        )
    revision, why = chosen
    edits = _inserted(here, clone, revision, why)
    return edits if isinstance(edits, Refusal) else _checked_out(here, clone, revision, edits, why)


def _chosen(here: Situation, url: str, name: str, path: str) -> tuple[str, str] | None:
    """A revision for what `path` builds, and where it comes from."""
    known = agreed(nearest(named_revisions(here.tree, url), path))
    if known is not None:
        said = "names" if known.commented else "holds"
        return known.revision, f"{known.path}:{known.line} {said} {known.revision}"
    listed = here.facts.installed.get(normalised(name), "")
    tag = release_before(here.tree, url, listed)
    return (tag, f"the release before {listed}, which the log lists; not checked: that the tag exists") if tag else None


def _previous(here: Situation, name: str) -> str:
    listed = here.facts.installed.get(normalised(name), "")
    return f" (the log lists {listed})" if listed else ""


def _comment(here: Situation, clone: Clone) -> tuple[str, Edit] | None:
    """A commented checkout between the clone and what is run in it."""
    start, stop = clone.invocation.calls[-1], clone.install.call
    if start.path != stop.path or not start.insertable:
        return None
    data = here.tree.read(start.path)
    found = next(_COMMENT.finditer(data, line_start(data, start.end), stop.start), None)
    if found is None:
        return None
    why = f"what the comment keeps for this case: {clone.url} is broken at its newest commit"
    return found["revision"].decode(), Edit(start.path, found.start("sign"), found.end("sign"), b"", why)


def _inserted(here: Situation, clone: Clone, revision: str, why: str) -> tuple[Edit, ...] | Refusal:
    call = clone.first.calls[-1]
    text = f"git checkout {revision}"
    if clone.first.directory != clone.folder:
        text = f"git -C {clone.folder} checkout {revision}"
    edits = insert_line(here.tree, call, text, why=why, before=True)
    if not isinstance(edits, Refusal):
        return edits
    data = here.tree.read(call.path)
    if call.insertable and data[line_start(data, call.start) : call.start].rstrip().endswith((b"&&", b";")):
        return (Edit(call.path, call.start, call.start, f"{text} && ".encode(), why),)
    return edits


def _checked_out(here: Situation, clone: Clone, revision: str, edits: tuple[Edit, ...], why: str) -> Outcome:
    call = clone.invocation.calls[-1]
    inside = clone.first.directory == clone.folder
    command = f"git checkout {revision}" if inside else f"git -C {clone.folder} checkout {revision}"
    promise = Expectation("command", command, here.target.job, here.target.workflow_path)
    declared = [declared_at(here, edit.path, clone.invocation.step) for edit in edits]
    deepened = tuple(_deepened(here, clone, revision))
    declared += [declared_at(here, call.path, clone.invocation.step)] if deepened else []
    title = f"Check out {revision} of {clone.url}"
    return Edited((*deepened, *edits), tuple(dict.fromkeys(declared)), (promise,), notes=(why,), title=title)


def _deepened(here: Situation, clone: Clone, revision: str) -> Iterator[Edit]:
    """A clone of one commit holds no other to check out."""
    call = clone.invocation.calls[-1]
    data = here.tree.read(call.path)
    for found in _SHALLOW.finditer(data, call.start, call.end):
        yield Edit(call.path, *found.span(), b"", f"{revision} is not in a clone of the newest commit alone")


def _named(here: Situation, one: Built, name: str) -> Outcome:
    call = one.install.call
    if fixed(one.held):
        return InPlace(f"{call.path}:{call.line} already names {one.url}@{one.held}")
    branch = f" ({one.held})" if one.held else ""
    where = f"{call.path}:{call.line} installs {name} from the newest commit of {one.url}{branch}"
    text = one.word.text or ""
    chosen = _chosen(here, one.url, name, call.path)
    if chosen is not None:
        revision, why = chosen
        base = text.partition("#")[0]
        new = base.removesuffix(f"@{one.held}").rstrip("/") + f"@{revision}" + text[len(base) :]
        return _rewritten(here, one, new, why, f"Install {one.url} at {revision}")
    release = held_release(here.tree, name)
    if release is not None and not branch:
        bare = text.partition("@")[0].strip() if not text.startswith("git+") else name
        pin = PipPin(name, f"=={release.release}")
        why = f"{release.path}:{release.line} holds {name} at {release.release}"
        made = _rewritten(here, one, f"{bare}{pin.spec}", why, f"Install {name}{pin.spec} instead of its newest commit")
        return replace(made, settled=pin) if isinstance(made, Edited) else made
    return Words(f"{where}: put `@COMMIT` behind the address, the last one that was good{_previous(here, name)}")


def _rewritten(here: Situation, one: Built, new: str, why: str, title: str) -> Outcome:
    call, text, sites = one.install.call, one.word.text or "", one.word.sites
    written = len(sites) == 1 and sites[0].path in here.tree
    if not written or here.tree.read(sites[0].path)[sites[0].start : sites[0].end] != text.encode():
        return Refusal(f"`{text}` is put together where it cannot be replaced", call.path, call.line)
    words = [new if word is one.word else str(word) for word in one.install.invocation.argv]
    promise = Expectation("command", " ".join(words), here.target.job, here.target.workflow_path)
    edit = Edit(sites[0].path, sites[0].start, sites[0].end, new.encode(), why)
    declared = declared_at(here, sites[0].path, one.install.invocation.step)
    return Edited((edit,), (declared,), (promise,), notes=(why,), title=title)
