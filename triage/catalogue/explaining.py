"""One signature in plain words, for a person who has met the failure: `triage explain <id>`. Pure text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator

from triage.catalogue.page import paragraphs, scope_words, wrapped
from triage.model.recipe import Advise, Rerun
from triage.model.signature import (
    AllOf,
    AnyOf,
    Applicability,
    Category,
    Condition,
    Contains,
    FixStep,
    NoneOf,
    Rank,
    Regex,
    Sequence,
    Signature,
)

_RANKS = {
    Rank.ROOT: "a root cause",
    Rank.SYMPTOM: "a symptom, whose cause is looked for first",
    Rank.WRAPPER: "a wrapper: it only passes on that something failed",
}
_CATEGORIES = {
    Category.DETERMINISTIC: "fails again until something is changed",
    Category.FLAKY: "comes and goes",
    Category.INFRA: "lies in runners, network or services",
}
_APPLICABILITY = {
    Applicability.SAFE: "safe edit",
    Applicability.UNSAFE: "edit",
    Applicability.DISPLAY: "advice",
}
_MOST_EXAMPLES = 3
_MOST_LEADS = 8
# Of a ladder longer than this the later rungs are only named.
_MOST_REASONS = 8


def in_plain_words(signature: Signature, width: int = 80) -> str:
    """What it means, how it is recognised with examples, and what is tried in which order; prose in `width` columns.

    Patterns and parameters are left out: `page.explanation` has them.
    """
    return "\n".join(_sections(signature, width)) + "\n"


def family_in_plain_words(family: str, signatures: Collection[Signature], width: int = 80) -> str:
    """The signatures that share a family, each with its title."""
    named = "one signature" if len(signatures) == 1 else f"{len(signatures)} signatures"
    head = f"{family}: a family of {named}; whoever looks into one of them starts at the same place."
    listed = (
        f"{one.id}\n{wrapped(with_blanks(one.title), width, 2)}" for one in sorted(signatures, key=lambda one: one.id)
    )
    return "\n".join((wrapped(head, width, 0), "", *listed, "", "What one of them means:\n  triage explain ID\n"))


def _sections(signature: Signature, width: int) -> Iterator[str]:
    yield wrapped(f"{signature.id}: {with_blanks(signature.title)}", width, 0)
    kind = f"{_RANKS[signature.rank]}; {_CATEGORIES[signature.category]}; family {signature.family}"
    yield wrapped(kind, width, 0)
    explain = signature.explain
    parts = (
        ("What it means", explain.what),
        ("Why it happens", explain.why),
        ("How to be sure", explain.confirm),
        ("What it is not", explain.not_this),
    )
    yield from paragraphs(((head, with_blanks(text)) for head, text in parts), width)
    yield "\nHow it is recognised"
    yield from _recognised(signature, width)
    yield from _fixes(signature, width)
    rerun = "A rerun is worth its price." if signature.retry else "A rerun alone does not help."
    yield f"\n{rerun}\n\nPatterns, parameters, conditions and references:"
    yield f"  triage explain {signature.id} --rule"


def _recognised(signature: Signature, width: int) -> Iterator[str]:
    yield from _lines("by a line such as", signature.examples_match or _texts(signature.condition), width)
    yield from _lines("but not by", signature.examples_no_match, width)
    if _in_sequence(signature.condition):
        yield wrapped("Several lines near each other make it up; one alone does not.", width)
    if scope := scope_words(signature):
        yield wrapped(f"It is looked for only in: {scope}", width)
    if signature.explains:
        shown = ", ".join(signature.explains[:_MOST_LEADS])
        more = len(signature.explains) - _MOST_LEADS
        yield wrapped(f"It leads to {shown}{f' and {more} more' if more > 0 else ''}.", width)


def _lines(head: str, examples: Iterable[str], width: int) -> Iterator[str]:
    shown = list(examples)[:_MOST_EXAMPLES]
    if shown:
        yield f"  {head}"
        yield from (f"    {_cut(one, width - 4)}" for one in shown)


def _cut(text: str, room: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= room else f"{line[: room - 1].rstrip()}…"


def _texts(condition: Condition) -> tuple[str, ...]:
    """What a matching line holds word for word."""
    match condition:
        case Contains(text=text):
            return (text,)
        case AllOf(conditions=inner) | AnyOf(conditions=inner) | Sequence(lines=inner):
            return tuple(text for one in inner for text in _texts(one))
        case NoneOf() | Regex():
            return ()


def _in_sequence(condition: Condition) -> bool:
    match condition:
        case Sequence():
            return True
        case AllOf(conditions=inner):
            return any(map(_in_sequence, inner))
        case _:
            return False


def _fixes(signature: Signature, width: int) -> Iterator[str]:
    if not signature.fixes:
        yield "\nNo fix is known."
        return
    yield "\nWhat is tried, in this order, where log and tree allow it"
    for at, fix in enumerate(signature.fixes, start=1):
        start = f"  {at}. "
        title = f"{start}{with_blanks(fix.title)} ({_kind(fix)})"
        yield textwrap.fill(title, width, subsequent_indent=" " * len(start), break_on_hyphens=False)
        said = fix.recipe.text if isinstance(fix.recipe, Advise) else fix.because
        if said and at <= _MOST_REASONS:
            yield wrapped(with_blanks(said), width, len(start))


def _kind(fix: FixStep) -> str:
    match fix.recipe:
        case Advise():
            return "advice"
        case Rerun():
            return "rerun"
        case _:
            return _APPLICABILITY[fix.applicability]


def with_blanks(text: str) -> str:
    """Captures as a person reads a blank: `{port}` becomes `<port>`."""
    return re.sub(r"\{(\w+)\}", r"<\1>", text)
