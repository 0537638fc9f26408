"""Puts drafts together: one fix over several jobs, or the first choice of several causes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from triage.fixes.document import conflicts, splice, unified_diff
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Draft, Edit, PatchState

T = TypeVar("T")

# An entry with its comment, in a mapping made for it; longer texts, such as copied steps, keep theirs.
_SHORT = 4


def combine(drafts: Sequence[Draft]) -> Draft:
    """One draft that makes all edits of the given ones, which must not be empty.

    Equal edits count once: two jobs that run the same script want the same line changed. Edits that overlap and differ
    make the draft REFUSED. Drafts that have nothing to edit (already in place, refused) leave a note.
    """
    editing = [draft for draft in drafts if draft.state is PatchState.PATCH]
    if not editing:
        return replace(drafts[0], notes=_union(draft.notes for draft in drafts))
    edits = _commented_once(_union(draft.edits for draft in editing))
    clash = _clash(edits)
    if clash:
        return replace(editing[0], state=PatchState.REFUSED, edits=(), reason=clash)
    return replace(
        editing[0],
        edits=edits,
        declared=_union(draft.declared for draft in editing),
        expectations=_union(draft.expectations for draft in editing),
        origins=_union(draft.origins for draft in editing),
        notes=_union([*(draft.notes for draft in editing), _left_alone(drafts)]),
        costs=_union(draft.costs for draft in editing),
        siblings=_union(draft.siblings for draft in editing),
        blast_radius=_union(draft.blast_radius for draft in editing),
    )


def _commented_once(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """A comment that an earlier edit of the same file brings is not repeated: the first one speaks for all jobs."""
    said: set[tuple[str, bytes]] = set()
    kept = []
    for edit in sorted(edits, key=lambda edit: (edit.path, edit.start)):
        lines = edit.new.splitlines(keepends=True)
        fresh = [line for line in lines if not _is_comment(line) or (edit.path, line.strip()) not in said]
        said |= {(edit.path, line.strip()) for line in lines if _is_comment(line)}
        if len(lines) > _SHORT or len(fresh) == len(lines):
            kept.append(edit)
        elif b"".join(fresh).strip() or edit.end > edit.start:
            kept.append(replace(edit, new=b"".join(fresh)))
    return tuple(kept)


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b"#")


def conflict(drafts: Sequence[Draft]) -> str:
    """Why the edits of these drafts cannot be made together; "" when they can."""
    return _clash(_union(draft.edits for draft in drafts))


def _left_alone(drafts: Sequence[Draft]) -> tuple[str, ...]:
    return tuple(draft.reason for draft in drafts if draft.state is not PatchState.PATCH and draft.reason)


def diff_of(edits: Iterable[Edit], tree: Tree) -> str | Refusal:
    """The unified diff that makes all edits, files in order; undecodable bytes travel as surrogates."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    parts = []
    for path in sorted(by_path):
        before = tree.read(path)
        after = splice(before, by_path[path])
        if isinstance(after, Refusal):
            return after
        parts.append(unified_diff(path, before, after))
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _clash(edits: Iterable[Edit]) -> str:
    for first, second in conflicts(edits):
        return f"two fixes want different text at the same place of {first.path} ({first.why}; {second.why})"
    return ""


def _union(groups: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
