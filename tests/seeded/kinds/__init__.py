"""The kinds of faults, by name. A new one is a module here and an entry in this table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.seeded.kinds import missing_package, time_limit
from tests.seeded.seed import Kind

KINDS: Mapping[str, Kind] = {
    "package-not-in-command": missing_package.from_command,
    "package-not-in-list": missing_package.from_list,
    "package-not-in-project": missing_package.from_project,
    "time-limit-cut": time_limit.cut,
}
