"""What else the repository says of the lines that a patch changes: who changed them last, whether one value has been
moved the same way again and again, and whether the patch fits the base branch too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from triage.fixes.document import line_end, line_of, line_start
from triage.gates.applies import misfit
from triage.interfaces import Tree
from triage.model.lineage import LineChange
from triage.model.patch import Draft, Edit, Patch
from triage.pipeline.surroundings import Surroundings

# Beyond this many lines a note tells nobody anything.
MOST_LINES = 3
RATCHET_DAYS = timedelta(days=30)
RATCHET_MOVES = 2
_TITLE = 80
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def related(patch: Patch, draft: Draft, head: Tree, around: Surroundings) -> tuple[str, ...]:
    """Sentences for the patch's notes."""
    return tuple(dict.fromkeys([*_of_lines(draft.edits, head, around), *_of_base(patch, head, around)]))


def _of_lines(edits: Sequence[Edit], head: Tree, around: Surroundings) -> Iterator[str]:
    """Replaced lines tell more than those beside an insertion."""
    replaced = [edit for edit in edits if edit.end > edit.start]
    for edit in _by_line(replaced or edits[:1], head)[:MOST_LINES]:
        data = head.read(edit.path)
        line = line_of(data, edit.start)
        changes = around.changes(edit.path, line)
        if changes:
            last = changes[0]
            of = f"{edit.path}:{line}" if last.after or last.before else edit.path
            yield f"{of} was last changed by {last.sha[:9]}{_on(last)} {_titled(last)}"
        yield from _ratchet(edit, data, line, changes)


def _by_line(edits: Sequence[Edit], head: Tree) -> list[Edit]:
    first: dict[tuple[str, int], Edit] = {}
    for edit in sorted(edits, key=lambda one: (one.path, one.start)):
        first.setdefault((edit.path, line_of(head.read(edit.path), edit.start)), edit)
    return list(first.values())


def _on(change: LineChange) -> str:
    return f" ({change.when:%Y-%m-%d})" if change.when else ""


def _titled(change: LineChange) -> str:
    title = " ".join("".join(char if char.isprintable() else " " for char in change.title).split())
    return f"`{title[:_TITLE].replace('`', chr(39))}`"


def _ratchet(edit: Edit, data: bytes, line: int, changes: Sequence[LineChange]) -> Iterator[str]:
    """The same number moved the same way at least twice in a month: once more does not end that."""
    start, end = line_start(data, edit.start), line_end(data, edit.end)
    before = data[start:end].decode("utf-8", "replace")
    after = (data[start : edit.start] + edit.new + data[edit.end : end]).decode("utf-8", "replace")
    wanted = moved(before, after)
    newest = changes[0].when if changes else None
    if not wanted or newest is None:
        return
    recent = [one for one in changes if one.when is not None and newest - one.when <= RATCHET_DAYS]
    same = [one for one in recent if moved(one.before, one.after) == wanted]
    if len(same) >= RATCHET_MOVES:
        way, steps = ("raised" if wanted > 0 else "lowered"), [_step(one) for one in reversed(same)]
        yield (
            f"{edit.path}:{line} was {way} {len(same)} times within 30 days already ({', '.join(steps)}): "
            "split the work, or find what grows, instead of moving the limit again"
        )


def _step(change: LineChange) -> str:
    was, now = next(
        (was, now)
        for was, now in zip(_NUMBER.findall(change.before), _NUMBER.findall(change.after), strict=True)
        if was != now
    )
    return f"{was} to {now} in {change.sha[:9]}"


def moved(before: str, after: str) -> int:
    """1 when exactly one number of the line rises, -1 when it falls; 0 when anything else differs too."""
    if before == after or _NUMBER.sub("#", before).split() != _NUMBER.sub("#", after).split():
        return 0
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
    differing = [(float(was), float(now)) for was, now in pairs if was != now]
    if len(differing) != 1:
        return 0
    was, now = differing[0]
    return (now > was) - (now < was)


def _of_base(patch: Patch, head: Tree, around: Surroundings) -> Iterator[str]:
    base = around.base(patch.files)
    if base is None:
        return
    gone = [path for path in patch.files if path not in base.files]
    if gone:
        yield f"{base.name} has no {', '.join(gone)}: the patch does not apply there"
    elif all(base.files[path] == head.read(path) for path in patch.files):
        yield f"it applies to {base.name} too: the files that it changes are the same there"
    else:
        reason = misfit(patch.diff, base.files)
        again = "derive it there anew, with `triage run --onto` or in a checkout of it"
        if reason:
            yield f"it does not apply to {base.name} ({reason}): {again}"
        else:
            yield f"it applies to {base.name} too, though the files differ there"
