"""The tables beside the signatures: knobs, distributions, models and others, each in a file of that stem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from triage.catalogue.document import Document, Path, Value, read
from triage.catalogue.findings import Finding, refuse
from triage.model.signature import Tables

_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+\Z")
_STEMS = (
    "companions",
    "distributions",
    "exports",
    "hooks",
    "images",
    "knobs",
    "models",
    "names",
    "packages",
    "plugins",
    "programs",
    "switches",
)


def tables_of(files: Mapping[str, str]) -> Tables:
    tables, findings = examine_tables(files)
    if findings:
        raise refuse(findings, "the tables are not valid")
    return tables


def examine_tables(files: Mapping[str, str]) -> tuple[Tables, tuple[Finding, ...]]:
    """What could be read, and every finding. A later file's entry replaces an earlier one of the same name."""
    findings: list[Finding] = []
    made: dict[str, dict[str, Value]] = {stem: {} for stem in _STEMS}
    for source, text in files.items():
        stem = PurePosixPath(source).stem
        document, wrong = read(text, source)
        findings += [Finding(source, finding.line, "SIG024", finding.message) for finding in wrong]
        if stem not in _STEMS:
            findings.append(Finding(source, 0, "SIG024", f"a table is one of {', '.join(_STEMS)}"))
        elif not isinstance(document.value, dict):
            findings.append(Finding(source, 1, "SIG024", "a table is a mapping"))
        else:
            wrong_shapes = list(_SHAPES[stem](document.value, document))
            findings += wrong_shapes
            if not wrong_shapes:
                made[stem] |= document.value
    return (
        Tables(
            knobs={name: _listed(dialects) for name, dialects in made["knobs"].items()},
            distributions=_listed(made["distributions"]),
            models={name: _numbers(shape) for name, shape in made["models"].items()},
            plugins={name: str(plugin) for name, plugin in made["plugins"].items()},
            programs=_listed(made["programs"]),
            packages={name: _listed(managers) for name, managers in made["packages"].items()},
            switches={
                name: {on: str(value) for on, value in _mapping(held)} for name, held in made["switches"].items()
            },
            images={
                name: {series: str(last) for series, last in _mapping(kept)} for name, kept in made["images"].items()
            },
            hooks={name: str(tag) for name, tag in made["hooks"].items()},
            names={name: _releases(kept) for name, kept in made["names"].items()},
            exports={name: _releases(kept) for name, kept in made["exports"].items()},
            companions={name: _releases(kept) for name, kept in made["companions"].items()},
        ),
        tuple(findings),
    )


def _knobs(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, dialects in value.items():
        if not isinstance(dialects, dict):
            yield _wrong(document, (name,), "a knob maps dialects to keys")
            continue
        for dialect, keys in dialects.items():
            if not _is_words(keys):
                yield _wrong(document, (name, dialect), "a key, or a list of keys")


def _distributions(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, distributions in value.items():
        if not _is_words(distributions):
            yield _wrong(document, (name,), "a distribution, or a list of distributions")


def _models(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, shape in value.items():
        if not isinstance(shape, dict):
            yield _wrong(document, (name,), "a model maps heads, kv_heads and layers to numbers")
            continue
        for key, number in shape.items():
            if not (isinstance(number, str) and number.isdecimal()):
                yield _wrong(document, (name, key), "a whole number")


def _plugins(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, plugin in value.items():
        if not isinstance(plugin, str) or not plugin:
            yield _wrong(document, (name,), "it maps to one word")


def _companions(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, kept in value.items():
        releases = kept if isinstance(kept, dict) else {}
        for release, others in releases.items():
            if not isinstance(others, dict) or not all(isinstance(one, str) and one for one in others.values()):
                yield _wrong(document, (name, release), "a release maps distributions to their releases")
        if not releases:
            yield _wrong(document, (name,), "a distribution maps its releases to those of others")


def _images(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, kept in value.items():
        for series, last in _mapping(kept):
            if not (_RELEASE.match(series) and str(last).startswith(f"{series}.") and _RELEASE.match(str(last))):
                yield _wrong(document, (name, series), "a release maps to its last patch, which begins with it")
        if not _mapping(kept):
            yield _wrong(document, (name,), "an image maps releases to their last patches")


def _names(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    said = "a dotted name maps to the release that lacks it, or has it"
    return _turns(value, document, said, lambda _, release: bool(_RELEASE.match(str(release))))


def _exports(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    said = "a release maps to the dotted names that it lacks, or has, first"
    return _turns(value, document, said, lambda release, names: bool(_RELEASE.match(release) and names))


def _turns(
    value: dict[str, Value], document: Document, said: str, is_entry: Callable[[str, Value], bool]
) -> Iterator[Finding]:
    for name, kinds in value.items():
        if not isinstance(kinds, dict) or not kinds or not set(kinds) <= {"gone", "since"}:
            yield _wrong(document, (name,), "a distribution maps `gone` and `since` to names and releases")
            continue
        for kind, entries in kinds.items():
            if not _mapping(entries) or not all(is_entry(*entry) for entry in _mapping(entries)):
                yield _wrong(document, (name, kind), said)


def _switches(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, held in value.items():
        wanted = _mapping(held)
        if not wanted or not all(isinstance(one, str) and one.lstrip("!") for _, one in wanted):
            yield _wrong(
                document, (name,), "a knob maps the knobs that decide whether it is read to what they must hold"
            )


def _packages(value: dict[str, Value], document: Document) -> Iterator[Finding]:
    for name, managers in value.items():
        known = isinstance(managers, dict) and bool(managers) and set(managers) <= {"apt", "dnf", "apk"}
        if not known or not isinstance(managers, dict) or not all(map(_is_words, managers.values())):
            yield _wrong(document, (name,), "what is missing maps apt, dnf and apk to their packages")


_SHAPES: dict[str, Callable[[dict[str, Value], Document], Iterator[Finding]]] = {
    "knobs": _knobs,
    "distributions": _distributions,
    "models": _models,
    "plugins": _plugins,
    "programs": _distributions,
    "packages": _packages,
    "companions": _companions,
    "exports": _exports,
    "hooks": _plugins,
    "images": _images,
    "names": _names,
    "switches": _switches,
}


def _mapping(value: Value) -> list[tuple[str, Value]]:
    return list(value.items()) if isinstance(value, dict) else []


def _is_words(value: Value) -> bool:
    words = value if isinstance(value, list) else [value]
    return bool(words) and all(isinstance(word, str) and word for word in words)


def _listed(value: Value) -> dict[str, tuple[str, ...]]:
    entries = value if isinstance(value, dict) else {}
    return {
        name: tuple(str(word) for word in (words if isinstance(words, list) else [words]))
        for name, words in entries.items()
    }


def _numbers(value: Value) -> dict[str, int]:
    return {key: int(str(number)) for key, number in value.items()} if isinstance(value, dict) else {}


def _releases(value: Value) -> dict[str, dict[str, str]]:
    kept = value if isinstance(value, dict) else {}
    return {
        release: {name: str(one) for name, one in others.items()}
        for release, others in kept.items()
        if isinstance(others, dict)
    }


def _wrong(document: Document, path: Path, message: str) -> Finding:
    return Finding(document.source, document.line(path), "SIG024", f"`{'.'.join(map(str, path))}`: {message}")
