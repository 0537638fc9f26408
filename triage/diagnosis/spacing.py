"""Where a check of blanks found some: hooks of pre-commit, linters for Python and YAML, `git diff --check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from triage.model.diagnosis import Spaced
from triage.model.log import LogReading

SPACING_PROBES: Mapping[str, str] = {
    "hook_named": r"^- hook id: (?P<rule>[\w.+-]{1,80})$",
    # So print the hooks of pre-commit-hooks that write a file anew.
    "hook_fixed": r"^Fixing (?P<path>[\w./+@ -]{1,240})$",
    # yamllint names the file once, on a line of its own.
    "yaml_named": r"^(?P<path>[\w./+@-]{1,240}\.ya?ml)$",
    "yaml_spaced": r"^ +(?P<line>\d{1,6}):\d{1,5} +error +[^\n(]{1,80} "
    r"\((?P<rule>comments-indentation|trailing-spaces|new-line-at-end-of-file)\)$",
    "spaced_line": r"^(?P<path>[\w./+@-]{1,240}):(?P<line>\d{1,6}):(?:\d{1,5}:)? "
    r"(?P<rule>W29[123]|W391|trailing whitespace|new blank line at EOF)\b",
}
_MOST = 200


def spaced_of(reading: LogReading) -> tuple[Spaced, ...]:
    """In the log's order; all of it counts, as hooks run on after the first that fails."""
    return tuple(dict.fromkeys(_spaced(reading)))[:_MOST]


def _spaced(reading: LogReading) -> Iterator[Spaced]:
    rule = named = ""
    hits = [hit for hit in reading.probed if hit.probe in SPACING_PROBES]
    for hit in sorted(hits, key=lambda one: one.line.number):
        path = hit.captures.get("path", "").strip()
        if hit.probe == "hook_named":
            rule = hit.captures.get("rule", "")
        elif hit.probe == "yaml_named":
            named = path
        elif hit.probe == "yaml_spaced":
            if named:
                yield Spaced(named, hit.captures.get("rule", ""), int(hit.captures.get("line") or 0))
        elif hit.probe == "spaced_line":
            yield Spaced(path, hit.captures.get("rule", ""), int(hit.captures.get("line") or 0))
        elif rule:
            yield Spaced(path, rule)
