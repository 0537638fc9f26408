"""A loop that tries a command a fixed number of times and says so: it counts further."""

from __future__ import annotations

import re

from triage.fixes.evaluate.invocation import Call
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

# From so many tries to so many; more than the last are no moment's failure.
_MORE = {3: 5, 4: 5, 5: 10}
_FOR = re.compile(
    rb"(?m)^([ \t]*)for[ \t]+(\w+)[ \t]+in[ \t]+"
    rb"(?P<counts>1(?: [0-9]+)+|\{1\.\.[0-9]+\}|\$\(seq 1 [0-9]+\))[ \t]*;[ \t]*do\b"
)
_IS = rb"\}?\"?[ \t]+(?:-(?:eq|ge|lt|gt|ne|le)|==|=|!=)[ \t]+\"?("
_ALL = re.compile(rb"[0-9]+")


def more_tries(data: bytes, call: Call) -> tuple[Edit, ...] | Refusal | None:
    """None where the command is in no such loop. The number of tries stands in its head, and in what its body compares
    the counter with: a loop that never compares it does not fail with the last try."""
    found = _enclosing(data, call)
    if found is None:
        return None
    head, end = found
    counts = [int(one) for one in _ALL.findall(head["counts"])]
    last = counts[-1]
    listed = head["counts"].startswith(b"1 ")
    if listed and counts != list(range(1, last + 1)):
        return Refusal("its counter is no count of tries")
    new = _MORE.get(last)
    if new is None:
        return Refusal(f"it is tried {last} times")
    number = str(last).encode()
    compared = re.compile(rb"\$\{?" + re.escape(head[2]) + _IS + number + rb")(?![0-9])")
    body = slice(head.end(), end)
    marks = [(one.start(1), one.end(1)) for one in compared.finditer(data, body.start, body.stop)]
    if not marks:
        return Refusal("its last try does not fail the step")
    # What the loop says of itself: a number behind the counter's own, and none of an address.
    counter = rb"\$\{?" + re.escape(head[2]) + rb"\}?(?:/| of )"
    said = re.compile(rb"(?:after |" + counter + rb")(" + number + rb")(?= attempts| tries|\)|\"| failed)")
    marks += [(one.start(1), one.end(1)) for one in said.finditer(data, body.start, body.stop)]
    why = f"{last} tries were not enough"
    wider = str(new).encode()
    counted = b" ".join(str(at).encode() for at in range(1, new + 1))
    if not listed:
        counted = re.sub(number + rb"(?![0-9])", wider, head["counts"])
    edits = [Edit(call.path, head.start("counts"), head.end("counts"), counted, why)]
    edits += [Edit(call.path, start, stop, wider, why) for start, stop in sorted(marks)]
    return tuple(edits)


def _enclosing(data: bytes, call: Call) -> tuple[re.Match[bytes], int] | None:
    """The innermost loop of this form around the command, and where it ends: `done` in the column of `for`."""
    for head in reversed(list(_FOR.finditer(data, 0, call.start))):
        closing = re.compile(rb"(?m)^" + head[1] + rb"done\b").search(data, head.end())
        if closing is not None and closing.start() >= call.end:
            return head, closing.start()
        if closing is None:
            return None
    return None
