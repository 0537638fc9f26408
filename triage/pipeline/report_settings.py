"""What the catalogue and the configuration add to a report's counts: titles, owners, issues, fixes and end dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from triage.flakiness.intervals import MINIMUM_N
from triage.model.configuration import Configuration, RunnerLabel
from triage.model.fix import Deadline
from triage.model.signature import Catalogue
from triage.pipeline.group import fill
from triage.pipeline.price import unit_price


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalogue and the configuration say of a signature. `fix` is the first rung of its ladder."""

    title: str
    owner: str = ""
    issue: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """`known`: every signature of the catalogue. `deadlines`: end dates that others know of, fixes excepted."""

    known: Mapping[str, Known] = field(default_factory=dict)
    deadlines: tuple[Deadline, ...] = ()
    minimum: int = MINIMUM_N
    catalogue_version: str = ""
    runners: tuple[RunnerLabel, ...] = ()
    currency: str = ""

    def price_of(self, pool: str) -> float:
        """What a GPU-hour of a pool costs by today's configuration; 0: not said. A pool is named by its labels."""
        return unit_price((pool, *pool.split()), self.runners)

    @classmethod
    def of(cls, catalogue: Catalogue, configuration: Configuration, today: date) -> ReportSettings:
        issues = {known.signature: known.url for known in configuration.known_issues}
        known = {
            signature.id: Known(
                title=fill(signature.title, {}),
                owner=configuration.owner_of(signature.owner),
                issue=issues.get(signature.id, ""),
                fix=fill(signature.fixes[0].title, {}) if signature.fixes else "",
            )
            for signature in catalogue.signatures.values()
        }
        deadlines = (*_mutes(configuration, today), *_reviews(catalogue, today))
        return cls(
            known,
            deadlines,
            configuration.minimum_n,
            catalogue.version,
            configuration.runners,
            configuration.currency,
        )


def _mutes(configuration: Configuration, today: date) -> Sequence[Deadline]:
    return [
        Deadline("known issue", issue.signature, issue.url, issue.until, (today - issue.until).days)
        for issue in configuration.known_issues
        if issue.until is not None
    ]


def _reviews(catalogue: Catalogue, today: date) -> Sequence[Deadline]:
    """Signatures whose day of review has passed."""
    found = []
    for signature in catalogue.signatures.values():
        if signature.review_by and date.fromisoformat(signature.review_by) < today:
            until = date.fromisoformat(signature.review_by)
            overdue = (today - until).days
            found.append(Deadline("signature", signature.id, signature.source, until, overdue, signature.owner))
    return found
