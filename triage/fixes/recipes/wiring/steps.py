"""`add_step`: a step after the installs, given or copied from a sibling job that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.copied_steps import fits_in
from triage.fixes.recipes.wiring.earlier import moved_earlier
from triage.fixes.recipes.wiring.more_room import remove_more
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.matrix import key_of_matrix, matrix_values
from triage.fixes.workflow.model import Job, Step
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import is_hosted
from triage.fixes.yaml.nodes import text_of
from triage.fixes.yaml.steps import insert_step, insert_step_text
from triage.model.patch import Edit, Expectation
from triage.model.recipe import AddStep

_PIP = re.compile(r"\bpip3?\b")
# What makes room on GitHub's machines, by a script or by an action.
_FREES = re.compile(r"/usr/share/dotnet|/usr/local/lib/android|/opt/ghc|free-disk-space|maximize-build-space")
# What makes room on any machine: by what is lacking, a copy of it would be made for another one.
_CLEARS = re.compile(rf"{_FREES.pattern}|\bdocker (?:\w+ )?prune\b|\brm -rf? +/")
# What empties the work folder of what root owns.
_EMPTIES = re.compile(r"\bsudo\b[^\n]*\b(?:rm|find)\b[^\n]*(?:GITHUB_WORKSPACE|\$\{\{ *github\.workspace *\}\})")
_INSTALLS = re.compile(r"\b(?:pip3?|uv|conda|mamba|apt|apt-get)\b[^\n]*\binstall\b|\buv sync\b")
_INSTALL_STEP = re.compile(r"install|dependenc|requirements|set ?up", re.I)


def add_step(recipe: AddStep, here: Situation) -> Outcome:
    own = next((step for step in here.job.steps if _called(step, recipe.name)), None)
    if own is not None and recipe.copy_from_sibling:
        return moved_earlier(here, own, step_lines(own))
    if own is not None:
        return InPlace(f"{here.job.id} already has a step `{recipe.name}`")
    if recipe.hosted and not on_bare_machine(here):
        return Refusal(f"{here.job.id} does not run on a machine of GitHub's own, or in a container there")
    cleaning = next((step for step in here.job.steps if recipe.hosted and _FREES.search(_said(step))), None)
    if cleaning is not None:
        room = InPlace(f"`{cleaning.name or cleaning.uses}` ({here.job.path}:{cleaning.line}) makes room already")
        return remove_more(recipe, here, cleaning) or room
    if here.system and _INSTALLS.search(recipe.run):
        return Refusal("the program runs in a container or on another host: a step of the job installs nothing there")
    if recipe.before_checkout:
        return _before_checkout(recipe, here)
    anchor = _anchor(recipe, here)
    if isinstance(anchor, Refusal):
        return anchor
    if recipe.copy_from_sibling:
        return _copied(recipe, here, anchor)
    run = _spelled(recipe.run, here)
    edits = insert_step(here.job.document, anchor, recipe.name, run, why=f"{here.job.id} lacks this step")
    return _edited(here, edits, anchor, run)


def on_bare_machine(here: Situation) -> bool:
    labels = [label for label in here.job.labels if label.lower().startswith("ubuntu")]
    bare = here.job.image is None and len(labels) == len(here.job.labels)
    return bare and bool(labels) and all(is_hosted(label) for label in labels)


def _said(step: Step) -> str:
    return step.run.value if step.run is not None else step.uses


def _edited(here: Situation, edits: tuple[Edit, ...] | Refusal, anchor: Step, run: str) -> Outcome:
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.job.path}:{here.place}.steps[+{anchor.index}]"
    first = next((line.strip() for line in run.splitlines() if line.strip()), run)
    promise = Expectation("command", first, here.target.job, here.target.workflow_path)
    if "$" in first:  # what a variable holds on the runner is not known here: the text itself is looked for
        held = f"{here.place}.steps[{anchor.index + 1}].run={run}"
        promise = Expectation("value", held, here.target.job, here.job.path)
    return Edited(edits, (place,), (promise,))


def _before_checkout(recipe: AddStep, here: Situation) -> Outcome:
    """What earlier jobs left belongs to whoever ran them: only root can take it away, whom a container would be."""
    steps = here.job.steps
    checkout = next((step for step in steps if step.uses.startswith("actions/checkout@")), None)
    if checkout is None or checkout.path != here.job.path:
        return Refusal(f"{here.job.id} has no checkout step", here.job.path, here.job.line)
    if here.job.image is not None or not here.job.labels or all(is_hosted(label) for label in here.job.labels):
        return Refusal(f"{here.job.id} does not run on a machine of its own, or in a container there")
    before = _clearing(here.job)
    if before is not None:
        return InPlace(f"`{before.name}` of {here.job.path}:{before.line} clears the work folder already")
    why, run = f"{checkout.name or checkout.uses} cannot take away what another user left", recipe.run
    others = ((job, step) for job in sibling_jobs(here, b"sudo") if (step := _clearing(job)) is not None)
    copied = next((step for job, step in others if not _of_github(job) and fits_in(here, job, step)), None)
    if copied is not None and copied.run is not None:
        why, run = f"{why}: copied from {copied.path}:{copied.line}", copied.run.value
        edits = insert_step_text(here.job.document, checkout, step_lines(copied), why=why, before=True)
    else:
        edits = insert_step(here.job.document, checkout, recipe.name, recipe.run, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps"
    promise = Expectation("value", f"{place}[{checkout.index}].run={run}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{place}[+{checkout.index - 1}]",), (promise,))
    return made.noting("the machine's user has to be one whom sudo asks for no password")


def _clearing(job: Job) -> Step | None:
    """The step before a job's first checkout that empties the work folder as root."""
    first = next((step.index for step in job.steps if step.uses.startswith("actions/checkout@")), 0)
    runs = (step for step in job.steps[:first] if step.run is not None and _EMPTIES.search(step.run.value))
    return next(runs, None)


