"""The keys of `triage.toml`, as pydantic sees them: imported only when there is a file to decode."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from pydantic import BaseModel, ConfigDict, Field

# More is a slip; and what is multiplied with it must stay a number that a database holds.
_MOST = 100_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Runner(_Strict):
    label: str
    platform: str = "unknown"
    gpus: int = Field(default=0, ge=0, le=_MOST)
    price: float = Field(default=0.0, ge=0, le=_MOST)
    held_while_queued: bool = False


class Issue(_Strict):
    signature: str
    url: str
    until: date | None = None
    mute: bool = False


class Rerun(_Strict):
    enabled: bool = False
    per_sha: int = Field(default=2, ge=0, le=50)
    outage_pull_requests: int = Field(default=3, ge=1, le=_MOST)


class Document(_Strict):
    runners: list[Runner] = Field(default_factory=list)
    leave_out: list[str] = Field(default_factory=list)
    owners: dict[str, str] = Field(default_factory=dict)
    known_issues: list[Issue] = Field(default_factory=list)
    signatures: list[str] = Field(default_factory=list)
    currency: str = Field(default="", max_length=12)
    minimum_n: int = Field(default=10, ge=1, le=_MOST)
    rerun: Rerun = Field(default_factory=Rerun)


_INSIDE: dict[str, type[_Strict]] = {"runners": Runner, "known_issues": Issue, "rerun": Rerun}


def keys_beside(path: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that may stand where the last one of `path` does."""
    model = Document if len(path) == 1 else _INSIDE.get(str(path[0]))
    return tuple(model.model_fields) if model is not None else ()
