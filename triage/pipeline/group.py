"""Puts the same cause over jobs together, so that one result gives it one verdict and one set of fixes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Protocol

from triage.diagnosis.verdict import judge_without_base
from triage.model.configuration import Configuration, KnownIssue
from triage.model.diagnosis import Cause
from triage.model.result import CauseGroup, Failure, Mute
from triage.model.signature import Catalogue, Explain, Rank


class Judge(Protocol):
    """From a cause over its jobs to the same with more said of it."""

    def __call__(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        """Whose failure it is."""
        ...

    def since(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        """Since when the base branch fails. Asked after all causes were judged."""
        ...


# Families whose messages are the program's own: without a fingerprint two of them are not the same failure.
_GENERIC_FAMILIES = frozenset(
    {"code-error", "pytest-failure", "numeric-mismatch", "lint-failure", "config-error", "segfault", "hang"}
)


_CANCELLED = "ci-cancelled"


def is_generic(group: CauseGroup, catalogue: Catalogue) -> bool:
    """Whether the cause's id cannot tell two failures apart, so that it must neither excuse nor be compared."""
    signature = catalogue.signatures.get(group.signature)
    if signature is None or signature.rank is not Rank.ROOT:
        return True
    return group.family in _GENERIC_FAMILIES and not signature.fingerprint


def group_causes(
    failures: Sequence[Failure], catalogue: Catalogue, configuration: Configuration, today: date | None = None
) -> tuple[CauseGroup, ...]:
    """One group per cause id, the most widespread first, then in the order of the jobs; not yet judged. What was only
    cancelled comes last: another job's failure may have ended it.

    `today` (in UTC, None: now) decides which mutes are over.
    """
    day = today or datetime.now(UTC).date()
    members: dict[str, list[str]] = {}
    first: dict[str, Cause] = {}
    for failure, cause in _causes(failures):
        first.setdefault(cause.id, cause)
        members.setdefault(cause.id, []).append(failure.id)
    groups = [_group(first[cause_id], ids, catalogue, configuration, day) for cause_id, ids in members.items()]
    return tuple(sorted(groups, key=lambda group: (group.family == _CANCELLED, -len(group.failures))))


def _causes(failures: Iterable[Failure]) -> Iterable[tuple[Failure, Cause]]:
    for failure in failures:
        for cause in failure.diagnosis.causes:
            yield failure, cause


def mute_of(known: KnownIssue | None, today: date) -> Mute | None:
    if known is None or not known.mute:
        return None
    return Mute(known.until, known.url, expired=known.until is not None and known.until < today)


def _group(cause: Cause, ids: list[str], catalogue: Catalogue, configuration: Configuration, today: date) -> CauseGroup:
    signature = catalogue.signatures.get(cause.signature)
    explain = signature.explain if signature else Explain("")
    known = next((one for one in configuration.known_issues if one.signature == cause.signature), None)
    return CauseGroup(
        id=cause.id,
        signature=cause.signature,
        family=cause.family,
        title=cause.title,
        failures=tuple(dict.fromkeys(ids)),
        verdict=judge_without_base(cause.category, cause.confidence),
        owner=configuration.owner_of(signature.owner) if signature else "",
        known_issue=known.url if known else "",
        mute=mute_of(known, today),
        what=fill(explain.what, cause.captures),
        why=fill(explain.why, cause.captures),
        confirm=fill(explain.confirm, cause.captures),
        not_this=fill(explain.not_this, cause.captures),
        retry=signature.retry if signature else False,
    )


# Captures that are things, which a sentence can name with an article; unless what stands before makes that wrong.
_NOUNS = """
    argument callable command distribution file host image key library module name package path program repository
    requirement runner step switch symbol test word
"""
_THINGS = frozenset(_NOUNS.split())
_BEFORE = "a an any another each every its no one that the this uncaught installed environment"
_NO_ARTICLE = frozenset(_BEFORE.split())
_BLANK = re.compile(r"(?P<aside> \(\{(?P<inner>\w+)\}\))|(?P<before>\b\w+ )?\{(?P<name>\w+)\}")


def fill(text: str, captures: Mapping[str, str]) -> str:
    """`{name}` replaced by its capture. One that was not captured stays readable: things get an article, what stands in
    brackets or behind a colon at the end goes, and what was said just before is not said again."""

    def value(found: re.Match[str]) -> str:
        if found["aside"]:
            known = captures.get(found["inner"], "")
            return f" ({known})" if known else ""
        before, name = found["before"] or "", found["name"]
        return before + captures[name] if captures.get(name) else _without(before, name, found.start() == 0)

    ended = re.sub(r":\s+\{(\w+)\}\Z", lambda found: found[0] if captures.get(found[1]) else ".", text)
    return _BLANK.sub(value, ended)


def _without(before: str, name: str, at_start: bool) -> str:
    said = before.strip().lower()
    if said == name.lower():
        return before.rstrip()
    if name not in _THINGS or said in _NO_ARTICLE:
        return before + name
    article = "an" if name[0] in "aeiou" else "a"
    return f"{article.capitalize() if at_start and not before else before + article} {name}"
