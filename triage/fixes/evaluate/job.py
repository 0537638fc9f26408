"""A job, step by step: environment, scripts, the repository's own actions, and what a step leaves the next one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from triage.fixes.evaluate.cells import After, Shared
from triage.fixes.evaluate.foreign import plain_commands
from triage.fixes.evaluate.invocation import Alteration, Call, Evaluation, Invocation
from triage.fixes.evaluate.machine import Assumptions, Frame, Machine, Pins, Sentinel
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.programs import SHELLS, option_changes, shell_words
from triage.fixes.evaluate.state import State, Variable
from triage.fixes.evaluate.statements import run
from triage.fixes.evaluate.traced import pins_of
from triage.fixes.evaluate.traps import finished
from triage.fixes.evaluate.values import Condition, SiteKind, Value, known
from triage.fixes.overlay import base_of
from triage.fixes.refusal import Refusal
from triage.fixes.shell.parse import parse
from triage.fixes.shell.script import run_script
from triage.fixes.workflow.displayed import displayed
from triage.fixes.workflow.expressions import evaluate, expressions, substitute, truth
from triage.fixes.workflow.files import action_files
from triage.fixes.workflow.load import Layers, inputs_of, job_layers, read_yaml, step_layers
from triage.fixes.workflow.model import Combination, Job, Step, steps_of
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts

_T = TypeVar("_T")
ACTIONS_CAP = 10
# Composite actions of one job, those that several others use counted each time.
ACTIONS_MOST = 200
# Conditions under which a step of a job that fails at it has run.
_ALWAYS = ("always()", "success()", "!cancelled()", "")


def evaluate_job(
    tree: Tree,
    job: Job,
    facts: Facts = Facts(),
    assumptions: Assumptions = Assumptions(),
    sentinel: Sentinel | None = None,
) -> Evaluation:
    """Every program that the job starts, over the matrix cells of `job` and over every path that the unknowns allow.

    Worked out once for what the tree holds: rungs, gates and the blast radius of a fix ask for the same job again.
    """
    return _ask(_answer, tree, job, pins_of(facts, job), assumptions, sentinel)


def given_by_files(tree: Tree, job: Job, facts: Facts) -> frozenset[str]:
    """The variables whose value in the log's trace the files themselves give, also where nobody knows the trace."""
    pins = pins_of(facts, job)
    return _ask(_given, tree, job, pins, Assumptions(), None) if pins.variables else frozenset()


@dataclass(frozen=True, slots=True)
class _Question:
    """Equal where the answer is: `key` holds the text of the job and of what lies over the tree, not their objects."""

    key: tuple[Hashable, ...]
    tree: Tree = field(compare=False)
    job: Job = field(compare=False)
    pins: Pins = field(compare=False)
    assumptions: Assumptions = field(compare=False)
    sentinel: Sentinel | None = field(compare=False)


def _ask(
    answer: Callable[[_Question], _T],
    tree: Tree,
    job: Job,
    pins: Pins,
    assumptions: Assumptions,
    sentinel: Sentinel | None,
) -> _T:
    base, changed = base_of(tree)
    key = (changed, _job_key(job), _pins_key(pins), _assumptions_key(assumptions), sentinel)
    asked = _Question(key, tree, job, pins, assumptions, sentinel)
    # `lru_cache` forgets the types of what it wraps.
    found: _T = _answers(base, answer)(asked)
    return found


# Two answers each about the tested commit's tree and the head's.
@lru_cache(maxsize=8)
def _answers(_base: Tree, answer: Callable[[_Question], _T]) -> Callable[[_Question], _T]:
    """The answers about one tree, and about what is laid over it: they are let go with the tree."""
    return lru_cache(maxsize=128)(answer)


