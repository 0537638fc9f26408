"""Addresses that are shown as links: GitHub's own and those that a repository's configuration names, never log text."""

from __future__ import annotations

from triage.model.log import Line
from triage.model.result import Failure
from triage.output.plain import plain

_BREAKING = frozenset(" <>\"'`()[]\\|*")


def linkable(url: str) -> bool:
    """Whether it is https, and holds nothing that hides, breaks out of a link, or would start a script."""
    return url.startswith("https://") and len(url) <= 2000 and plain(url) == url and not set(url) & _BREAKING


def link(words: str, url: str) -> str:
    """`[words](url)` in Markdown; the words alone when the address is not fit for a link. `words` is Markdown."""
    return f"[{words}]({url})" if linkable(url) else words


def line_url(failure: Failure, line: Line) -> str:
    """Where GitHub shows the line: its place in its step when the step is known, else the job's page."""
    url = failure.diagnosis.job.url
    step = line.step
    if not url or step is None or step.number <= 0 or line.number < step.first:
        return url
    return f"{url}#step:{step.number}:{line.number - step.first + 1}"
