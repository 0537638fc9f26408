"""The catalogue as people read it: one signature explained, and the generated page of all of them. Pure text."""

from __future__ import annotations

import dataclasses
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator

from triage.model.recipe import Advise, Recipe
from triage.model.signature import (
    AllOf,
    AnyOf,
    Catalogue,
    Condition,
    Contains,
    FixStep,
    NoneOf,
    Regex,
    Sequence,
    Signature,
    Status,
)


def explanation(signature: Signature, width: int = 100) -> str:
    """What `triage explain <id> --rule` prints: everything the file says; prose in `width` columns."""
    return "\n".join(_sections(signature, width)) + "\n"


def _sections(signature: Signature, width: int) -> Iterator[str]:
    yield signature.id
    yield signature.title
    yield ""
    facts = (
        f"family {signature.family} | {signature.category} | severity {signature.severity} | {signature.rank} | "
        f"{signature.status} | owner {signature.owner}"
    )
    yield wrapped(facts, width, 0)
    explain = signature.explain
    yield from paragraphs(
        (
            ("What", explain.what),
            ("Why", explain.why),
            ("How to be sure", explain.confirm),
            ("What it is not", explain.not_this),
        ),
        width,
    )
    yield "\nMatches when"
    yield from (f"  {line}" for line in condition_lines(signature.condition))
    if scope := scope_words(signature):
        yield f"  only for {scope}"
    if signature.explains:
        yield "\nLeads to"
        yield wrapped(", ".join(signature.explains), width)
    yield "\nFixes, best first" if signature.fixes else "\nNo fix is known."
    for at, fix in enumerate(signature.fixes, start=1):
        yield from _fix(at, fix, width)
    yield f"\nRerun: {'worth its price' if signature.retry else 'does not help'}"
    if signature.references:
        yield "\nReferences"
        yield from (f"  {reference.role}: {reference.target}" for reference in signature.references)


def condition_lines(condition: Condition, indent: int = 0) -> Iterator[str]:
    space = "  " * indent
    match condition:
        case Contains(text, anywhere):
            yield f"{space}the line holds: {text}{_anywhere(anywhere)}"
        case Regex(pattern, anywhere):
            yield f"{space}the line fits: {pattern}{_anywhere(anywhere)}"
        case AllOf(conditions):
            yield f"{space}all of"
            yield from _inner(conditions, indent)
        case AnyOf(conditions):
            yield f"{space}any of"
            yield from _inner(conditions, indent)
        case NoneOf(conditions):
            yield f"{space}none of"
            yield from _inner(conditions, indent)
        case Sequence(lines, within):
            yield f"{space}in this order, within {within} lines"
            yield from _inner(lines, indent)


def _inner(conditions: Iterable[Condition], indent: int) -> Iterator[str]:
    for inner in conditions:
        yield from condition_lines(inner, indent + 1)


def _anywhere(anywhere: bool) -> str:
    return " (in any stream)" if anywhere else ""


def scope_words(signature: Signature) -> str:
    """`platform cuda or rocm; job e2e*`; "" for a signature of everything."""
    parts = ((field.name, getattr(signature.scope, field.name)) for field in dataclasses.fields(signature.scope))
    return "; ".join(f"{name} {' or '.join(globs)}" for name, globs in parts if globs)


def _fix(at: int, fix: FixStep, width: int) -> Iterator[str]:
    yield textwrap.fill(
        f"{at}. {fix.title} [{fix.recipe.recipe}, {fix.applicability}]",
        width,
        initial_indent="  ",
        subsequent_indent="     ",
        break_on_hyphens=False,
    )
    if arguments := _arguments(fix.recipe):
        yield wrapped(arguments, width, 5)
    if fix.when:
        yield wrapped(
            "when " + "; ".join(f"{fact} is {' or '.join(globs)}" for fact, globs in fix.when.items()), width, 5
        )
    if fix.because:
        yield wrapped(fix.because, width, 5)
    for cost in fix.costs:
        yield wrapped(f"costs: {cost}", width, 5)


def _arguments(recipe: Recipe) -> str:
    if isinstance(recipe, Advise):
        return recipe.text
    given = (
        (field.name, getattr(recipe, field.name))
        for field in dataclasses.fields(recipe)
        if field.name not in ("recipe", "together") and getattr(recipe, field.name) != field.default
    )
    return ", ".join(f"{name}: {value if isinstance(value, str | int) else ' '.join(value)}" for name, value in given)


def paragraphs(parts: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Each text below its head; nothing of those without a text."""
    for head, text in parts:
        if text:
            yield f"\n{head}"
            yield wrapped(text, width)


def wrapped(text: str, width: int, indent: int = 2) -> str:
    """Prose in `width` columns, each row `indent` blanks in."""
    space = " " * indent
    return textwrap.fill(text, width, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)


def page(catalogue: Catalogue) -> str:
    """The generated Markdown page: signatures by family, each with what it means. The same catalogue, the same page."""
    families: dict[str, list[Signature]] = defaultdict(list)
    for signature in catalogue.signatures.values():
        families[signature.family].append(signature)
    stable = sum(signature.status is Status.STABLE for signature in catalogue.signatures.values())
    lines = [
        "# Catalogue",
        "",
        "Generated by `triage signatures page`; a test compares it with `signatures/`. Do not edit it by hand.",
        "",
        (
            f"{len(catalogue.signatures)} signatures in {len(families)} families, {stable} of them stable. "
            "`triage explain <id>` explains one; with `--rule` it prints all that the file says."
        ),
    ]
    for family, signatures in sorted(families.items()):
        lines += ["", f"## {family}", "", "| signature | rank | status | what it means |", "|---|---|---|---|"]
        lines += [_row(signature) for signature in sorted(signatures, key=lambda one: one.id)]
    return "\n".join(lines) + "\n"


def _row(signature: Signature) -> str:
    return f"| `{signature.id}` | {signature.rank} | {signature.status} | {_cell(signature.explain.what)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
