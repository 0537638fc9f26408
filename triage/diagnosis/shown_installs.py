"""Install commands that a log shows, whoever prints them: a prompt, a traced shell, a builder of images, pip itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from triage.model.log import LineKind, LogReading

SHOWN_PROBES: Mapping[str, str] = {
    # BuildKit heads the output of each instruction with it.
    "built_run": r"^(?:#\d{1,4} )?\[(?:[\w.+-]{1,60} )?\d{1,3}/\d{1,3}\] RUN (?P<command>.*\bpip3? install\b.*)$",
    # pip says which line of which file asks for what it takes.
    "asked_by_file": r"^(?:Collecting|Requirement already satisfied:) \S.*"
    r"-r (?P<path>[\w./+@-]{1,200}) \(line \d{1,5}\)\)",
}
_INSTALLS = re.compile(r"\b(?:pip3?|uv pip) install\b")
_MOST = 40


def shown_installs(reading: LogReading, until: int) -> tuple[str, ...]:
    """As of raw line `until`, in the log's order, behind a `cd` where the prompt names the folder.

    A file that pip names stands for the command that reads it.
    """
    found = sorted(_shown(reading, until))
    return tuple(dict.fromkeys(text for _, text in found))[-_MOST:]


def _shown(reading: LogReading, until: int) -> Iterator[tuple[int, str]]:
    for hit in reading.probed:
        if hit.line.number > until:
            continue
        command = hit.captures.get("command", "")
        if hit.probe == "asked_by_file":
            yield hit.line.number, f"pip install -r {hit.captures.get('path', '')}"
        elif hit.probe in ("typed", "built_run") and _INSTALLS.search(command):
            folder = hit.captures.get("folder", "")
            yield hit.line.number, f"cd {folder} && {command}" if folder else command
    for one in reading.commands:
        if one.line.kind is LineKind.XTRACE and one.line.number <= until and _INSTALLS.search(one.text):
            yield one.line.number, one.text
