"""Where the trees come from that fixes are worked out on: a person's checkout, or one snapshot through the API."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from triage.errors import UsageError
from triage.interfaces import RunSource, Tree
from triage.model.run import Run, Unavailable, UnavailableReason
from triage.pipeline.prescription import NoTrees, TreeAccess, Trees
from triage.pipeline.surroundings import Contents, OfCheckout, OfGitHub
from triage.sources import checkout as checkouts


def no_trees(reason: str, hint: str = "") -> TreeAccess:
    """Fixes stay advice, for this reason."""
    return lambda tested_sha: NoTrees(reason, hint)


def trees_of_checkout(folder: Path, head: str = "HEAD") -> TreeAccess:
    """The commit `head` of a clone, read through git; a folder that is no clone is read as it lies.

    UsageError at once when the folder or the commit is not there.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder.", "Name a clone with --checkout.")
    from triage.sources.trees import folder_tree, git_tree

    if not (folder / ".git").exists():
        lying = folder_tree(folder)
        told = f"{folder} is no git clone: its files are read as they lie, and of which commit they are is not known"
        return lambda tested_sha: Trees(lying, lying, (told,))
    tip = git_tree(folder, head)
    around = OfCheckout(folder, tip.sha)

    @lru_cache
    def unread() -> tuple[str, ...]:
        return _unread(checkouts.uncommitted(folder, tip), tip.sha) if head == "HEAD" else ()

    @lru_cache
    def access(tested_sha: str) -> Trees | NoTrees:
        if not tested_sha or tested_sha == tip.sha:
            return Trees(tip, tip, unread(), around)
        if not checkouts.has_commit(folder, tested_sha):
            return Trees(tip, tip, (_not_there(tested_sha, tip.sha), *unread()), around)
        tested = git_tree(folder, tested_sha)
        return Trees(tested, tip, (*_differences(tested, tip), *unread()), around)

    return access


def _unread(changed: Sequence[str], sha: str) -> tuple[str, ...]:
    return (f"not committed, and read as {sha[:9]} has it: {_named(changed)}",) if changed else ()


def trees_of_run(source: RunSource, run: Run, onto: str = "", contents: Contents | None = None) -> TreeAccess:
    """Snapshots of the run's head and, where another commit was tested (a pull request's merge), of that one.

    `onto`: the commit to make patches for instead of the run's head. With `contents`, two more requests at most tell
    who changed the first choice's file last, and whether it fits the default branch too.
    """
    target = onto or run.head_sha
    around = OfGitHub(contents, target) if contents is not None else None

    from triage.sources.trees import tar_tree

    @lru_cache
    def snapshot(sha: str) -> Tree | Unavailable:
        found = source.snapshot(sha)
        if isinstance(found, Unavailable):
            return found
        try:
            return tar_tree(found, sha)
        except UsageError as fault:
            # Kept, it would be as unreadable the next time. What the logs say is worth something without it too.
            found.unlink(missing_ok=True)
            return Unavailable(UnavailableReason.UNREADABLE, fault.message)

    def access(tested_sha: str) -> Trees | NoTrees:
        head = snapshot(target)
        if isinstance(head, Unavailable):
            return NoTrees(f"the repository's tree at {target[:9]} could not be read: {head.detail}")
        if not tested_sha or tested_sha == target:
            return Trees(head, head, around=around)
        tested = snapshot(tested_sha)
        if isinstance(tested, Unavailable):
            return Trees(head, head, (_not_there(tested_sha, target),), around)
        return Trees(tested, head, _differences(tested, head), around)

    return access


def _not_there(tested_sha: str, head_sha: str) -> str:
    return f"the tested commit {tested_sha[:9]} is not at hand: fixes are worked out on {head_sha[:9]} instead"


def _differences(tested: Tree, head: Tree) -> tuple[str, ...]:
    """Names the workflow and script files that the tested commit and the head do not share."""
    looked_at = [path for path in tested.paths() if path.endswith((".yml", ".yaml", ".sh", ".txt", ".toml"))]
    changed = [path for path in looked_at if path not in head or head.read(path) != tested.read(path)]
    if not changed:
        return ()
    return (f"tested at {tested.sha[:9]}, patched against {head.sha[:9]}; they differ in {_named(changed)}",)


def _named(paths: Sequence[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
