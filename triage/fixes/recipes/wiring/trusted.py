"""`trusted_release`: an upload to PyPI without a password, by a release of the action that cannot do without."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Expectation
from triage.model.recipe import TrustedRelease

PUBLISHER = "pypa/gh-action-pypi-publish"
# From 1.8 on a step without user and password asks PyPI for a token of its own (the action's notes on release 1.8.0);
# the branch is what its description tells to use.
_TRUSTS, BRANCH = (1, 8), "release/v1"
_COMMIT = re.compile(r"[0-9a-f]{7,40}\Z")
_RELEASE = re.compile(r"v([0-9]+)\.([0-9]+)(?:\.[0-9]+)?\Z")


def trusted_release(recipe: TrustedRelease, here: Situation) -> Outcome:
    del recipe
    steps = [one for one in here.job.steps if _ref(one)]
    failed = [one for one in steps if here.step is not None and one.index == here.step.index]
    step = failed[0] if failed else steps[0] if len(steps) == 1 else None
    if step is None:
        return Refusal(f"no one step of {here.job.id} uses {PUBLISHER}", here.job.path, here.job.line)
    where = f"{step.path}:{step.line}"
    if child(step.node, "with", "password") is not None:
        return Words(f"the step at {where} is given a password: see that the secret is there in this run, and is right")
    if not _is_granted(here):
        return Words(
            f"give the step at {where} `password: ${{{{ secrets... }}}}`, or the job `permissions: id-token: write` "
            "and PyPI this workflow as a trusted publisher"
        )
    ref, node = _ref(step), child(step.node, "uses")
    if _COMMIT.match(ref):
        return Words(f"see which release the commit at {where} is of: those before 1.8 need a password")
    if not _is_old(ref) or not isinstance(node, yaml.ScalarNode):
        return InPlace(f"{PUBLISHER}@{ref} asks PyPI to trust the run")
    chosen = foremost(one for one in _of_siblings(here))
    new = f"{PUBLISHER}@{chosen[0] if chosen else BRANCH}"
    edits = replace_scalar(here.job.document, node, new, why=f"{ref} needs a password; the job may ask for a token")
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].uses"
    promise = Expectation("value", f"{place}={new}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{place}",), (promise,), title=f"Upload by {new}")
    return made.noting("PyPI must know this repository and workflow as a trusted publisher of the project")


def _ref(step: Step) -> str:
    name, _, ref = step.uses.partition("@")
    return ref if name.lower() == PUBLISHER else ""


def _is_old(ref: str) -> bool:
    found = _RELEASE.match(ref)
    return ref in ("master", "release/v0") or (found is not None and (int(found[1]), int(found[2])) < _TRUSTS)


def _is_granted(here: Situation) -> bool:
    """What the job says of permissions takes the place of what its workflow says."""
    own = child(here.job.node, "permissions")
    held = own if own is not None else child(here.job.workflow.node, "permissions")
    return text_of(held) == "write-all" or text_of(child(held, "id-token")) == "write"


def _of_siblings(here: Situation) -> Iterator[str]:
    for job in sibling_jobs(here, PUBLISHER.encode()):
        yield from (ref for one in job.steps if (ref := _ref(one)) and not _is_old(ref) and not _COMMIT.match(ref))
