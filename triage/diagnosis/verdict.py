"""Whose failure is it? A pure judgement over what the pipeline found, with a guard for every way to be wrong.

What the verdicts rest on, strongest first:

    flake   the same job passed in a later attempt of the same tested commit, or the base branch shows the same cause
            and passes in between
    trunk   every run of the base branch that counts fails with the same cause
    infra   the signature's category, where the cause is not only guessed
    yours   the base branch passes, and the change touches what fails (or nobody else has the cause)

Never an excuse: the same pull request, its stack, its reverts or its author; a base run that holds the change; a job
that did not run on the base; a cause whose captures cannot tell two failures apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.model.diagnosis import Evidence, Verdict, VerdictValue
from triage.model.evidence import Findings, Observation, Sight, Subject
from triage.model.log import Confidence
from triage.model.signature import Category

# With fewer passing runs of the base branch "the base passes" says too little to blame a change.
ENOUGH_BASE_RUNS = 3


_BY_NATURE = {
    Confidence.HIGH: "the cause lies in runners, network or services by its nature",
    Confidence.MEDIUM: "such a cause mostly lies in runners, network or services",
    Confidence.LOW: "it is not sure that this is the cause, which would lie in runners, network or services",
}


def judge_without_base(category: Category, sure: Confidence) -> Verdict:
    """What may be said before anything is known of the base branch: `infra` by category, never `yours`.

    `sure`: how sure it is that this is the cause at all.
    """
    unknown = Verdict(VerdictValue.UNKNOWN, (Evidence("no base evidence"),), Confidence.LOW)
    return _infra(category, sure) or unknown


def judge(
    category: Category, generic: bool, subject: Subject, findings: Findings, sure: Confidence = Confidence.HIGH
) -> Verdict:
    """The verdict on one cause, with every observation that speaks for it and what could not be looked up.

    `sure`: how sure it is that this is the cause at all.
    """
    verdict = (
        _flake_by_rerun(subject, findings)
        or _by_base(generic, findings)
        or _infra(category, sure)
        or _on_base(subject)
        or _by_others(generic, subject, findings)
        or _yours(subject, findings)
        or _unknown(generic, findings)
    )
    missing = tuple(Evidence(sentence) for sentence in findings.missing)
    return Verdict(verdict.value, (*verdict.evidence, *missing), verdict.confidence)


def is_settled(generic: bool, base: Sequence[Observation]) -> bool:
    """Whether older runs of the base branch would not change a verdict: `base` holds the newest ones.

    One that shows the same cause is enough, so are ENOUGH_BASE_RUNS that passed when none of the newest failed.
    """
    runs = _counting(base)
    if not generic and any(seen.sight is Sight.SAME_CAUSE for seen in runs):
        return True
    return len(runs) >= ENOUGH_BASE_RUNS and all(seen.sight is Sight.PASSED for seen in runs)


def passed_later(subject_sha: str, attempts: Sequence[Observation]) -> bool:
    """Whether a later attempt of the same commit passed: nothing else is stronger."""
    return bool(subject_sha) and any(seen.sha == subject_sha and seen.sight is Sight.PASSED for seen in attempts)


def _flake_by_rerun(subject: Subject, findings: Findings) -> Verdict | None:
    same = [seen for seen in findings.attempts if seen.sha and seen.sha == subject.tested_sha]
    passed = [seen for seen in same if seen.sight is Sight.PASSED]
    if not passed:
        return None
    said = Evidence(f"{passed[0].label} of the same commit passed", passed[0].url)
    return Verdict(VerdictValue.FLAKE, (said,), Confidence.HIGH)


def _by_base(generic: bool, findings: Findings) -> Verdict | None:
    """Trunk when the base fails the same way each time, flake when it does so now and then."""
    runs = _counting(findings.base)
    same = [seen for seen in runs if seen.sight is Sight.SAME_CAUSE]
    if generic or not same:
        return None
    said = Evidence(f"{len(same)} of {len(runs)} runs of the base branch show the same cause", same[0].url)
    passed = [seen for seen in runs if seen.sight is Sight.PASSED]
    if not passed:
        confidence = Confidence.HIGH if len(same) > 1 else Confidence.MEDIUM
        return Verdict(VerdictValue.TRUNK, (said,), confidence)
    if runs[0].sight is Sight.SAME_CAUSE and runs.index(passed[0]) == len(same):
        # Newest first: failures since a point, passes before it. That is a breakage, not a coin.
        since = Evidence(f"the last one that passed is {passed[0].label}", passed[0].url)
        return Verdict(VerdictValue.TRUNK, (said, since), Confidence.HIGH if len(same) > 1 else Confidence.MEDIUM)
    between = Evidence(f"{len(passed)} of them passed in between", passed[0].url)
    return Verdict(VerdictValue.FLAKE, (said, between), Confidence.MEDIUM)


def _infra(category: Category, sure: Confidence) -> Verdict | None:
    """By the cause's nature, as far as the cause itself is sure: one that is only guessed excuses and blames nobody."""
    if category is not Category.INFRA:
        return None
    said = (Evidence(_BY_NATURE[sure]),)
    if sure is Confidence.LOW:
        return Verdict(VerdictValue.UNKNOWN, said, Confidence.LOW)
    return Verdict(VerdictValue.INFRA, said, Confidence.MEDIUM)


