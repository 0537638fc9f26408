"""Whether a log can come from the job that is worked on: its steps are those of this commit, or of none of it."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.headers import fits_header, steps_of_job
from triage.fixes.whereabouts.typed import is_typed
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.names import find_job
from triage.interfaces import Tree
from triage.model.diagnosis import Announced

# One step of another wording is an edit of the day; so many that are all of another wording are another job.
_LEAST = 2
# Actions of GitHub's own that run no script of a shell.
_PLAIN = ("actions/", "docker/", "./")


def contradiction(tree: Tree, target: Target, announced: Sequence[Announced]) -> str:
    """Why the log is not one of this job at this commit; "" where nothing says so.

    Steps of actions and workflows that lie in other repositories are shown in the log too, so a job that uses one says
    nothing.
    """
    shown = [one for one in announced if any(line.strip() for line in one.script)]
    workflow = Refusal("") if is_typed(target.workflow_path) else load_workflow(tree, target.workflow_path)
    job = workflow if isinstance(workflow, Refusal) else find_job(tree, workflow, target.job, target.labels)
    if isinstance(job, Refusal) or job.uses or len(shown) < _LEAST:
        return ""
    steps = steps_of_job(tree, job)
    foreign = [one for one in steps if one.uses and not one.uses.startswith(_PLAIN)]
    if foreign or not any(one.run is not None for one in steps):
        return ""
    if any(fits_header(step, header) for step in steps for header in shown):
        return ""
    first = next(line.strip() for line in shown[-1].script if line.strip())
    return (
        f"none of the {len(shown)} scripts that the log shows is a step of {job.id} at this commit (`{first[:80]}`):"
        " the log belongs to another commit or another job"
    )
