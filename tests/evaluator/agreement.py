"""Compares what the evaluator says a job runs with what real bash ran."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.evaluator.real_bash import Bash, Ran
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.job import evaluate_job, shell_options
from triage.fixes.evaluate.machine import Assumptions
from triage.fixes.evaluate.values import Value
from triage.fixes.refusal import Refusal
from triage.fixes.shell.script import run_script
from triage.fixes.workflow.load import Layers, job_layers, step_layers
from triage.fixes.workflow.model import Job
from triage.interfaces import Tree
from triage.model.diagnosis import Facts, Platform

# PyTorch calls ROCm "cuda".
PRINTED = {"rocm": "cuda"}


@dataclass(slots=True)
class Agreement:
    """`equal`, `unknown` (a hole in the evaluated arguments, or a command behind an unknown test), and both kinds of
    `wrong`: bash ran what the evaluator does not know, or did not run what it is sure of."""

    # Evaluated commands behind the point where real bash gave up, for want of a file that a program would have made.
    unreached: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.counts.values())


def compare(
    tree: Tree, job: Job, bash: Bash, device: str, agreement: Agreement, *, only_scripts: bool = True, told: bool = True
) -> None:
    """Every `run` step of a job's first matrix cell (those that call a script, when `only_scripts`).

    `told`: the evaluator knows the home folder, where the repository lies, and that nothing else is set. Otherwise it
    knows what it knows of a real runner, and every command must still be equal but for these holes.
    """
    device_facts = Facts(platform=Platform(device))
    device = PRINTED.get(device, device)
    assumptions = Assumptions(
        {"HOME": str(bash.home)},
        closed=True,
        workspace=str(bash.tree),
        succeed=True,
        outputs={"python": f"{device}\n", "python3": f"{device}\n"},
    )
    if not told:
        assumptions = Assumptions(succeed=True, outputs=assumptions.outputs)
    one = Job(job.workflow, job.node, job.id, job.combinations[:1], job.inputs, job.callers)
    evaluation = evaluate_job(tree, one, device_facts, assumptions)
    exports: dict[str, str] = {}
    for index, script, options, environment in _steps(one, exports):
        real = bash.run(script, options, environment, device)
        exports |= bash.exported()
        if only_scripts and b".sh" not in script:
            continue
        evaluated = [invocation for invocation in evaluation.invocations if invocation.step == index]
        place = f"{job.path}:{one.steps[index].line} {job.id}"
        _count(real, evaluated, place, agreement)


def _steps(job: Job, exports: dict[str, str]) -> Iterator[tuple[int, bytes, list[str], dict[str, str]]]:
    base = job_layers(job, job.combinations[0])
    for step in job.steps:
        layers = step_layers(Layers(base.context, base.environment, base.open), step)
        options = shell_options(step.shell or job.shell, job.labels)
        if step.run is None or options is None:
            continue
        script = run_script(step.document, step.run, layers.context)
        if isinstance(script, Refusal):
            continue
        flags = [flag for option in sorted(options) for flag in ("-o", option)]
        own = {name: str(value) for name, value in layers.environment.items()}
        yield step.index, script.data, flags, {**own, **exports}


def _count(ran: Ran, evaluated: list[Invocation], place: str, agreement: Agreement) -> None:
    left = sorted(evaluated, key=lambda one: len(one.assumptions))
    unmatched = []
    for argv in ran.commands:
        same = next((one for one in left if [value.text for value in one.argv] == argv), None)
        if same is None:
            unmatched.append(argv)
        else:
            left.remove(same)
            agreement.counts["equal"] += 1
    for argv in unmatched:
        alike = next((one for one in left if _may_be(one.argv, argv)), None)
        kind, shown = ("missing", "") if alike is None else ("unknown", alike.command_line[-300:])
        agreement.counts[kind] += 1
        agreement.misses.append(f"{kind} {place}: {shown!r} for {' '.join(argv)[-300:]!r}")
    for one in left:
        # An unknown number of rounds of a loop is evaluated once, so one command may stand for several.
        if any(_may_be(one.argv, argv) for argv in unmatched) or one.assumptions:
            continue
        if ran.succeeded:
            agreement.counts["invented"] += 1
            agreement.misses.append(f"invented {place}: {one.command_line!r}")
        else:
            agreement.unreached += 1


def _may_be(argv: tuple[Value, ...], words: list[str]) -> bool:
    """Whether the holes of the evaluated arguments can stand for what bash passed."""
    if all(value.known for value in argv):
        return False
    pattern = "".join(_pattern(value) for value in argv)
    return re.fullmatch(pattern, "".join(f"{word}\0" for word in words), re.DOTALL) is not None


def _pattern(value: Value) -> str:
    inner = "".join(
        ".*" if piece.text is None and piece.many else "[^\\x00]*" if piece.text is None else re.escape(piece.text)
        for piece in value.pieces
    )
    return f"(?:{inner}\\x00)?" if value.many else f"{inner}\\x00"
