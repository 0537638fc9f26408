"""What one evaluation works with: the tree, the facts, what is assumed of the runner, and the record of what ran."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from triage.fixes.evaluate.invocation import Alteration, Call, Invocation
from triage.fixes.evaluate.state import State
from triage.fixes.evaluate.system import Container
from triage.fixes.evaluate.values import Condition, Value, known
from triage.fixes.shell.script import Script
from triage.fixes.shell.syntax import Statement
from triage.interfaces import Tree

# Set by the operating system, the runner or an image: never assumed to be unset.
AMBIENT = frozenset(
    (
        "HOME", "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "HOSTNAME",
        "LANG", "LC_ALL", "TERM", "TMPDIR", "CI", "UID", "EUID", "PPID",
        "RANDOM", "SECONDS", "LINENO", "LD_LIBRARY_PATH", "PYTHONPATH", "BASH_VERSION", "OSTYPE", "HOSTTYPE",
        "MACHTYPE", "PIPESTATUS", "REPLY", "OPTARG", "VIRTUAL_ENV", "CONDA_PREFIX",
    )
)  # fmt: skip
AMBIENT_PREFIXES = ("GITHUB_", "RUNNER_", "ACTIONS_", "INPUT_", "CUDA_", "NVIDIA_", "ROCM_", "ASCEND_", "CONDA_")

STEPS_CAP = 10_000
INVOCATIONS_CAP = 20_000
# Commands that are followed behind a script that was too much, and how often that is granted.
SPARE, SPARES = 120, 6
# Commands in containers and on other hosts that are followed: each is a shell, a script and a state of its own.
ENTERED_CAP = 2_000
# So many variables, functions and mounts of a state cost as much as one more command: every program looks through
# them, and one that enters another system copies them several times.
CARRIED_PER_STEP = 1_200
CARRIED_PER_ENTRY = 200
# Names of files that commands which write many of them are compared with; beyond, none is known to be as it was.
LOOKED_CAP = 100_000
CALLS_CAP = 25
# How often a script may be inside itself: every further level multiplies the work by the calls in it.
RECURSION_CAP = 3


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is taken for granted of the machine that runs the job.

    `environment`: known ambient values. `closed`: nothing else is set. `workspace`: the absolute path of the
    repository's root, "" unknown. `succeed`: programs end with 0. `outputs`: what a program prints, by its file name.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    workspace: str = ""
    succeed: bool = False
    outputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pins:
    """What the log says: variables that a trace shows with one value, and the words that stand for the platform."""

    variables: Mapping[str, str] = field(default_factory=dict)
    platform: str = ""
    # Variables whose traced value no assignment explains: there the trace wins over `${NAME:-default}`.
    overrides: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sentinel:
    """An argument appended to one call, to see where it arrives."""

    call: tuple[str, int]
    value: Value


@dataclass(frozen=True, slots=True)
class Frame:
    """Where execution is: the script, the calls that lead here, and what `$0` is."""

    script: Script
    calls: tuple[Call, ...] = ()
    name: Value = field(default_factory=lambda: known("bash"))
    # `${BASH_SOURCE[0]}`: the script file as its caller named it; no pieces for a `run:` block.
    source: Value = Value()
    depth: int = 0
    # Inside a condition or on the left of && and ||, where `set -e` does not end the script.
    guarded: bool = False
    substitution: bool = False

    def recurs(self, path: str) -> bool:
        """Whether the script at `path` already runs inside itself as often as is followed."""
        return sum(call.enters == path for call in self.calls) >= RECURSION_CAP


Runner = Callable[["Machine", Frame, Sequence[Statement], list[State]], list[State]]


@dataclass(slots=True)
class Machine:
    """`runner` is the evaluator itself: expansions, calls and loops run statements through it."""

    tree: Tree
    runner: Runner
    assumptions: Assumptions = Assumptions()
    pins: Pins = Pins()
    sentinel: Sentinel | None = None
    step: int = 0
    step_name: str = ""
    combination: str = ""
    # Where the repository lies below the workspace, "." at its root; None when it was not checked out there.
    mount: str | None = "."
    recorded: dict[tuple[object, ...], Invocation] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    steps: int = 0
    # How many steps are enough for the script that runs now.
    enough: int = STEPS_CAP
    spared: int = 0
    entered: int = 0
    # What assignments gave each name, and names that a `${NAME:-default}` decided.
    assigned: dict[str, set[str]] = field(default_factory=dict)
    defaulted: set[str] = field(default_factory=set)
    folders: frozenset[str] = frozenset()
    listings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scripts: dict[str, Script] = field(default_factory=dict)
    # What is known of the containers that the job made so far, by their names.
    containers: dict[str, Container] = field(default_factory=dict)
    # Files of the tree that commands gave another text, or took away, and those that they edited in place.
    replaced: dict[str, str] = field(default_factory=dict)
    altered: dict[str, tuple[Alteration, ...]] = field(default_factory=dict)
    # How many names were looked through for what commands write.
    looked: int = 0

    def execute(self, frame: Frame, body: Sequence[Statement], states: list[State]) -> list[State]:
        """The states that the statements lead to."""
        return self.runner(self, frame, body, states)

    def note(self, text: str) -> None:
        self.notes.setdefault(text)

    @property
    def exhausted(self) -> bool:
        """Whether the script is too much work: loops are cut, and what they assign is unknown."""
        return self.steps > self.enough

    def share(self, *, last: bool) -> None:
        """Half of what is left is enough for a script, all of it for the last one: what a loop over what is not known
        wastes is not taken from the scripts behind it."""
        left = max(STEPS_CAP - self.steps, 0)
        self.enough = self.steps + (left if last else left // 2)

    def spare(self) -> None:
        """A few more commands for what comes behind a shell of its own that was too much: it changed nothing here."""
        if self.exhausted and self.spared < SPARES:
            self.spared += 1
            self.enough = self.steps + SPARE

    def count(self, state: State, per_step: int) -> None:
        """One more command in a state, which costs more where the state holds very much."""
        self.steps += 1 + state.carried // per_step

    def enters(self, call: Call) -> bool:
        """Whether one more command is followed into another system. That no further one is, is noted once."""
        self.entered += 1
        if self.entered == ENTERED_CAP + 1:
            where = f"{call.path}:{call.line}"
            self.note(
                f"{where}: more than {ENTERED_CAP} commands run in other systems: what further ones run is not known"
            )
        return self.entered <= ENTERED_CAP

    def record(self, invocation: Invocation) -> None:
        """Once for each path that runs it; the same command over several paths keeps the conditions they share."""
        route = tuple(call.key for call in invocation.calls)
        argv = tuple(str(value) for value in invocation.argv)
        key = (route, argv, invocation.step, invocation.combination, invocation.system)
        before = self.recorded.get(key)
        if before is None:
            if len(self.recorded) < INVOCATIONS_CAP:
                self.recorded[key] = invocation
            else:
                self.note(f"more than {INVOCATIONS_CAP} commands: the rest was not followed")
            return
        shared: tuple[Condition, ...] = tuple(one for one in before.conditions if one in invocation.conditions)
        self.recorded[key] = replace(before, conditions=shared)

    def is_folder(self, path: str) -> bool:
        """Whether `path`, relative to the workspace, is a folder of the repository."""
        inside = self.inside(path)
        if inside is None:
            return False
        if not self.folders:
            parents = {posixpath.dirname(one) for one in self.tree.paths()}
            for one in list(parents):
                while one:
                    one = posixpath.dirname(one)
                    parents.add(one)
            self.folders = frozenset({"."} | {one or "." for one in parents})
        return inside in self.folders

    def inside(self, path: str) -> str | None:
        """The path in the tree for a path relative to the workspace; None outside the repository."""
        path = posixpath.normpath(path)
        if self.mount is None or path.startswith(".."):
            return None
        if self.mount == ".":
            return path
        if path == self.mount:
            return "."
        return path.removeprefix(self.mount + "/") if path.startswith(self.mount + "/") else None

    def source(self, path: str) -> bytes:
        """The bytes of a file of the repository; none of any other."""
        return self.tree.read(path) if path in self.tree else b""

    def is_file(self, path: str) -> bool:
        """Whether the repository holds the file, and no command wrote another one there."""
        inside = self.inside(path)
        return inside is not None and inside in self.tree and inside not in self.replaced and self.looked <= LOOKED_CAP

    def lack(self, path: str | None) -> str:
        """Why a file is not there to be followed."""
        where = self.replaced.get(self.inside(path) or "") if path is not None else None
        return f"is another one since {where}" if where else "is not in the repository"

    def look(self, names: Sequence[str], where: str) -> Sequence[str]:
        """The names, as long as there are not too many of them."""
        if self.looked <= LOOKED_CAP and self.looked + len(names) > LOOKED_CAP:
            self.note(f"{where}: the commands up to here write too many files to follow: scripts behind them are not")
        self.looked += len(names)
        return names if self.looked <= LOOKED_CAP else ()

    def listing(self, folder: str) -> tuple[str, ...]:
        """Names of files and folders in a folder of the repository, sorted."""
        inside = self.inside(folder)
        if inside is None:
            return ()
        if inside not in self.listings:
            prefix = "" if inside == "." else inside + "/"
            below = (one[len(prefix) :] for one in self.tree.paths() if one.startswith(prefix))
            self.listings[inside] = tuple(dict.fromkeys(one.split("/", 1)[0] for one in below))
        return self.listings[inside]