def _on_base(subject: Subject) -> Verdict | None:
    if not subject.on_base:
        return None
    return Verdict(VerdictValue.TRUNK, (Evidence("this run is of the base branch itself"),), Confidence.MEDIUM)


def _by_others(generic: bool, subject: Subject, findings: Findings) -> Verdict | None:
    others = [seen for seen in findings.pulls if seen.sight is Sight.SAME_CAUSE and _may_excuse(seen, subject)]
    if generic or not others:
        return None
    numbers = sorted({seen.pull for seen in others})
    named = ", ".join(f"#{number}" for number in numbers[:5])
    count = f"{len(numbers)} other pull request{'s' if len(numbers) != 1 else ''} by other people"
    said = Evidence(f"{count} ({named}) failed with the same cause", others[0].url)
    touched = tuple(Evidence(sentence) for sentence in findings.touched)
    if touched:
        return Verdict(VerdictValue.UNKNOWN, (said, *touched), Confidence.LOW)
    confidence = Confidence.MEDIUM if len(numbers) > 1 else Confidence.LOW
    return Verdict(VerdictValue.FLAKE, (said,), confidence)


def _yours(subject: Subject, findings: Findings) -> Verdict | None:
    if not subject.pull:
        return None
    runs = _counting(findings.base)
    passed = [seen for seen in runs if seen.sight is Sight.PASSED]
    clean = bool(passed) and len(passed) == len(runs)
    touched = tuple(Evidence(sentence) for sentence in findings.touched)
    if not clean or (len(passed) < ENOUGH_BASE_RUNS and not touched):
        return None
    base = Evidence(f"{len(passed)} of {len(runs)} runs of the base branch passed this job", passed[0].url)
    confidence = Confidence.HIGH if touched and len(passed) >= ENOUGH_BASE_RUNS else Confidence.MEDIUM
    if findings.pulls_unseen:
        # Others may have the cause too.
        confidence = Confidence.LOW
    return Verdict(VerdictValue.YOURS, (base, *touched), confidence)


def _unknown(generic: bool, findings: Findings) -> Verdict:
    return Verdict(VerdictValue.UNKNOWN, tuple(_why_unknown(generic, findings)), Confidence.LOW)


def _why_unknown(generic: bool, findings: Findings) -> Iterator[Evidence]:
    runs = _counting(findings.base)
    if not findings.base:
        yield Evidence("no base evidence")
    elif all(seen.sight is Sight.DID_NOT_RUN for seen in findings.base):
        yield Evidence("the job did not run on the base branch")
    elif not runs:
        yield Evidence("every run of the base branch that was found holds this change")
    else:
        passed = sum(seen.sight is Sight.PASSED for seen in runs)
        yield Evidence(f"{passed} of {len(runs)} runs of the base branch passed this job", runs[0].url)
    if generic:
        yield Evidence("the message is too general to be compared with other failures")


def _counting(base: Sequence[Observation]) -> list[Observation]:
    """Runs of the base branch count whoever wrote them, unless they hold the change or did not run the job."""
    return [seen for seen in base if not seen.holds_change and seen.sight is not Sight.DID_NOT_RUN]


def _may_excuse(seen: Observation, subject: Subject) -> bool:
    own = seen.pull == subject.pull or seen.pull in subject.kin
    same_author = bool(seen.author) and seen.author.lower() == subject.author.lower()
    return not own and not same_author and not seen.holds_change
