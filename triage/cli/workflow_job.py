"""What a job of GitHub Actions gives us: the event's file, the summary's file; and what it makes of our output."""

from __future__ import annotations

import json
import os
from pathlib import Path

from triage.errors import UsageError

# GitHub drops a step's whole summary when it is larger than 1 MiB; a little room is left for what it adds.
_SUMMARY_LIMIT = 1024 * 1024 - 1024


def in_ci() -> bool:
    return bool(os.environ.get("GITHUB_ACTIONS") or os.environ.get("CI"))


def event_run() -> int:
    """The number of the run that started this job, from the event's file; 0 outside of a `workflow_run` job.

    Nothing else is taken from the event: names, branches and pull requests in it are the pull request's own words.
    """
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return 0
    try:
        event = json.loads(Path(path).read_bytes())
        number = event["workflow_run"]["id"]
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}.", "GITHUB_EVENT_PATH names the event's file.") from fault
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return number if isinstance(number, int) and number > 0 else 0


def summary_room() -> int:
    """How many bytes the job's summary can still take; 0 where there is none."""
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return 0
    try:
        used = Path(path).stat().st_size
    except OSError:
        # Who writes it finds out why.
        used = 0
    return max(0, _SUMMARY_LIMIT - used)


def append_summary(text: str) -> None:
    """UsageError when the file that the runner named cannot be written."""
    path = os.environ["GITHUB_STEP_SUMMARY"]
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}.", "GITHUB_STEP_SUMMARY names the summary's file.") from fault


def harmless(text: str, json_text: bool = False) -> str:
    """The text as a job may print it: the runner takes `##[` anywhere, and `::` at a line's start, for a command.

    JSON says the same with an escape and stays what it was; other text is changed where a reader sees it.
    """
    if not in_ci():
        return text
    if json_text:
        return text.replace("##[", "\\u0023#[")
    return "".join(_harmless_line(line) for line in text.replace("##[", "# #[").splitlines(keepends=True))


def harmless_words(text: str) -> str:
    """What we say to a person beside the result, which may quote names and answers that nobody has looked at yet."""
    from triage.output.plain import plain
    from triage.redaction import redact

    return harmless("\n".join(plain(line) for line in redact(text).split("\n")))


def _harmless_line(line: str) -> str:
    start = len(line) - len(line.lstrip())
    return f"{line[:start]}: {line[start + 1 :]}" if line.startswith("::", start) else line
