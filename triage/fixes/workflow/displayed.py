"""What GitHub displays for a name that holds expressions: what is known of it in part, and what may be shown for it."""

from __future__ import annotations

from itertools import groupby

from triage.fixes.evaluate.values import Value
from triage.fixes.workflow.expressions import Context, evaluate, expressions

# Longer displayed names are cut by GitHub and end with "...".
CUT = "..."

# The parts of a displayed name; None for one that only GitHub knows.
Shape = list[str | None]


def displayed(text: str, context: Context) -> str:
    """A name with its expressions evaluated, unknown parts as `${...}`."""
    return "".join(text[a:b] if inner is None else str(evaluate(inner, context)) for a, b, inner in expressions(text))


def shape_in(text: str, context: Context) -> Shape:
    shape: Shape = []
    for a, b, inner in expressions(text):
        shape += [text[a:b]] if inner is None else _evaluated(evaluate(inner, context))
    return shape


def _evaluated(value: Value) -> Shape:
    """What is known of a value in part, as of `format`, stands as it is."""
    if value.text is not None:
        return [value.text]
    known_parts = groupby(value.pieces, key=lambda piece: piece.text is not None)
    return ["".join(piece.text or "" for piece in pieces) if told else None for told, pieces in known_parts]


def tells(shape: Shape) -> bool:
    """Whether anything of a name is known that tells it from others: not blanks and brackets alone."""
    return any(part is not None and any(letter.isalnum() for letter in part) for part in shape)


def fits(shape: Shape, name: str) -> bool:
    """Whether `name` may be this name as GitHub displays it: unknown parts stand for anything, long names are cut."""
    if None not in shape:
        whole = "".join(part or "" for part in shape).strip()
        kept = name.removesuffix(CUT)
        return name == whole or (kept != name and len(whole) > len(kept) and whole.startswith(kept))
    at, free = 0, False
    for part in shape:
        if part is None:
            free = True
            continue
        found = name.find(part, at) if free else (at if name.startswith(part, at) else -1)
        if found < 0:
            return False
        at, free = found + len(part), False
    last = shape[-1]
    return free or at == len(name) or (last is not None and name.endswith(last) and None in shape)


def shape_of(text: str) -> Shape:
    """A text as the workflow writes it, whose expressions may be displayed as anything."""
    return [text[a:b] if inner is None else None for a, b, inner in expressions(text)]


# What stands in a log for a secret, and how much of a line has to be left to be known by.
_REDACTED, _LEAST = "[redacted]", 6


def may_show(written: str, shown: str) -> bool:
    """Whether a line of a log is one that the workflow writes so: an expression at its end that comes to nothing leaves
    a blank, which the log does not keep. What was redacted may have been anything."""
    if _REDACTED in shown:
        told, literal = shown.partition(_REDACTED)[0], written.partition("${{")[0]
        goes_on = "${{" in written and told.startswith(literal)
        return min(len(told), len(literal)) >= _LEAST and (goes_on or literal.startswith(told))
    return fits(shape := shape_of(written), shown) or fits(shape, f"{shown} ")
