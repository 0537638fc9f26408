"""The kinds of faults, by name. A new one is a module here and an entry in this table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.seeded.kinds import arguments, hydra, missing_package, time_limit
from tests.seeded.seed import Kind

KINDS: Mapping[str, Kind] = {
    "choice-misspelt": arguments.choice_misspelt,
    "flag-misspelt": arguments.flag_misspelt,
    "hydra-key-misspelt": hydra.key_misspelt,
    "hydra-plus-lacking": hydra.plus_lacking,
    "hydra-plus-too-many": hydra.plus_too_many,
    "package-not-in-command": missing_package.from_command,
    "package-not-in-list": missing_package.from_list,
    "package-not-in-project": missing_package.from_project,
    "time-limit-cut": time_limit.cut,
}
