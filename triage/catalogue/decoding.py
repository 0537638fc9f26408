"""From the text of a file to a frozen signature: every finding of the file at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, get_args

from pydantic import ValidationError

from triage.catalogue.document import Document, Path, read
from triage.catalogue.findings import CHECKS, Finding, refuse
from triage.catalogue.lint import inspect
from triage.catalogue.schema import (
    RECIPE,
    ConditionFile,
    FixFile,
    LeafFile,
    ReferenceFile,
    SequenceFile,
    SignatureFile,
)
from triage.catalogue.wrong import said
from triage.model.recipe import Advise, Recipe
from triage.model.signature import (
    AllOf,
    AnyOf,
    Condition,
    Contains,
    Explain,
    FixStep,
    NoneOf,
    Reference,
    Regex,
    Scope,
    Sequence,
    Signature,
)

# Far above any signature; keeps a hostile repository's folder from costing time.
MAX_CHARACTERS = 64 * 1024
# More than the built-in files, so that going through them all again finds every one.
_REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class Examined:
    """One file: its signature where it could be made at all, its positions, and every finding."""

    signature: Signature | None
    document: Document
    findings: tuple[Finding, ...]


def signature_of(text: str, source: str) -> Signature:
    """Raises CatalogueError that lists every finding which makes the signature unfit for use."""
    seen = examine(text, source)
    fatal = [finding for finding in seen.findings if CHECKS[finding.check].leaves_out]
    if seen.signature is None or fatal:
        raise refuse(fatal, f"{source} is not a valid signature")
    return seen.signature


@lru_cache(maxsize=_REMEMBERED)
def examine(text: str, source: str, linted: bool = True) -> Examined:
    """Decode and, unless it was done before, lint one file on its own. Never raises on any text.

    The same text is examined once: checking a folder looks at the built-in files, and assembles them too.
    """
    if len(text) > MAX_CHARACTERS:
        return Examined(
            None, Document(source, {}), (Finding(source, 0, "SIG025", f"more than {MAX_CHARACTERS} characters"),)
        )
    document, findings = read(text, source)
    if findings and document.value == {}:
        return Examined(None, document, findings)
    try:
        file = SignatureFile.model_validate(document.value)
    except ValidationError as fault:
        return Examined(None, document, (*findings, *_findings(fault, document), *_recipe_findings(document)))
    recipes = _recipe_findings(document)
    if recipes:
        return Examined(None, document, (*findings, *recipes))
    signature = _signature(file, PurePosixPath(source).stem, source)
    return Examined(signature, document, (*findings, *(inspect(signature, document) if linted else ())))


def _signature(file: SignatureFile, stem: str, source: str) -> Signature:
    return Signature(
        id=stem,
        title=file.title,
        owner=file.owner,
        family=file.family,
        category=file.category,
        severity=file.severity,
        rank=file.rank,
        status=file.status,
        condition=_condition(file.match),
        explain=Explain(**{name: _flowed(value) for name, value in file.explain.model_dump().items()}),
        scope=Scope(**{name: tuple(globs) for name, globs in file.scope.model_dump().items()}),
        occurrence=file.occurrence,
        printed_by=file.printed_by,
        fingerprint=tuple(file.fingerprint),
        explains=tuple(file.explains),
        fixes=tuple(_fix(fix) for fix in file.fixes),
        retry=file.retry,
        certain=file.certain,
        added=file.added or "",
        review_by=file.review_by or "",
        renamed_from=tuple(file.renamed_from),
        references=tuple(_reference(reference) for reference in file.references),
        examples_match=tuple(file.examples.match),
        examples_no_match=tuple(file.examples.no_match),
        source=source,
    )


def _condition(file: ConditionFile) -> Condition:
    if file.all_ is not None:
        return AllOf(tuple(map(_condition, file.all_)))
    if file.any_ is not None:
        return AnyOf(tuple(map(_condition, file.any_)))
    if file.none is not None:
        return NoneOf(tuple(map(_condition, file.none)))
    if file.sequence is not None:
        return _sequence(file.sequence)
    return _leaf(file)


def _sequence(file: SequenceFile) -> Sequence:
    return Sequence(tuple(map(_leaf, file.lines)), file.within_lines, file.evidence)


def _leaf(file: ConditionFile | LeafFile) -> Contains | Regex:
    if file.contains is not None:
        return Contains(file.contains, file.anywhere)
    return Regex(file.regex or "", file.anywhere)


def _fix(file: FixFile) -> FixStep:
    recipe = RECIPE.validate_python({**file.with_, "recipe": file.recipe})
    if isinstance(recipe, Advise):
        recipe = replace(recipe, text=_flowed(recipe.text))
    return FixStep(
        title=_flowed(file.title),
        recipe=recipe,
        when={fact: tuple(globs) for fact, globs in file.when.items()},
        applicability=file.applicability,
        because=_flowed(file.because),
        costs=tuple(map(_flowed, file.costs)),
        expires=file.expires,
    )


def _reference(file: ReferenceFile) -> Reference:
    return Reference(role=file.role, target=file.target)


def _flowed(prose: str) -> str:
    """Prose without the file's own line breaks."""
    return " ".join(prose.split())


def _recipe_findings(document: Document) -> tuple[Finding, ...]:
    """Wrong recipes and arguments, wherever the file has a fix that is a mapping."""
    fixes = document.value.get("fixes") if isinstance(document.value, dict) else None
    found: list[Finding] = []
    for at, fix in enumerate(fixes if isinstance(fixes, list) else []):
        if isinstance(fix, dict) and isinstance(fix.get("recipe"), str):
            found += _one_recipe(fix, at, document)
    return tuple(found)


def _one_recipe(fix: dict[str, Any], at: int, document: Document) -> Iterator[Finding]:
    arguments = fix.get("with", {})
    if not isinstance(arguments, dict):
        return
    if "recipe" in arguments:
        line = document.line(("fixes", at, "with", "recipe"))
        yield Finding(document.source, line, "SIG010", "`recipe` stands beside `with`, not inside it")
        return
    try:
        _: Recipe = RECIPE.validate_python({**arguments, "recipe": fix["recipe"]})
    except ValidationError as fault:
        for error in fault.errors(include_url=False):
            # The union's tag leads the path; it is no key of the file.
            inside = tuple(error["loc"][1:])
            known = error["type"] != "union_tag_invalid"
            path: Path = ("fixes", at, "with", *inside) if known else ("fixes", at, "recipe")
            words = said(error, inside, _arguments(fix["recipe"])) if known else said(error, ("recipe",))
            yield Finding(document.source, document.line(path), "SIG010", words)


def _arguments(recipe: str) -> Iterator[str]:
    """The names of what a recipe takes."""
    for kind in get_args(Recipe):
        names = {one.name: one.default for one in fields(kind)}
        if names.pop("recipe") == recipe:
            yield from names


def _findings(fault: ValidationError, document: Document) -> Iterator[Finding]:
    for error in fault.errors(include_url=False):
        path = tuple(error["loc"])
        yield Finding(document.source, document.line(path), _check(error["type"], path), said(error, path, _keys(path)))


def _keys(path: Path) -> Iterator[str]:
    """The keys of the whole file; what else a key inside it may be called, its own error does not tell."""
    return (field.alias or name for name, field in SignatureFile.model_fields.items() if len(path) == 1)


def _check(kind: str, path: Path) -> str:
    if kind == "extra_forbidden":
        return "SIG001"
    return "SIG003" if path == ("owner",) else "SIG000"