def _anchor(recipe: AddStep, here: Situation) -> Step | Refusal:
    """The step to add it after."""
    steps = here.job.steps
    if not steps or here.job.hands_script:
        return Refusal(f"{here.job.id} has no steps of its own", here.job.path, here.job.line)
    if recipe.after == "checkout":
        found = next((step for step in steps if step.uses.startswith("actions/checkout@")), None)
        return found or Refusal(f"{here.job.id} has no checkout step", here.job.path, here.job.line)
    if recipe.after == "first":
        return steps[0]
    return install_anchor(here)


def install_anchor(here: Situation) -> Step | Refusal:
    """The last of the steps that install what the job needs."""
    steps = here.job.steps
    if here.job.hands_script:
        return Refusal(f"{here.job.id} has no steps of its own", here.job.path, here.job.line)
    indices = [one.invocation.step for one in installs(here.evaluation.invocations) if one.call.path == here.job.path]
    if indices:
        return steps[max(_opening(indices))]
    named = next((step for step in steps if _INSTALL_STEP.search(step.name) and step.run is not None), None)
    return named or Refusal(f"{here.job.id} has no step that installs", here.job.path, here.job.line)


def _opening(indices: Sequence[int]) -> list[int]:
    """The first run of consecutive steps that install: later installs belong to single tests."""
    ordered = sorted(set(indices))
    opening = ordered[:1]
    for index in ordered[1:]:
        if index != opening[-1] + 1:
            break
        opening.append(index)
    return opening


def _spelled(run: str, here: Situation) -> str:
    """`pip` as this job's last install line spells it."""
    done = installs(here.evaluation.invocations)
    spelling = next((word for one in reversed(done) for word in one.head if _PIP.fullmatch(word)), "")
    return re.sub(r"\bpip3?(?= )", spelling, run) if spelling else run


