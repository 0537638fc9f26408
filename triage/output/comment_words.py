"""Sentences of the comment: counts by verdict, shards of a job, rates, since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from triage.model.diagnosis import VerdictValue
from triage.model.evidence import Breakage, Observation, Record
from triage.model.finding import Rate
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import words
from triage.output.links import link
from triage.output.markdown import code, prose
from triage.output.plain import count

# The gravest first.
_COUNTED = {
    VerdictValue.YOURS: "likely yours",
    VerdictValue.UNKNOWN: "not classified",
    VerdictValue.TRUNK: "broken on the base branch",
    VerdictValue.FLAKE: "known flake",
    VerdictValue.INFRA: "infrastructure",
}
_MUTED = "muted"
_COMMITS = 5


def headline(result: TriageResult) -> str:
    """`3 jobs failed: 1 likely yours, 1 known flake, 1 infrastructure`."""
    found = Counter(_verdict_of(failure, result.causes) for failure in result.failures)
    parts = [f"{found[said]} {said}" for said in (*_COUNTED.values(), _MUTED) if found[said]]
    return f"{count(len(result.failures), 'job')} failed: {', '.join(parts)}"


def _verdict_of(failure: Failure, groups: Sequence[CauseGroup]) -> str:
    """A job with several causes counts as the gravest of them that is not muted."""
    of_job = [group for group in groups if failure.id in group.failures]
    heard = {group.verdict.value for group in of_job if not group.muted}
    if of_job and not heard:
        return _MUTED
    return next((said for value, said in _COUNTED.items() if value in heard), _COUNTED[VerdictValue.UNKNOWN])


def jobs(failures: Sequence[Failure], most: int = 6) -> str:
    """`` `train` ×4, `lint` ``: shards of a matrix are one job; the first one's page is linked."""
    shards: dict[str, list[Failure]] = {}
    for failure in failures:
        shards.setdefault(_without_matrix(words.job_name(failure)), []).append(failure)
    named = []
    for name, members in list(shards.items())[:most]:
        shown = words.job_name(members[0]) if len(members) == 1 else name
        times = f" ×{len(members)}" if len(members) > 1 else ""
        named.append(link(code(shown), members[0].diagnosis.job.url) + times)
    more = len(shards) - most
    return ", ".join(named) + (f" and {count(more, 'more job')}" if more > 0 else "")


def _without_matrix(name: str) -> str:
    head, opened, _ = name.partition(" (")
    return head if opened and name.rstrip().endswith(")") else name


def rate(one: Rate) -> str:
    """`3 of 40 (8 %, 95 % interval 3 to 20 %)`; under the minimum, that it is too little data."""
    counted = f"{one.k} of {one.n}"
    if not one.enough or one.value is None:
        return f"{counted} (too little data for a rate)"
    return f"{counted} ({_percent(one.value)}, 95 % interval {_percent(one.low)} to {_percent(one.high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def since(found: Breakage, base_ref: str) -> Iterator[str]:
    """Since when the base branch fails, and what came in between."""
    red = _seen(found.red)
    if found.green is None:
        yield f"{code(base_ref)} fails at least since {red}; no run before it that was looked at passed"
        return
    yield f"{code(base_ref)} fails since {red}; the last one that passed is {_seen(found.green)}"
    if found.commits:
        named = [f"{code(one.sha[:9])} {code(one.title)}" for one in found.commits[-_COMMITS:]]
        more = len(found.commits) - len(named)
        others = f" and {'many' if found.more else more} more" if more or found.more else ""
        yield f"in between: {', '.join(named)}{others}"


def _seen(one: Observation) -> str:
    return link(prose(one.label), one.url)


def record(found: Record) -> Iterator[str]:
    """What the history holds of the cause, with n."""
    if found.failures:
        where = f", {count(found.pulls, 'other pull request')} among them" if found.pulls else ""
        yield f"seen {count(found.failures, 'time')} in {found.days} days{where}"
    if found.on_base.n:
        yield f"runs of this job on the base branch that failed with it: {rate(found.on_base)}"
    if found.reruns.n:
        yield f"reruns that passed: {rate(found.reruns)}"


def evidence(group: CauseGroup) -> str:
    """Every observation behind the verdict, each with where to see it."""
    return "; ".join(
        f"{prose(one.text)} ({link('see', one.url)})" if one.url else prose(one.text)
        for one in group.verdict.evidence[:10]
    )


def owner(group: CauseGroup) -> str:
    """The signature's owner, and who owns the workflow: in code, so that nobody is pinged."""
    named = dict.fromkeys(one for one in (group.owner, *group.code_owners[:3]) if one)
    return ", ".join(map(code, named))
