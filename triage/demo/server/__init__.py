"""A small GitHub on this machine: the REST shapes, redirects, limits and faults of the real one, from plain values.

`Server(World(...))` is what `triage demo` talks to, and what the tests of `triage/github` inject faults into.
"""

from triage.demo.server.faults import (
    Fault,
    cut,
    garbage,
    primary_limit,
    secondary_limit,
    slow,
    status,
)
from triage.demo.server.server import Server, Traffic
from triage.demo.server.world import Delayed, LogState, World

__all__ = [
    "Delayed",
    "Fault",
    "LogState",
    "Server",
    "Traffic",
    "World",
    "cut",
    "garbage",
    "primary_limit",
    "secondary_limit",
    "slow",
    "status",
]
