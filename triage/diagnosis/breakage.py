"""Since when does the base branch fail? From what its runs showed, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from triage.model.evidence import Breakage, Observation, Sight

_RED = frozenset({Sight.SAME_CAUSE, Sight.OTHER_CAUSE, Sight.FAILED})


def breakage(base: Sequence[Observation]) -> Breakage | None:
    """The oldest failure since the newest pass; None when the newest run that counts passed, or none counts.

    `base` is newest first. Runs that hold the change, or did not run the job, say nothing.
    """
    counting = [seen for seen in base if not seen.holds_change and seen.sight is not Sight.DID_NOT_RUN]
    red: Observation | None = None
    for seen in counting:
        if seen.sight in _RED:
            red = seen
        elif red is not None:
            return Breakage(red, seen)
        else:
            return None
    return Breakage(red) if red is not None else None
