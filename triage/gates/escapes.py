"""Whether what is written into a script that stands in quotes keeps to them."""

from __future__ import annotations

import re

from triage.fixes.refusal import Refusal
from triage.gates.change import Change

# What a double quote gives a meaning to, with no backslash of its own before it.
_LOOSE = re.compile(r'(?<!\\)(?:\\\\)*["$`]')
_ESCAPED = re.compile(r'\\([\\$"`])')


def loose_edit(change: Change) -> str:
    """Path and text of the first edit that would end the quotes around it, or expand in them; "" where none would."""
    spans = {
        (call.path, call.span, call.nested)
        for run in change.jobs
        if not isinstance(run.before, Refusal)
        for one in run.before.invocations
        for call in one.calls
        if call.nested
    }
    for edit in change.draft.edits:
        for path, (first, last), nested in sorted(spans):
            within = edit.path == path and first <= edit.start and edit.end <= last
            if within and not keeps(edit.new.decode("utf-8", "replace"), nested):
                return f"{path}: `{edit.new.decode('utf-8', 'replace').strip()}`"
    return ""


def keeps(text: str, nested: tuple[str, ...]) -> bool:
    """Whether the innermost script holds `text` where the file does, `nested` being its quotes, innermost first."""
    for quote in reversed(nested):
        if (quote == "'" and "'" in text) or (quote == "<<" and re.search(r"[\\$`]", text)):
            return False
        if quote == '"':
            if _LOOSE.search(text):
                return False
            text = _ESCAPED.sub(r"\1", text)
    return True
