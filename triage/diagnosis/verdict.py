"""Whose failure is it? A pure judgement over the evidence that the pipeline fetched."""

from __future__ import annotations

from triage.model.diagnosis import Evidence, Verdict, VerdictValue
from triage.model.log import Confidence
from triage.model.signature import Category


def judge_without_base(category: Category) -> Verdict:
    """What may be said before anything is known of the base branch: `infra` by the signature's category, never `yours`."""
    if category is Category.INFRA:
        said = Evidence("the cause lies in runners, network or services by its nature")
        return Verdict(VerdictValue.INFRA, (said,), Confidence.MEDIUM)
    return Verdict(VerdictValue.UNKNOWN, (Evidence("no base evidence"),), Confidence.LOW)
