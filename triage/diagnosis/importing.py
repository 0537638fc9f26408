"""What the statement imports at which a module was not found, as the traceback shows it above the error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage.model.log import Line

_STATEMENT = re.compile(
    r"(?:[E>│|] *)?\s*(?:from (?P<base>[A-Za-z_][\w.]*) import \(?\s*(?P<name>\w*)|import (?P<module>[A-Za-z_][\w.]*))"
)
# Marks below a part of the statement: they stand between it and the error.
_MARKS = re.compile(r"(?:[E>│|] *)?[\s^~]*\Z")


def imported_at(evidence: Line | None, before: Sequence[Line]) -> str:
    """Dotted ("pkg.part", for `from pkg import part` too); "" where no such statement stands right above."""
    own = [line for line in before if evidence is not None and line.stream == evidence.stream]
    shown = next((line.text for line in reversed(own[-3:]) if not _MARKS.match(line.text)), "")
    found = _STATEMENT.match(shown)
    if found is None:
        return ""
    if found["module"]:
        return found["module"]
    base, name = found["base"], found["name"]
    return f"{base}.{name}" if name and "." not in base else base
