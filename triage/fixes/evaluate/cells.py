"""What the cells of a matrix share: a step that reads nothing in which two cells differ does the same in both."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from triage.fixes.evaluate.invocation import Alteration, Invocation
from triage.fixes.evaluate.machine import Machine
from triage.fixes.evaluate.system import Container
from triage.fixes.evaluate.values import Value
from triage.fixes.workflow.model import Combination, Job, Step
from triage.fixes.yaml.nodes import entries

# Keys of a job that are read step by step, or that no command sees.
_NOT_EVALUATED = ("steps", "strategy", "name", "concurrency", "timeout-minutes", "continue-on-error", "needs")
_READ = re.compile(rb"\bmatrix\s*\.\s*([\w.-]+)", re.I)
# Reads of what only a cell knows, in a way that names no key.
_ANY = re.compile(rb"\bmatrix\b(?!\s*\.\s*[\w-])|\bmatrix\s*\.\s*\*|\bstrategy\s*\.", re.I)


@dataclass(frozen=True, slots=True)
class After:
    """What a machine knows after a step: its records of that step, and all that later steps may ask for."""

    recorded: Mapping[tuple[object, ...], Invocation]
    notes: Mapping[str, None]
    steps: int
    entered: int
    actions: int
    assigned: Mapping[str, frozenset[str]]
    defaulted: frozenset[str]
    containers: Mapping[str, Container]
    exports: Mapping[str, Value]
    replaced: Mapping[str, str]
    altered: Mapping[str, tuple[Alteration, ...]]
    looked: int

    @classmethod
    def of(cls, machine: Machine, exports: Mapping[str, Value], actions: int) -> After:
        own = {key: one for key, one in machine.recorded.items() if one.step == machine.step}
        assigned = {name: frozenset(values) for name, values in machine.assigned.items()}
        return cls(
            recorded=own,
            notes=dict(machine.notes),
            steps=machine.steps,
            entered=machine.entered,
            actions=actions,
            assigned=assigned,
            defaulted=frozenset(machine.defaulted),
            containers=dict(machine.containers),
            exports=dict(exports),
            replaced=dict(machine.replaced),
            altered=dict(machine.altered),
            looked=machine.looked,
        )

    def resume(self, machine: Machine) -> None:
        """`machine`, of another cell, as if it had run the step."""
        for one in self.recorded.values():
            machine.record(replace(one, combination=machine.combination))
        machine.notes = dict(self.notes)
        machine.steps, machine.entered = self.steps, self.entered
        machine.assigned = {name: set(values) for name, values in self.assigned.items()}
        machine.defaulted = set(self.defaulted)
        machine.containers = dict(self.containers)
        machine.replaced, machine.altered = dict(self.replaced), dict(self.altered)
        machine.looked = self.looked


@dataclass(slots=True)
class Shared:
    """What the steps of one job came to in the cells so far, by all that they and the steps before them read."""

    job: Job
    after: dict[Hashable, After] = field(default_factory=dict)

    def __bool__(self) -> bool:
        # A node that is written elsewhere does not show what it reads.
        return len(self.job.combinations) > 1 and not self.job.document.aliased

    def read_by_job(self, cell: Combination) -> Hashable:
        """The values that the cell has for what the job's keys beside its steps read."""
        document = self.job.document
        values = (value for name, _, value in entries(self.job.node) if name not in _NOT_EVALUATED)
        text = b"\n".join(document.data[document.start(value) : document.end(value)] for value in values)
        return tuple(_read(text, cell))

    def read_by_step(self, step: Step, cell: Combination) -> Hashable:
        data = step.document.data[step.document.start(step.node) : step.end]
        return (step.index, *_read(data, cell))


def _read(text: bytes, cell: Combination) -> Iterator[Hashable]:
    if _ANY.search(text):
        yield cell.label
        yield from cell.values.items()
        return
    for name in sorted({found[1].decode().lower() for found in _READ.finditer(text)}):
        prefix = f"matrix.{name}"
        yield prefix
        yield from ((key, value) for key, value in cell.values.items() if key == prefix or key.startswith(f"{prefix}."))
