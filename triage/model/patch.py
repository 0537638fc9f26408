"""What to change: edits as byte spans, drafts that are not yet proved, gates, and patches that are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from triage.model.recipe import Recipe
from triage.model.signature import Applicability


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace bytes `start`..`end` of `path` by `new`. `why` is shown at its hunk."""

    path: str
    start: int
    end: int
    new: bytes
    why: str


class PatchState(StrEnum):
    PATCH = "patch"
    ADVICE = "advice"
    IN_PLACE = "in_place"
    REFUSED = "refused"


class GateStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Gate:
    """A failed gate, or a skipped mandatory one, turns a patch into advice."""

    name: str
    status: GateStatus
    reason: str = ""
    mandatory: bool = True


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold after the edits, for the pass-through proof. Of `job`, by `kind`:

    argument: every command that starts `program` gets `text` among its arguments; setting: the last `key=value` or
    `--flag=value` of every such command is `text`; environment: they see `text`, "NAME=value"; unset: they do not see
    the variable `text`; command: a step runs a command that starts with `text`; absent: none does; value: the file
    `workflow_path` holds `text`, "<semantic path>=<value>"; line: it holds the line `text`; lines: it holds
    those of `text` behind one another, whole but for their indentation; image: a RUN instruction of
    the Dockerfile `workflow_path` runs a command that starts with `text`, under the `NAME=value`s before it. `program`
    is a module or a program's name; "" means some command. `step` narrows it to a step's index, -1: any.
    """

    kind: str
    text: str
    job: str
    workflow_path: str
    program: str = ""
    step: int = -1


def as_promised(line: bytes | str) -> str:
    """A line as an expectation of this kind names it: without the comment behind it and the blanks around it."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    return text.partition(" #")[0].strip()


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another job that is exposed to the same failure, with why we think so."""

    workflow_path: str
    job: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Origin:
    """A recipe, the captures it was filled with (name, text), and the job that it was worked out for."""

    recipe: Recipe
    workflow_path: str
    job: str
    captures: tuple[tuple[str, str], ...] = ()
    step: str = ""
    siblings: bool = False
    script: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A fix worked out against a tree, before any proof. `state` is PATCH when it has edits to prove."""

    title: str
    recipe: str
    state: PatchState
    applicability: Applicability
    edits: tuple[Edit, ...] = ()
    # Semantic paths that may change: "<file>:jobs.<id>.env.NAME", "<file>" for a whole shell script.
    declared: tuple[str, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    reason: str = ""
    because: str = ""
    notes: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    blast_radius: tuple[str, ...] = ()
    # A command line that reproduces the failing step by hand.
    reproduce: str = ""
    # 0: the first choice for its cause; 1, 2, ...: alternatives, in the ladder's order.
    order: int = 0
    # What the draft was worked out from, so that the gates can work it out again on the patched tree.
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Hunk:
    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Patch:
    """A draft with its proof. `diff` is unified, with a/ and b/ prefixes; empty unless the state is PATCH or ADVICE."""

    id: str
    causes: tuple[str, ...]
    title: str
    recipe: str
    state: PatchState
    applicability: Applicability
    base_sha: str = ""
    files: tuple[str, ...] = ()
    diff: str = ""
    hunks: tuple[Hunk, ...] = ()
    gates: tuple[Gate, ...] = ()
    reason: str = ""
    because: str = ""
    notes: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    blast_radius: tuple[str, ...] = ()
    reproduce: str = ""
    alternative_of: str = ""
