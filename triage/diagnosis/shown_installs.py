"""Install commands that a log shows, whoever prints them: a prompt, a traced shell, a builder, tox, nox, pip itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from triage.model.log import LineKind, LogReading

SHOWN_PROBES: Mapping[str, str] = {
    # BuildKit heads the output of each instruction with it.
    "built_run": r"^(?:#\d{1,4} )?\[(?:[\w.+-]{1,60} )?\d{1,3}/\d{1,3}\] RUN (?P<command>.*\bpip3? install\b.*)$",
    # A builder of documents prints its commands as they are. Whoever is told to install a list is told the right one.
    "bare_list": r"^(?P<command>(?:[\w./-]{0,100}python[\d.]* -m )?pip3? install "
    r"(?:--?[\w-]{1,40}(?:=\S{1,80})? ){0,12}-r [\w./-]{1,200}\.txt)$",
    # tox of 4 and of 3, and nox, head what they run with the environment that they made for it.
    "made_run": r"^(?:[\w.{},-]{1,80}: (?:commands(?:_pre)?\[\d+\]|install_\w{1,20})> "
    r"|[\w.{},-]{1,80} run-test(?:-pre)?: commands\[\d+\] \| |nox > )(?P<command>.*\bpip3? install\b.*)$",
    # pip says which line of which file asks for what it takes.
    "asked_by_file": r"^(?:Collecting|Requirement already satisfied:) \S.*"
    r"-r (?P<path>[\w./+@-]{1,200}) \(line \d{1,5}\)\)",
}
_INSTALLS = re.compile(r"\b(?:pip3?|uv pip)(?: --?[a-z][\w-]*)* install\b")
_ENTERS = re.compile(r"(?:cd|pushd) ([\w./+@-]{1,200})\Z")
_MOST = 40


def shown_installs(reading: LogReading, until: int) -> tuple[str, ...]:
    """As of raw line `until`, in the log's order, behind a `cd` where the prompt names the folder.

    A file that pip names stands for the command that reads it.
    """
    found = sorted(_shown(reading, until))
    return tuple(dict.fromkeys(text for _, text in found))[-_MOST:]


def _shown(reading: LogReading, until: int) -> Iterator[tuple[int, str]]:
    traced = [one for one in reading.commands if one.line.kind is LineKind.XTRACE and one.line.number <= until]
    entered = [(one.line.number, found[1]) for one in traced if (found := _ENTERS.match(one.text))]
    for hit in reading.probed:
        if hit.line.number > until:
            continue
        if hit.probe == "bare_list" and hit.line.kind in (LineKind.SCRIPT, LineKind.HEADER):
            continue  # what a step is about to run, or not
        command = hit.captures.get("command", "")
        if hit.probe == "asked_by_file":
            said = f"pip install -r {hit.captures.get('path', '')}"
            yield hit.line.number, _inside(_folder(entered, hit.line.number), said)
        elif hit.probe in ("typed", "built_run", "bare_list", "made_run") and _INSTALLS.search(command):
            yield hit.line.number, _inside(hit.captures.get("folder", ""), command)
    for one in traced:
        if _INSTALLS.search(one.text):
            yield one.line.number, _inside(_folder(entered, one.line.number), one.text)


def _inside(folder: str, command: str) -> str:
    return f"cd {folder} && {command}" if folder else command


def _folder(entered: list[tuple[int, str]], number: int) -> str:
    """Where a traced shell stands at a line, as far as its own `cd` lines say; what ends in a subshell is not seen."""
    folder = ""
    for _, path in (one for one in entered if one[0] <= number):
        folder = posixpath.normpath(posixpath.join(folder, path))
    return "" if folder == "." else folder
