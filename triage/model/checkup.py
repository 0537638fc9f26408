"""What `triage doctor` found: one line a thing that was checked, and what to do where it is not right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    NOTE = "note"  # works without it, or worth knowing
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    subject: str
    state: State
    detail: str
    remedy: str = ""
