"""Which of a job's installs brought a distribution along that nothing names, by what the log lists as put in."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.project import project_name
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.reaching import place_to_add
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised


def brought_beside_project(here: Situation, done: Sequence[Install], name: str) -> Install | None:
    """The command behind which a bound belongs, where the log shows that no install of the repository's own project
    brought the distribution: the one that names what came in with it, else the last of the job.

    None where the log leaves open what brought it, and where a file or a project did: a bound belongs there then.
    """
    wanted, own = normalised(name), normalised(project_name(here.tree))
    batch = next((one for one in reversed(here.facts.batches) if wanted in one), None)
    if batch is None or here.image or own in batch:
        return None
    asked = [one for one in done if any(named.name in batch for named, _ in one.named)]
    if len(asked) == 1:
        return asked[0] if asked[0].call.insertable and not (asked[0].files or asked[0].places) else None
    if asked or not own or not any(own in one for one in here.facts.batches) or any(one.files for one in done):
        return None
    return place_to_add(here, done)
