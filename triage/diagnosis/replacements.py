"""What an install of the job put in the place of another release that was there, and what it was that asked for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from triage.diagnosis.platforms import normalised, pinned
from triage.model.diagnosis import Replaced
from triage.model.log import LogReading

_NAME = r"(?P<name>[A-Za-z0-9][\w.-]{0,80})"
REPLACEMENT_PROBES: Mapping[str, str] = {
    "found_existing": rf"^\s*Found existing installation: {_NAME} (?P<version>\d[\w.+!-]{{0,60}})$",
    # The chain ends in the list, or the command, that began it: "(from vision==0.20.1->-r r.txt (line 3))".
    "drawn_in": rf"^\s*Collecting {_NAME}[<>=!~]\S* \(from (?:[^()\s]{{1,100}}->){{0,6}}"
    r"(?P<by>[A-Za-z0-9][\w.-]{0,80}==[\w.+!]{1,40})(?:->-r [\w./+@-]{1,200} \(line \d{1,5}\))?\)$",
    "downloaded": r"^\s*(?:Downloading|Using cached) (?:https?://\S{1,200}/)?(?P<name>[A-Za-z0-9][\w.]{0,80}?)"
    r"-(?P<version>\d[\w.!]{0,40}?)(?:(?:-\d\w{0,20})?-(?:py|cp)\S{1,120}\.whl|\.tar\.gz)(?:\.metadata)? \(",
    "uv_removed": rf"^ ?- {_NAME}==(?P<version>\S+)(?: \(.*\))?$",
}


def replaced_of(reading: LogReading) -> tuple[Replaced, ...]:
    """Those that ended at another release than the one that was there at first; local parts ("+cu128") do not count."""
    there: dict[str, str] = {}
    drawn: dict[str, str] = {}
    moved: dict[str, Replaced] = {}
    for hit in reading.probed:
        name, version = normalised(hit.captures.get("name", "")), hit.captures.get("version", "") or ""
        if hit.probe in ("found_existing", "uv_removed", "satisfied") and version:
            there[name] = version
        elif hit.probe == "drawn_in":
            drawn[name] = hit.captures.get("by", "")
        elif hit.probe in ("installed", "uv_installed"):
            for one, new in _put_in(hit.probe, hit.captures):
                old = moved[one].old if one in moved else there.get(one, "")
                moved.pop(one, None)
                if old and _plain(old) != _plain(new):
                    moved[one] = Replaced(one, old, new, drawn.get(one, ""))
                there[one] = new
            drawn = {}
    return tuple(moved.values())


def retreats_of(reading: LogReading) -> dict[str, tuple[str, ...]]:
    """Distributions of which pip took ever older releases, as what else is asked for left no other way."""
    tried: dict[str, list[str]] = {}
    for hit in reading.probed:
        if hit.probe == "downloaded" and (version := hit.captures.get("version", "")):
            of_one = tried.setdefault(normalised(hit.captures.get("name", "")), [])
            if version not in of_one:
                of_one.append(version)
    return {name: tuple(found) for name, found in tried.items() if len(found) > 1 and _falls(found)}


def _falls(versions: list[str]) -> bool:
    numbers = [[int(part) for part in re.findall(r"\d{1,9}", one)[:4]] for one in versions]
    return all(older < newer for newer, older in pairwise(numbers))


def _put_in(probe: str, captures: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if probe == "installed":
        yield from pinned(captures.get("list", ""))
    else:
        yield normalised(captures.get("name", "")), captures.get("version", "")


def _plain(version: str) -> str:
    return re.sub(r"(?:\.0)+$", "", version.partition("+")[0])
