"""What a repository may say about itself in `.github/triage.toml`; everything works without it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class RunnerLabel:
    """What a runner's label (a glob) means. `price` is what one GPU-hour costs, in `currency`; 0: not said.

    `held_while_queued`: its GPUs are taken while a job waits (a machine made for the job), so that waiting costs too.
    """

    label: str
    platform: str = "unknown"
    gpus: int = 0
    price: float = 0.0
    held_while_queued: bool = False


@dataclass(frozen=True, slots=True)
class KnownIssue:
    """A cause that people know of. Muted until `until` (the day itself included), if `mute`."""

    signature: str
    url: str
    until: date | None = None
    mute: bool = False


@dataclass(frozen=True, slots=True)
class RerunCaps:
    enabled: bool = False
    per_sha: int = 2
    outage_pull_requests: int = 3


@dataclass(frozen=True, slots=True)
class Configuration:
    """Resolved once. `source` names the file it came from, "" when there was none."""

    runners: tuple[RunnerLabel, ...] = ()
    leave_out: tuple[str, ...] = ()  # globs over job names
    owners: tuple[tuple[str, str], ...] = ()  # signature's owner word -> a handle or team
    known_issues: tuple[KnownIssue, ...] = ()
    signatures: tuple[str, ...] = ()  # folders relative to the repository's root
    minimum_n: int = 10
    rerun: RerunCaps = RerunCaps()
    currency: str = ""  # of all prices, as it is to be shown: EUR; "": the team's own unit
    source: str = ""

    def owner_of(self, area: str) -> str:
        """The handle that answers for an area of the catalogue, or the area's own word."""
        return dict(self.owners).get(area, area)
