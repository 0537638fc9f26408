"""What a shell knows at one point of one path through a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from triage.fixes.evaluate.system import System
from triage.fixes.evaluate.values import Condition, Value, unknown
from triage.fixes.shell.script import Script
from triage.fixes.shell.syntax import Statement

# More paths than these are joined: what differs between them becomes unknown.
PATHS_CAP = 64


class Flow(StrEnum):
    """Why the statements that follow do not run on this path."""

    ON = ""
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    EXIT = "exit"


class Status(StrEnum):
    """How the last command ended. PROGRAM: unknown, as the end of a program is; UNKNOWN: an undecided test."""

    TRUE = "true"
    FALSE = "false"
    PROGRAM = "program"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Array:
    """Elements in order. One that is `many` stands for an unknown number of them."""

    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    value: Value | Array
    exported: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Defined:
    """A function and the script that defines it."""

    body: Statement
    script: Script


@dataclass(slots=True)
class State:
    """Copied where paths part. `directory` is relative to the repository's root ("." at the root), None unknown.

    `output` collects what a substitution prints; None: the output goes to the log. `open`: something unknown may have
    set any name. `missing` are names that are certainly unset.
    """

    variables: dict[str, Variable] = field(default_factory=dict)
    arguments: tuple[Value, ...] = ()
    functions: dict[str, Defined] = field(default_factory=dict)
    directory: str | None = "."
    conditions: tuple[Condition, ...] = ()
    status: Status = Status.TRUE
    # What decided the last test, when it was neither the scripts nor the workflow.
    reason: str = ""
    flow: Flow = Flow.ON
    levels: int = 0
    output: tuple[Value, ...] | None = None
    input: Value | None = None
    options: frozenset[str] = frozenset()
    # What `trap ... EXIT` runs when the script ends, and the functions that scripts of its own see.
    trap: Value | None = None
    shared: frozenset[str] = frozenset()
    open: bool = False
    missing: frozenset[str] = frozenset()
    # The name that an expansion found unset under `set -u`, which ends the shell.
    unbound: str = ""
    # What was written to $GITHUB_ENV: the environment of later steps.
    exports: dict[str, Value] = field(default_factory=dict)
    # The folders of `pushd`, and what `local` hides, one mapping for each function that runs.
    folders: tuple[str | None, ...] = ()
    saved: tuple[Mapping[str, Variable | None], ...] = ()
    # The container or host that this shell runs in; None: the job's own machine.
    system: System | None = None

    @property
    def other_files(self) -> System | None:
        """The system, where it has files of its own."""
        return self.system if self.system is not None and not self.system.same_files else None

    @property
    def carried(self) -> int:
        """How many things a copy of the state holds."""
        mounts = len(self.system.mounts) if self.system is not None else 0
        return len(self.variables) + len(self.functions) + len(self.exports) + mounts

    def copy(self) -> State:
        return replace(self, variables=dict(self.variables), functions=dict(self.functions), exports=dict(self.exports))

    def end(self, status: Status, flow: Flow = Flow.ON) -> list[State]:
        """This path after a command."""
        self.status, self.flow, self.reason = status, flow, ""
        return [self]

    def say(self, value: Value) -> None:
        """Prints, where that is kept."""
        if self.output is not None:
            self.output = (*self.output, value)

    def same_as(self, other: State) -> bool:
        """Whether nothing that follows could tell the two apart."""
        return (
            self.flow == other.flow
            and self.status == other.status
            and self.levels == other.levels
            and self.directory == other.directory
            and self.arguments == other.arguments
            and self.output == other.output
            and self.open == other.open
            and self.options == other.options
            and self.functions == other.functions
            and self.exports == other.exports
            and self.variables == other.variables
        )


def merge(states: Iterable[State], conditions: tuple[Condition, ...] | None = None) -> list[State]:
    """Equal states become one, which keeps the conditions both share (or `conditions`, those before they parted)."""
    merged: list[State] = []
    for state in states:
        twin = next((one for one in merged if one.same_as(state)), None)
        if twin is None:
            merged.append(state)
        else:
            twin.conditions = _shared(twin.conditions, state.conditions) if conditions is None else conditions
    return merged if len(merged) <= PATHS_CAP else _joined(merged)


def _shared(left: tuple[Condition, ...], right: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return left if left == right else tuple(one for one in left if one in right)


def _joined(states: list[State]) -> list[State]:
    """One state per flow, in which what differs is unknown."""
    flows: dict[tuple[Flow, int], list[State]] = {}
    for state in states:
        flows.setdefault((state.flow, state.levels), []).append(state)
    return [_join(group) for group in flows.values()]


def _join(states: list[State]) -> State:
    first = states[0].copy()
    for state in states[1:]:
        for name in first.variables.keys() | state.variables.keys():
            if first.variables.get(name) != state.variables.get(name):
                first.variables[name] = Variable(unknown(name), exported=True)
        if first.arguments != state.arguments:
            first.arguments = (unknown("@", many=True),)
        first.directory = first.directory if first.directory == state.directory else None
        first.output = first.output if first.output == state.output else (unknown("?", many=True),)
        first.functions = {k: v for k, v in first.functions.items() if state.functions.get(k) is v}
        first.exports |= {k: unknown(k) for k, v in state.exports.items() if first.exports.get(k) != v}
        first.status = first.status if first.status == state.status else Status.UNKNOWN
        first.conditions = _shared(first.conditions, state.conditions)
        first.open = first.open or state.open
    return first
