"""Overrides that say nothing: they switch off what the configuration no longer has."""

from __future__ import annotations

from triage.fixes.hydra.config import Configuration

# What `RepairOverride.settled` says once the override is gone.
REMOVED = "removed"
# Values that leave a switch, a path or a number as it is where nobody sets it.
_OFF = ("false", "null", "none", "~")


def switched_off(configuration: Configuration, key: str, argument: str) -> bool:
    """Whether the override may go: it is off, its mapping is there and takes no new name, and no key of the same last
    part stands below the same first part, under which the switch could have been moved."""
    value = argument.partition("=")[2].strip("\"'").lower()
    first, leaf, parent = key.partition(".")[0], key.rpartition(".")[2], key.rpartition(".")[0]
    keys = configuration.keys()
    beside = [one for one in keys if one.startswith(f"{parent}.")]
    moved = [one for one in keys if one.rpartition(".")[2] == leaf and one.partition(".")[0] == first]
    return value in _OFF and bool(parent) and bool(beside) and not moved and not configuration.holds_nothing(parent)
