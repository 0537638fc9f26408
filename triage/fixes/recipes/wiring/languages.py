"""`set_up_language`: a machine of the repository's own without the language whose program a step calls."""

from __future__ import annotations

import re
from collections import Counter

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.copied_steps import fits_in
from triage.fixes.recipes.wiring.steps import step_lines
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import child, text_of
from triage.fixes.yaml.steps import insert_step_text
from triage.model.patch import Expectation
from triage.model.recipe import SetUpLanguage

# The action of each program, and the input that says which release; without one the machine's own is looked for.
_ACTIONS = {
    **dict.fromkeys(("pip", "pip3", "python", "python3"), ("actions/setup-python", "python-version")),
    **dict.fromkeys(("node", "npm", "npx"), ("actions/setup-node", "node-version")),
    **dict.fromkeys(("java", "javac", "mvn"), ("actions/setup-java", "java-version")),
    "go": ("actions/setup-go", "go-version"),
    **dict.fromkeys(("uv", "uvx"), ("astral-sh/setup-uv", "")),
}
# Of the same file, whose `env` every job reads: that this one has it, `fits_in` sees to.
_OF_FILE = re.compile(r"\$\{\{\s*env\.\w+\s*\}\}")


def set_up_language(recipe: SetUpLanguage, here: Situation) -> Outcome:
    program = recipe.program if "{" not in recipe.program else here.captures.get(recipe.program.strip("{}"), "")
    program = program.rpartition("/")[2]
    action, wanted = _ACTIONS.get(program, ("", ""))
    if not action or here.step is None or here.step.path != here.job.path:
        return Refusal(f"`{program}` belongs to no language that an action sets up, or the failed step is not known")
    if here.facts.build is not None or here.system:
        return Refusal(f"`{program}` ran in an image's build or in a container: no step of the job sets it up there")
    own = next((step for step in here.job.steps if step.uses.startswith(f"{action}@")), None)
    if own is not None and own.index < here.step.index:
        return InPlace(f"{own.path}:{own.line} sets it up")
    if here.job.image is not None or own is not None:
        return Refusal(f"{here.job.id} has it from its image, or later", here.job.path, here.job.line)
    chosen = _chosen(here, action, wanted)
    if chosen is None and recipe.as_siblings:
        return Refusal(f"no other job uses {action} in words that fit here", here.job.path, here.job.line)
    if chosen is None:
        return Words(f"let `{action}` run before {here.step.path}:{here.step.line}; no other job says which release")
    anchor = _anchor(here, here.step)
    if child(chosen.node, "id") is not None:
        return Words(f"let a step as at {chosen.path}:{chosen.line} run before {anchor.path}:{anchor.line}")
    lacking = "the machine's own is not to be changed" if recipe.as_siblings else f"the machine has no `{program}`"
    why = f"as in {chosen.path}:{chosen.line}; {lacking}"
    edits = insert_step_text(anchor.document, anchor, step_lines(chosen), why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    steps = f"{here.place}.steps"
    promise = Expectation("value", f"{steps}[{anchor.index}].uses={chosen.uses}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{steps}[+{anchor.index - 1}]",), (promise,))
    return made.noting(f"the release is that of {chosen.path}:{chosen.line}")


def _anchor(here: Situation, failed: Step) -> Step:
    """The step behind the checkout where that comes before the one that failed, else that one."""
    before = [step for step in here.job.steps[: failed.index] if step.uses.startswith("actions/checkout@")]
    return here.job.steps[before[-1].index + 1] if before else failed


def _chosen(here: Situation, action: str, wanted: str) -> Step | None:
    """What most other jobs do, where they say the release in words of their own."""
    found: list[tuple[str, Step]] = []
    for job in sibling_jobs(here, action.encode()):
        for step in job.steps:
            if not step.uses.startswith(f"{action}@") or not fits_in(here, job, step):
                continue
            release = text_of(child(step.node, "with", wanted)) if wanted else "any"
            if release and ("${{" not in release or (job.path == here.job.path and _OF_FILE.fullmatch(release))):
                found.append((release, step))
    near = [one for one in found if one[1].path == here.job.path] or found
    if not near:
        return None
    most = Counter(release for release, _ in near).most_common(1)[0][0]
    return min((step for release, step in near if release == most), key=lambda step: len(step_lines(step)))