def _answer(asked: _Question) -> Evaluation:
    found: list[Invocation] = []
    notes: dict[str, None] = {}
    altered: dict[str, tuple[Alteration, ...]] = {}
    shared, overridden = Shared(asked.job), dict[frozenset[str], Shared]()
    for cell in asked.job.combinations:
        machine = _evaluated(asked, cell, asked.pins, shared)
        unexplained = {name for name in machine.defaulted & asked.pins.variables.keys() if _unexplained(machine, name)}
        if unexplained:
            overrides = frozenset(unexplained)
            again = overridden.setdefault(overrides, Shared(asked.job))
            machine = _evaluated(asked, cell, replace(asked.pins, overrides=overrides), again)
        found += machine.recorded.values()
        notes |= machine.notes
        for path, ways in machine.altered.items():
            altered[path] = tuple(dict.fromkeys((*altered.get(path, ()), *ways)))
    return Evaluation(tuple(found), tuple(notes), altered)


def _given(asked: _Question) -> frozenset[str]:
    alone = replace(asked.pins, variables={})
    shared = Shared(asked.job)
    machines = [_evaluated(asked, cell, alone, shared) for cell in asked.job.combinations]
    traced = asked.pins.variables.items()
    return frozenset(
        name for name, value in traced if any(value in machine.assigned.get(name, ()) for machine in machines)
    )


def _job_key(job: Job) -> Hashable:
    cells = tuple((one.label, one.dynamic, tuple(one.values.items())) for one in job.combinations)
    return (job.path, job.document.data, job.id, cells, tuple(job.inputs.items()))


def _pins_key(pins: Pins) -> Hashable:
    return (frozenset(pins.variables.items()), pins.platform)


def _assumptions_key(held: Assumptions) -> Hashable:
    given = frozenset(held.environment.items()), frozenset(held.outputs.items())
    return (*given, held.closed, held.workspace, held.succeed)


def _unexplained(machine: Machine, name: str) -> bool:
    return machine.pins.variables[name] not in machine.assigned.get(name, ())


def _evaluated(asked: _Question, cell: Combination, pins: Pins, shared: Shared) -> Machine:
    job = asked.job
    machine = Machine(
        asked.tree, run, asked.assumptions, pins, asked.sentinel, combination=cell.label, mount=_mount(job.steps)
    )
    _JobRun(machine, job, cell, shared).steps()
    return machine


def _mount(steps: Sequence[Step]) -> str | None:
    """Where the checkout step puts the repository; None when another repository takes its place."""
    places: list[str | None] = []
    for step in steps:
        if not step.uses.startswith("actions/checkout@"):
            continue
        repository = text_of(child(step.node, "with", "repository"))
        path = text_of(child(step.node, "with", "path")).strip().removeprefix("./").rstrip("/") or "."
        own = not repository or "github.repository" in repository or "github.event" in repository
        places.append(path if own else None)
    own_places = [place for place in places if place is not None]
    return own_places[0] if own_places else None if places else "."


