"""Scripts of the repository that the log shows running, where no step of the workflow leads to them: an action of
another repository, or a shell on another machine, starts them."""

from __future__ import annotations

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.typed import JOB, typed_path, typed_workflow
from triage.fixes.workflow.load import load_job
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.nodes import parse_yaml
from triage.model.trail import Announced


def shown_commands(here: Situation) -> tuple[Invocation, ...]:
    """What the scripts run, the last command of the log first that leads to one; `step` is none of the job's."""
    for text in reversed(here.facts.commands):
        document = parse_yaml(typed_path(here.job.id), typed_workflow((Announced("Run", (text,)),)))
        if isinstance(document, Refusal) or not hasattr(document.root, "value"):
            continue
        job = load_job(Workflow(document, document.root), JOB, {}, ())  # type: ignore[arg-type] # a mapping
        ran = () if isinstance(job, Refusal) else evaluate_job(here.tree, job).invocations
        inside = tuple(one for one in ran if len(one.calls) > 1 and one.calls[-1].path in here.tree)
        if inside:
            return inside
    return ()