def _copied(recipe: AddStep, here: Situation, anchor: Step) -> Outcome:
    left: list[Step] = []
    elsewhere: list[Step] = []
    for job, step in _siblings(here):
        if not _called(step, recipe.name) or (step.run is None and not step.uses):
            continue
        if here.system and _INSTALLS.search(_said(step)):
            continue
        if _CLEARS.search(_said(step)) and not _on_such_a_machine(here, job):
            elsewhere.append(step)
            continue
        if not fits_in(here, job, step):
            left.append(step)
            continue
        if any(_does_the_same(own, step) for own in here.job.steps):
            return InPlace(f"{here.job.id} already runs what `{step.name}` of {step.path}:{step.line} runs")
        why = f"copied from {step.path}:{step.line}"
        edits = insert_step_text(here.job.document, anchor, step_lines(step), why=why)
        if step.run is None:
            return _used(here, edits, anchor, step)
        return _edited(here, edits, anchor, step.run.value)
    if left:
        place = f"`{left[0].name}` of {left[0].path}:{left[0].line}"
        return Words(f"{here.job.id} lacks what {place} does, and that reads what only its own job has")
    if elsewhere:
        place = f"`{elsewhere[0].name}` of {elsewhere[0].path}:{elsewhere[0].line}"
        return Words(f"{place} makes room on another kind of machine than the one that {here.job.id} runs on")
    return Words(f"no sibling job has a step `{recipe.name}` to copy")


def _on_such_a_machine(here: Situation, job: Job) -> bool:
    """Whether both jobs run on GitHub's own machines, or on those of one label."""
    same = here.job.labels == job.labels and not any("${{" in label for label in job.labels)
    return same or (_of_github(here.job) and _of_github(job))


def _of_github(job: Job) -> bool:
    """By its labels, or by what its matrix or a condition may put in their place."""
    return any(is_hosted(label) or _may_be_hosted(job, label) for label in job.labels)


def _may_be_hosted(job: Job, label: str) -> bool:
    if "${{" not in label:
        return False
    values = [text_of(one) for one, _ in matrix_values(job.node, "", key_of_matrix(label))]
    return any(is_hosted(one) for one in (*values, *re.findall(r"'([^']+)'", label)))


def _called(step: Step, name: str) -> bool:
    """Whether the step has the name, in which `*` stands for anything."""
    return step.name == name or ("*" in name and fnmatchcase(step.name.lower(), name.lower()))


def _does_the_same(own: Step, other: Step) -> bool:
    if other.run is None:
        return own.uses.partition("@")[0] == other.uses.partition("@")[0]
    return own.run is not None and own.run.value == other.run.value


def _used(here: Situation, edits: tuple[Edit, ...] | Refusal, anchor: Step, step: Step) -> Outcome:
    """A copied step that runs an action, at the version at which the sibling uses it."""
    if isinstance(edits, Refusal):
        return edits
    steps = f"{here.place}.steps"
    promise = Expectation("value", f"{steps}[{anchor.index + 1}].uses={step.uses}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{steps}[+{anchor.index}]",), (promise,))


def _siblings(here: Situation) -> Iterator[tuple[Job, Step]]:
    """Steps of the other jobs of the same file, then of all other files, with their jobs."""
    ordered = sorted(workflow_paths(here.tree), key=lambda path: (path != here.job.path, path))
    for path in ordered:
        workflow = load_workflow(here.tree, path)
        for job in () if isinstance(workflow, Refusal) else jobs_of(here.tree, workflow):
            if (job.path, job.id) != (here.job.path, here.job.id):
                yield from ((job, step) for step in job.steps)


def step_lines(step: Step) -> list[str]:
    """The step's own lines, without the dash and without the indentation of its keys."""
    document = step.document
    start = document.start(step.node)
    column = start - (document.data.rfind(b"\n", 0, start) + 1)
    lines = document.data[start : step.end].decode().splitlines()
    return [lines[0], *(line[column:] if line[:column].isspace() else line for line in lines[1:])]
