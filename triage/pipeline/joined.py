"""The results of several runs as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from triage.model.patch import Patch
from triage.model.result import CauseGroup, TriageResult


def joined(results: Sequence[TriageResult]) -> TriageResult:
    """Runs and failures one after the other; what has a number is numbered through, and equal causes are one.

    Of equal causes the first one's verdict stands, with the failures and fixes of all. At least one result.
    """
    apart = tuple(told_apart(results))
    groups: dict[str, CauseGroup] = {}
    for group in (group for result in apart for group in result.causes):
        known = groups.get(group.id)
        groups[group.id] = _together(known, group) if known else group
    return replace(
        apart[0],
        repo=apart[0].repo if len({one.repo for one in apart}) == 1 else "",
        runs=tuple(run for one in apart for run in one.runs),
        failures=tuple(failure for one in apart for failure in one.failures),
        causes=tuple(groups.values()),
        patches=tuple(patch for one in apart for patch in one.patches),
        notices=tuple(dict.fromkeys(notice for one in apart for notice in one.notices)),
    )


def _together(known: CauseGroup, more: CauseGroup) -> CauseGroup:
    return replace(known, failures=(*known.failures, *more.failures), fixes=(*known.fixes, *more.fixes))


def told_apart(results: Iterable[TriageResult]) -> Iterator[TriageResult]:
    """Each result, as it comes, with ids of patches and of failures without a job that no other one has."""
    failures = patches = 0
    for result in results:
        logs = {
            one.id: one.id if one.diagnosis.job.id else f"log-{failures + place}"
            for place, one in enumerate(result.failures, start=1)
        }
        names = {one.id: f"p{patches + place}" for place, one in enumerate(result.patches, start=1)}
        failures, patches = failures + len(logs), patches + len(names)
        yield replace(
            result,
            failures=tuple(replace(one, id=logs[one.id]) for one in result.failures),
            causes=tuple(_renamed_group(one, logs, names) for one in result.causes),
            patches=tuple(_renamed_patch(one, names) for one in result.patches),
        )


def _renamed_group(group: CauseGroup, logs: Mapping[str, str], names: Mapping[str, str]) -> CauseGroup:
    failures, fixes = (logs[one] for one in group.failures), (names[one] for one in group.fixes)
    return replace(group, failures=tuple(failures), fixes=tuple(fixes))


def _renamed_patch(patch: Patch, names: Mapping[str, str]) -> Patch:
    return replace(patch, id=names[patch.id], alternative_of=names.get(patch.alternative_of, ""))
