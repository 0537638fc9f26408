"""An input that cannot be read is a value that says why; the other inputs go on."""

from __future__ import annotations

from dataclasses import dataclass

from triage.errors import ExitCode


@dataclass(frozen=True, slots=True)
class UnreadableLog:
    """One line for the person: what is wrong with the input called `name`, and what to do."""

    name: str
    message: str
    remedy: str = ""
    code: ExitCode = ExitCode.USAGE
