"""What a recipe looks at: one job of one tree, what it runs, and what its log said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from triage.fixes.evaluate.invocation import Call, Evaluation, Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.recipes.systems import seen_by, system_of_failure
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.displayed import may_show
from triage.fixes.workflow.files import is_action
from triage.fixes.workflow.load import load_workflow, read_yaml
from triage.fixes.workflow.model import Job, Step, Workflow, steps_of
from triage.fixes.workflow.names import find_job, find_step
from triage.fixes.yaml.nodes import child
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.signature import Tables

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# The variables that a line gives its program, behind the header's first word.
_GIVEN = re.compile(r"\ARun (?:[A-Za-z_]\w*=(?>\$\{\{.*?\}\}|\"[^\"]*\"|[^\s\"])*\s+)*")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_LEAST_WORDS = 3
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?\Z")


@dataclass(frozen=True, slots=True)
class Situation:
    """`captures` come from an untrusted log: `select` and `number` are the only ways to use them."""

    tree: Tree
    workflow: Workflow
    job: Job
    evaluation: Evaluation
    target: Target
    facts: Facts
    tables: Tables
    captures: Mapping[str, str] = field(default_factory=dict)
    # The Dockerfile whose commands `evaluation` holds, "" for the job's own; its instruction that failed, -1: none.
    image: str = ""
    instruction: int = -1
    # The container or host in which the job failed; `evaluation` leaves out what runs in others. "": the job's own.
    system: str = ""

    @property
    def in_own_container(self) -> bool:
        """Whether a command in a container of the image failed that the job itself builds: no instruction of that."""
        return bool(self.image and self.system) and self.instruction < 0

    @property
    def step(self) -> Step | None:
        """The failed step, None when it is not known or is not one of the workflow's."""
        if self.image:
            return None
        if self.job.hands_script:  # the log shows the steps of the workflow that is called: one of them runs the script
            return next(iter(self.job.steps), None)
        if not self.target.step:
            return None
        found = find_step(self.job, self.target.step)
        shown = _by_header(self.job.steps, self.target, self.target.earlier) if isinstance(found, Refusal) else found
        return shown or self._called

    @property
    def step_name(self) -> str:
        """The failed step as it is found again after an edit of its script: by its own name, else as the log has it."""
        step = self.step
        alone = step is not None and [each.name for each in self.job.steps].count(step.name) == 1
        return step.name if step is not None and alone and "${{" not in step.name else self.target.step

    @property
    def _called(self) -> Step | None:
        """The step that the failing line itself names, as the workflow calls it."""
        found = find_step(self.job, name) if (name := self.captures.get("step", "")) else Refusal("it names none")
        return None if isinstance(found, Refusal) else found

    @property
    def inner(self) -> Step | None:
        """The failed step of an action of this repository: the log shows its header like any other one."""
        if self.step is not None or self.image or not self.target.step:
            return None
        paths = {call.path for one in self.evaluation.invocations for call in one.calls}
        return _by_header(steps_of_actions(self.tree, sorted(paths - {self.job.path})), self.target)

    @property
    def typed(self) -> bool:
        """Whether no workflow of the repository holds the job: only the log shows its commands."""
        return is_typed(self.job.path)

    @property
    def place(self) -> str:
        """The semantic path of the job inside its file."""
        return f"jobs.{self.job.id}"

    @property
    def concerned(self) -> tuple[Invocation, ...]:
        """What the failed step, or instruction, runs; everything that the job runs when that is not known."""
        index = self.instruction if self.image else self.step.index if self.step is not None else -1
        own = tuple(one for one in self.evaluation.invocations if one.step == index)
        if not own and (inner := self.inner) is not None:
            own = tuple(one for one in self.evaluation.invocations if any(_within(call, inner) for call in one.calls))
        return own or self.evaluation.invocations

    @property
    def lines(self) -> tuple[str, ...]:
        """What ran, as the log shows it, and the scripts of the job's steps: a name may stand in a variable there."""
        return (*self.facts.commands, *(line for step in self.job.steps for line in step.script))

    def fill(self, text: str, *, select: bool = False) -> str | Refusal:
        """`text` with its `{capture}`s: numbers, unless the text only selects among what the tree holds."""
        for name in _PLACEHOLDER.findall(text):
            if name not in self.captures:
                return Refusal(f"the log gave no `{name}`")
            if not select and not _NUMBER.match(self.captures[name]):
                return Refusal(
                    f"`{name}` comes from the log and is no number: it may not be written into the repository"
                )
        return _PLACEHOLDER.sub(lambda found: self.captures[found[1]], text)


def steps_of_actions(tree: Tree, paths: Iterable[str]) -> list[Step]:
    """The steps of those of the files that define an action, in their order."""
    documents = (read_yaml(tree, path) for path in paths if is_action(path))
    read = [one for one in documents if not isinstance(one, Refusal)]
    return [step for one in read for step in steps_of(one, child(one.root, "runs", "steps"))]


def _within(call: Call, step: Step) -> bool:
    return call.path == step.path and step.document.start(step.node) <= call.start < step.end


def _by_header(steps: Sequence[Step], target: Target, earlier: int = -1) -> Step | None:
    """A log's header shows `Run` and the script's first line, its expressions filled in, or the action, whatever the
    step is called; the lines below tell those apart that begin alike. None when several fit."""
    headed = [(step, f"Run {next(iter(step.script), step.uses)}") for step in steps if step.script or step.uses]
    exact = [step for step, head in headed if target.step == head]
    first = exact or [step for step, head in headed if _is_telling(head) and may_show(head, target.step)]
    shown = [line.strip() for line in target.script if line.strip()]
    if len(first) == 1:
        return first[0]
    # A first line that is an expression alone names no step; the lines below it do.
    among = first or ([step for step, _ in headed if len(step.script) > 1] if len(shown) > 1 else [])
    whole = [step for step in among if _shows(step.script, shown)]
    return whole[0] if len(whole) == 1 else _of_twins(whole, earlier)


def _of_twins(steps: Sequence[Step], earlier: int) -> Step | None:
    """Of steps with the same text the one that has as many before it as ran; None where a condition may have left one
    of those out."""
    known = 0 <= earlier < len(steps) and not any(step.condition for step in steps[: earlier + 1])
    return steps[earlier] if known else None


def _is_telling(head: str) -> bool:
    """Whether a line says more than its expressions do: its program is written, whatever variables it is given."""
    given = _GIVEN.sub("Run ", head)
    words = given.split()
    if len(words) < _LEAST_WORDS or "${{" in words[1]:
        return False
    written = [word for word in _EXPRESSION.sub("", given).split() if any(map(str.isalpha, word))]
    return "${{" not in words[2] or len(written) > _LEAST_WORDS


def _shows(lines: Sequence[str], shown: Sequence[str]) -> bool:
    return len(lines) == len(shown) and all(may_show(a, b) for a, b in zip(lines, shown, strict=True))


def open_situation(
    tree: Tree, target: Target, facts: Facts, tables: Tables, captures: Mapping[str, str]
) -> Situation | Refusal:
    workflow = load_workflow(tree, target.workflow_path)
    if isinstance(workflow, Refusal):
        return workflow
    job = find_job(tree, workflow, target.job, target.labels)
    if isinstance(job, Refusal):
        return job
    every = Situation(tree, job.workflow, job, evaluate_job(tree, job, facts), target, facts, tables, captures)
    system = system_of_failure(facts, every.concerned)
    return replace(every, evaluation=seen_by(every.evaluation, system), system=system)
