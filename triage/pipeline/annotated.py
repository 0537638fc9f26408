"""What signatures hold on a job's annotations: each is read like a log, as its program and as the runner prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.matching import Patterns, scan
from triage.model.log import Match, Said
from triage.model.run import Annotation, Job
from triage.sources.logs import SpooledLog

# What ended nothing.
_MILD = frozenset({"notice", "warning"})
# The runner leaves so many of a job; what other programs add has no limit.
_MOST = 50
_MOST_CHARACTERS = 4000
# A job's log holds an annotation with this before it.
_ERROR = "##[error]"


def said_in(annotations: Sequence[Annotation], patterns: Patterns, job: Job) -> tuple[Said, ...]:
    """Of the annotations that tell of a failure, each text once."""
    failures = (one for one in annotations if one.level not in _MILD)
    texts = tuple(dict.fromkeys(" ".join(filter(None, (one.title, one.message))) for one in failures))
    return tuple(Said(text, _matches(text[:_MOST_CHARACTERS], patterns, job)) for text in texts[:_MOST])


def _matches(text: str, patterns: Patterns, job: Job) -> tuple[Match, ...]:
    found: dict[str, Match] = {}
    for form in (text, f"{_ERROR}{text}"):
        for match in _in(form, patterns, job):
            found.setdefault(match.signature, match)
    return tuple(found.values())


def _in(text: str, patterns: Patterns, job: Job) -> Iterator[Match]:
    for reading in scan(SpooledLog("annotation", text.encode("utf-8", "replace")), patterns, job):
        yield from reading.matches