@dataclass(slots=True)
class _JobRun:
    machine: Machine
    job: Job
    cell: Combination
    shared: Shared
    # What earlier steps wrote to $GITHUB_ENV.
    exports: dict[str, Value] = field(default_factory=dict)
    actions: int = 0

    def steps(self) -> None:
        layers = job_layers(self.job, self.cell)
        runs = (step.index for step in self.job.steps if step.run is not None or step.uses.startswith("./"))
        last = max(runs, default=0)
        read: tuple[Hashable, ...] = (self.shared.read_by_job(self.cell),) if self.shared else ()
        for step in self.job.steps:
            self.machine.step = step.index
            self.machine.step_name = displayed(step.name, layers.context)
            self.machine.share(last=step.index >= last)
            if not self.shared:
                self._step(step, layers, (), 0)
                continue
            read = (*read, self.shared.read_by_step(step, self.cell))
            if (after := self.shared.after.get(read)) is not None:
                after.resume(self.machine)
                self.exports, self.actions = dict(after.exports), after.actions
                continue
            self._step(step, layers, (), 0)
            self.shared.after[read] = After.of(self.machine, self.exports, self.actions)

    def _step(self, step: Step, layers: Layers, calls: tuple[Call, ...], depth: int) -> None:
        environment = layers.environment | {name: value for name, value in self.exports.items() if name}
        context = layers.context | {f"env.{name}".lower(): value for name, value in environment.items()}
        layers = step_layers(Layers(context, environment, layers.open or "" in self.exports), step)
        conditions = self._conditions(step, layers.context)
        if conditions is None:
            return
        if step.run is not None:
            self._run(step, layers, calls, conditions)
        elif step.uses.startswith("./"):
            self._action(step, layers, calls, depth)

    def _conditions(self, step: Step, context: Mapping[str, Value]) -> tuple[Condition, ...] | None:
        """None when the step surely does not run."""
        text = step.condition.strip()
        parts = list(expressions(text))
        inner = parts[0][2].strip() if len(parts) == 1 and parts[0][2] is not None else text
        if inner in _ALWAYS:
            return ()
        holds = truth(evaluate(inner, context))
        if holds is False:
            return None
        return (Condition(f"if: {inner}", True, step.path, step.line, decided=holds is True),)

    def _run(self, step: Step, layers: Layers, calls: tuple[Call, ...], conditions: tuple[Condition, ...]) -> None:
        machine, node = self.machine, step.run
        labels = [displayed(label, layers.context) for label in self.job.labels]
        options = shell_options(step.shell or self.job.shell, labels)
        if node is None:
            return
        script = run_script(step.document, node, layers.context)
        if isinstance(script, Refusal):
            machine.note(str(script))
            return
        if options is None:
            shell = step.shell or self.job.shell or "pwsh"
            where = f"{step.path}:{step.line}"
            machine.note(f"{where}: `{shell}` is no shell that is evaluated: only plain installs are read")
            script = replace(script, data=plain_commands(script.data))
        variables = {name: Variable(value, exported=True) for name, value in layers.environment.items()}
        state = State(variables, conditions=conditions, options=options or frozenset(), open=layers.open)
        self._enter(step, layers, state)
        frame = Frame(script, calls)
        for end in finished(machine, frame, run(machine, frame, parse(script.data), [state])):
            self.exports |= end.exports

    def _enter(self, step: Step, layers: Layers, state: State) -> None:
        node = step.working_directory or self.job.working_directory
        if node is not None:
            document = step.document if step.working_directory is not None else self.job.document
            folder = substitute(document, node, layers.context, SiteKind.LITERAL, "working-directory")
            state.directory = locate(self.machine, state, folder)

    def _action(self, step: Step, layers: Layers, calls: tuple[Call, ...], depth: int) -> None:
        """The steps of a composite action of this repository, which see its inputs and the caller's environment."""
        machine = self.machine
        self.actions += 1
        if self.actions > ACTIONS_MOST:
            if self.actions == ACTIONS_MOST + 1:
                machine.note(f"{step.path}:{step.line}: more than {ACTIONS_MOST} actions: the rest was not followed")
            return
        folder = machine.inside(step.uses.removeprefix("./").rstrip("/")) or "."
        path = next((one for one in action_files(folder) if one in machine.tree), "")
        document = read_yaml(machine.tree, path)
        if isinstance(document, Refusal):
            said = f"{document}" if path else "it is not in the repository"
            machine.note(f"{step.path}:{step.line}: `{step.uses}` is not followed: {said}")
            return
        if text_of(child(document.root, "runs", "using")) != "composite" or depth >= ACTIONS_CAP:
            return
        inputs = inputs_of(
            step.document, child(step.node, "with"), document, child(document.root, "inputs"), layers.context
        )
        context = {f"inputs.{name}".lower(): value for name, value in inputs.items()}
        start, end = step.document.start(step.node), step.end
        call = Call(step.path, step.line, start, end, end, (known(step.uses),), document.path, insertable=False)
        inner = Layers(context, layers.environment, layers.open)
        for one in steps_of(document, child(document.root, "runs", "steps")):
            self._step(one, inner, (*calls, call), depth + 1)


def shell_options(shell: str, labels: Sequence[str]) -> frozenset[str] | None:
    """The options in force at the start of a step's script; None for what is no POSIX shell."""
    words = shell_words(shell)
    if not words:
        windows = any("windows" in label.lower() for label in labels)
        return None if windows else frozenset({"errexit"})
    if words[0].rpartition("/")[2] not in SHELLS:
        return None
    if len(words) == 1:
        return frozenset({"errexit", "pipefail"} if words[0] == "bash" else {"errexit"})
    on, _, _ = option_changes([known(word) for word in words])
    return on
