"""Did the merged fixes hold? Each fix of the ledger against what ran since, what logs show, and the tree as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from triage.flakiness.exact import fisher_less
from triage.flakiness.intervals import MINIMUM_N, rate
from triage.model.fix import FixRow, Held, Presence
from triage.model.outcome import FixRecord, FixState
from triage.storage.database import History
from triage.storage.ledger import Trial, all_fixes, trial

# How long before the merge the old rate is measured.
BASELINE = timedelta(days=28)
LEVEL = 0.05


class Inspection(Protocol):
    """Where a fix can be seen. Both answer UNKNOWN when they cannot look."""

    def in_log(self, fix: FixRecord, job_id: int) -> Presence:
        """Whether the log of this job shows what the fix set."""
        ...

    def in_tree(self, fix: FixRecord) -> Presence:
        """Whether the branch's files as they are still pass the setting through to the program."""
        ...


class NoInspection:
    """Looks nowhere: the history alone."""

    def in_log(self, fix: FixRecord, job_id: int) -> Presence:
        return Presence.UNKNOWN

    def in_tree(self, fix: FixRecord) -> Presence:
        return Presence.UNKNOWN


def verify(
    history: History, now: datetime, inspection: Inspection | None = None, minimum: int = MINIMUM_N
) -> tuple[FixRow, ...]:
    """Every fix of the ledger, the ones that need somebody first."""
    look = inspection or NoInspection()
    order = list(Held)
    urgent = {held: place for place, held in enumerate((Held.DEAD, Held.FAILED, *order))}
    rows = [_row(history, fix, now, look, minimum) for fix in all_fixes(history)]
    return tuple(sorted(rows, key=lambda row: (urgent[row.held], row.proposed, row.id)))


def _row(history: History, fix: FixRecord, now: datetime, look: Inspection, minimum: int) -> FixRow:
    merged = fix.merged_at or fix.proposed_at
    before = trial(history, fix, _at(merged - BASELINE), _at(merged))
    running = fix.state is FixState.MERGED and fix.merged_at is not None
    after = trial(history, fix, _at(merged) + 1, _at(now)) if running else Trial(0, 0, 0, 0, 0)
    in_log = look.in_log(fix, after.newest_job) if after.newest_job else Presence.UNKNOWN
    in_tree = look.in_tree(fix) if running else Presence.UNKNOWN
    held, why = _judge(fix, before, after, (in_log, in_tree))
    return FixRow(
        id=fix.id,
        title=fix.title,
        signature=fix.signature,
        workflow_path=fix.workflow_path,
        job=fix.job,
        held=held,
        why=why,
        proposed=fix.proposed_at.date(),
        merged=fix.merged_at.date() if fix.merged_at else None,
        pull_request=fix.pull_request,
        before=rate(before.hits, before.settled, minimum),
        after=rate(after.hits, after.settled, minimum),
        in_log=in_log,
        in_tree=in_tree,
        saved_hours=_saved(before, after) if held in (Held.HELD, Held.REDUCED) else None,
        expires=fix.expires,
        owner=fix.owner,
    )


def _judge(fix: FixRecord, before: Trial, after: Trial, seen: Sequence[Presence]) -> tuple[Held, str]:
    """The word and its reason. A setting that is not there outranks any count: what holds without it is luck."""
    if fix.state is FixState.REVERTED:
        return Held.REVERTED, "it was taken back"
    if fix.state is FixState.PROPOSED or fix.merged_at is None:
        return Held.NOT_MERGED, "the patch was proposed, and is not merged"
    if seen[1] is Presence.ABSENT:
        return Held.DEAD, "the branch as it is no longer passes the setting to the program"
    if seen[0] is Presence.ABSENT:
        return Held.DEAD, "the newest run's log does not show the setting"
    if after.settled == 0:
        return Held.NOT_RUN, "the job has not run on a base that contains it"
    p = fisher_less(after.hits, after.settled, before.hits, before.settled)
    counts = f"{after.hits} of {after.settled} runs since, {before.hits} of {before.settled} before"
    if after.hits:
        if p <= LEVEL:
            return Held.REDUCED, f"its cause is rarer: {counts} (p = {p:.2g})"
        return Held.FAILED, f"its cause came back: {counts}"
    if p <= LEVEL:
        return Held.HELD, f"its cause is gone: {counts} (p = {p:.2g})"
    return Held.TOO_EARLY, f"no hit, but that could be chance: {counts} (p = {p:.2g})"


def _saved(before: Trial, after: Trial) -> float:
    """GPU-hours: what the runs since would have lost at the rate measured before, less what they did lose."""
    return (before.gpu_seconds / before.settled * after.settled - after.gpu_seconds) / 3600


def _at(moment: datetime) -> int:
    return int(moment.timestamp())
