"""The kinds of faults, by name. A new one is a module here and an entry in this table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.seeded.kinds import time_limit
from tests.seeded.seed import Kind

KINDS: Mapping[str, Kind] = {
    "time-limit-cut": time_limit.cut,
}
