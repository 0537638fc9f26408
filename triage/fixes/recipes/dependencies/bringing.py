"""Which of a job's installs brought a distribution along that nothing names, by what the log lists as put in."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.project import project_name
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.reaching import place_to_add
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import in_file, normalised, requirement_files

_MOST = 4


def brought_unseen(here: Situation, done: Sequence[Install], name: str) -> Words | None:
    """Words where the log lists it as put in beside nothing that the job's own installs name: something that the job
    starts installs it, and would do so again behind whatever the job installs before."""
    batch = _batch_of(here, name)
    opaque = any(one.files or one.places or one.projects or not one.named for one in done)
    if batch is None or here.image or not done or opaque:
        return None
    if any(named.name in batch for one in done for named, _ in one.named):
        return None
    files = requirement_files(here.tree)
    bringing = [one for path in files for one in in_file(here.tree, path) if one.name in batch and one.path == path]
    where = ", ".join(dict.fromkeys(f"{one.path}:{one.line} ({one.spec})" for one in bringing[:_MOST]))
    said = f"what {here.job.id} installs itself did not bring {name}: something that it starts did"
    return Words(f"{said}; of what came in with it the repository names {where}: hold it there" if where else said)


def brought_beside_project(here: Situation, done: Sequence[Install], name: str) -> Install | None:
    """The command behind which a bound belongs, where the log shows that no install of the repository's own project
    brought the distribution: the one that names what came in with it, else the last of the job.

    None where the log leaves open what brought it, and where a file or a project did: a bound belongs there then.
    """
    batch, own = _batch_of(here, name), normalised(project_name(here.tree))
    if batch is None or here.image or own in batch:
        return None
    asked = [one for one in done if any(named.name in batch for named, _ in one.named)]
    if len(asked) == 1:
        return asked[0] if asked[0].call.insertable and not (asked[0].files or asked[0].places) else None
    if asked or not own or not any(own in one for one in here.facts.batches) or any(one.files for one in done):
        return None
    return place_to_add(here, done)


def _batch_of(here: Situation, name: str) -> frozenset[str] | None:
    """What came in with it the last time; None where the log shows no installation of it."""
    return next((one for one in reversed(here.facts.batches) if normalised(name) in one), None)
