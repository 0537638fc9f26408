"""Supporting gate: below an open `engine_kwargs.<engine>` any typo composes, so the engine's own names are listed."""

from __future__ import annotations

import re

from triage.gates.change import Change, failed, ok
from triage.model.patch import Gate

NAME = "the engine knows the argument"
_OPEN = re.compile(r"(?:^|\.)engine_kwargs\.(\w+)\.(\w+)")


def engine_arguments(change: Change) -> Gate | None:
    """None when the draft sets no engine argument, or the table lists none for that engine."""
    listed = change.tables.knobs.get("engine_arguments", {})
    checked = []
    for promise in change.draft.expectations:
        found = _OPEN.search(promise.text.partition("=")[0])
        if found and found[1] in listed and not _passed_before(change, found[0]):
            if found[2] not in listed[found[1]]:
                return failed(NAME, f"{found[1]} has no argument `{found[2]}` in the table", mandatory=False)
            checked.append(f"{found[1]}: {found[2]}")
    return ok(NAME, ", ".join(dict.fromkeys(checked)), mandatory=False) if checked else None


def _passed_before(change: Change, name: str) -> bool:
    """Whether an edited file gives the engine the argument already: the draft changes how, not which."""
    return any(re.search(rb"\b" + re.escape(name.lstrip(".").encode()) + rb"=", old) for old in change.old.values())
