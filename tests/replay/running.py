"""One case through the product: the tree at the parent, the log, and the first choice for the root cause."""

from __future__ import annotations

import io
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.replay.cases import Case, Knob
from tests.replay.knobs import turned
from tests.replay.scoring import Proposal
from triage.fixes import prescribe
from triage.fixes.overlay import Overlay
from triage.interfaces import Tree
from triage.model.configuration import Configuration
from triage.model.patch import Draft, Patch, PatchState
from triage.pipeline.log import triage_logs
from triage.pipeline.places import target_of
from triage.pipeline.prescription import Trees
from triage.pipeline.triage import Knowledge, Triaged
from triage.sources.catalogue import load
from triage.sources.git import surroundings
from triage.sources.logs import collect
from triage.sources.trees import git_tree
from triage.sources.unreadable import UnreadableLog

_HELD_BACK = (PatchState.IN_PLACE, PatchState.ADVICE, PatchState.REFUSED)


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    return Knowledge.of(load(cache=False), Configuration())


def merged(git: Path, case: Case) -> tuple[tuple[str, ...], tuple[Knob, ...]]:
    """The files that the merged commit touches, and the knobs that it turned."""
    names = _git(git, "diff", "--name-only", "--no-renames", case.parent, case.sha).decode().splitlines()
    before, after = (_files(git, sha, names) for sha in (case.parent, case.sha))
    read = [
        path for path in names if not path.endswith((".lock", ".md", ".rst")) and len(before.get(path, b"")) < 2**19
    ]
    knobs = turned({path: before.get(path, b"") for path in read}, {path: after.get(path, b"") for path in read})
    return tuple(names), knobs


def merged_files(git: Path, case: Case, names: Sequence[str]) -> Mapping[str, bytes]:
    """The files of these names as the merged commit has them."""
    return _files(git, case.sha, list(names))


def _files(git: Path, sha: str, names: list[str]) -> dict[str, bytes]:
    shown = {path: _run(git, "show", f"{sha}:{path}") for path in names}
    return {path: ended.stdout for path, ended in shown.items() if ended.returncode == 0}


def _run(git: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "--git-dir", str(git), *arguments], capture_output=True, check=False)


def _git(git: Path, *arguments: str) -> bytes:
    ended = _run(git, *arguments)
    ended.check_returncode()
    return ended.stdout


def propose(git: Path, case: Case, log: Path) -> Proposal:
    """What `triage log --checkout --workflow --job` says first."""
    return propose_on(git_tree(git, case.parent), case.job, workflow_path(case.workflow), log)


def propose_on(tree: Tree, job: str, workflow: str, log: Path) -> Proposal:
    """The same on a tree that may be no commit. `workflow`: its path, "" where it is not known."""
    sources = [one for one in collect([str(log)], io.BytesIO()) if not isinstance(one, UnreadableLog)]
    begun = time.perf_counter()
    known = knowledge()
    triaged = triage_logs(sources, known, lambda _sha: Trees(tree, tree), job=job, workflow_path=workflow)
    return replace(_first(triaged, tree), seconds=time.perf_counter() - begun)


def workflow_path(name: str) -> str:
    return name if not name or "/" in name else f".github/workflows/{name}"


def _first(triaged: Triaged, tree: Tree) -> Proposal:
    group = next(iter(triaged.result.causes), None)
    if group is None:
        return Proposal("unknown", words="no cause was found")
    if not group.fixes:
        return Proposal("unknown", group.signature, words="the signature has no fix")
    own = [patch for patch in triaged.result.patches if patch.id in group.fixes]
    first = own[0]
    others = tuple(f"{one.state.value}: {one.recipe}: {one.title}: {one.reason}" for one in own[1:])
    said = " ".join(f"{one.title} {one.reason} {one.because} {' '.join(one.notes)}" for one in own)
    found = Proposal(first.state.value, group.signature, first.recipe, words=f"{first.reason} | {said}", others=others)
    if first.state is not PatchState.PATCH:
        return found
    draft = triaged.prescription.drafts[first.id]
    new = applied(first, tree)
    again = new is not None and _empty_again(triaged, draft, Overlay(tree, new))
    knobs = turned({path: tree.read(path) for path in new}, new) if new is not None else ()
    return replace(found, new=new or {}, files=first.files, knobs=knobs, applies=new is not None, empty_again=again)


def applied(patch: Patch, tree: Tree) -> Mapping[str, bytes] | None:
    """The files after `git apply`, in a repository of its own; None when it does not apply."""
    with TemporaryDirectory(prefix="replay-") as folder:
        root = Path(folder)
        for path in patch.files:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(tree.read(path))
        for command in (("init", "-q"), ("apply", "--check", "-"), ("apply", "-")):
            call = ["git", "-c", "core.autocrlf=false", *command]
            given = patch.diff.encode()
            ended = subprocess.run(call, cwd=root, env=surroundings(), input=given, capture_output=True, check=False)
            if ended.returncode:
                return None
        return {path: (root / path).read_bytes() for path in patch.files}


def _empty_again(triaged: Triaged, draft: Draft, after: Tree) -> bool:
    """The same rung on the patched tree makes no further edit."""
    failure, signature = triaged.result.failures[0], triaged.result.causes[0].signature
    target = target_of(failure)
    cause = next(one for one in failure.diagnosis.causes if one.signature == signature)
    known = knowledge().catalogue
    facts = failure.diagnosis.facts
    drafts = prescribe(cause, known.signatures[signature], facts, target, after, after, known.tables)
    same = [one for one in drafts if (one.title, one.recipe) == (draft.title, draft.recipe)]
    # A raise by a factor may raise again, and so may a number of tries: the gate compares the settled recipe.
    return all(one.state in _HELD_BACK for one in same) or draft.recipe in ("timeout", "effective_value", "retry")
