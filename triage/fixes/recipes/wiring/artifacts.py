"""`match_artifact`: what uploads an artifact and what downloads it, so that they agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.other_runs import of_other_run
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import insert_after, replace_scalar, set_key
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.model.patch import Edit, Expectation
from triage.model.recipe import MatchArtifact

_UP, _DOWN = "actions/upload-artifact", "actions/download-artifact"
_USED = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)@v(?P<major>[0-9]+)(?:\.[0-9]+)*\Z")
# What these releases write, earlier ones do not find, and the other way round (actions/upload-artifact, v4.0.0).
_APART = 4
_OF_JOB = re.compile(r"\b(?:matrix|strategy|job|steps|env|inputs|needs)\.")


@dataclass(frozen=True, slots=True)
class _Use:
    """A step that uploads or downloads; `major` is 0 where the release is no number."""

    job: str
    place: str
    uses: yaml.ScalarNode
    major: int
    name: str
    node: yaml.ScalarNode | None


def match_artifact(recipe: MatchArtifact, here: Situation) -> Outcome:
    document = here.job.document
    downloads = [one for one in _uses(document, _DOWN) if one.job == here.job.id]
    if here.step is not None:
        downloads = [one for one in downloads if one.place == f"{here.place}.steps[{here.step.index}]"]
    said = here.captures.get(recipe.artifact.strip("{}"), "").strip(" .'\"")
    named = [one for one in downloads if said and one.name == said] or downloads
    if len(named) != 1:
        return Refusal(f"{here.job.id} has no one step that downloads the artifact", here.job.path, here.job.line)
    (down,) = named
    uploads = list(_uses(document, _UP))
    same = [one for one in uploads if one.name == down.name]
    if not same and (other := of_other_run(here, down.place, down.name, down.major)) is not None:
        return other
    if not uploads:
        return Refusal("no job of the workflow uploads an artifact", here.job.path)
    if not same:
        return _renamed(here, down, uploads)
    lacking = [one for one in same if one.job != down.job and one.job not in _waited_for(here, down.job)]
    if len(lacking) == len(same):
        return _needed(here, down, lacking)
    if any(not one.major for one in (*same, down)):
        return Refusal("which release of the actions runs is not known", here.job.path)
    old = [one for one in (*same, down) if one.major < _APART <= max(each.major for each in (*same, down))]
    if not old:
        return InPlace(f"{down.name} is uploaded and downloaded by releases that know each other")
    newest = max(one.major for one in (*same, down) if one.major >= _APART)
    if any(one is not down for one in _in_matrix(here, old)):
        return Words(f"{here.job.path}: move the uploads to v{newest}, and give each cell of the matrix its own name")
    return together([_moved(here, one, newest) for one in old])


def _uses(document: YamlDocument, action: str) -> Iterator[_Use]:
    for job, _, node in entries(child(document.root, "jobs")):
        for index, step in enumerate(items(child(node, "steps"))):
            uses, name = child(step, "uses"), child(step, "with", "name")
            if not isinstance(uses, yaml.ScalarNode) or uses.value.partition("@")[0] != action:
                continue
            found = _USED.match(uses.value)
            text = text_of(name) or ("artifact" if action == _UP else "")
            held = name if isinstance(name, yaml.ScalarNode) else None
            yield _Use(job, f"jobs.{job}.steps[{index}]", uses, int(found["major"]) if found else 0, text, held)


def _in_matrix(here: Situation, uses: list[_Use]) -> list[_Use]:
    """Uploads of which each cell of a matrix makes one under the same name, which releases from v4 on refuse."""
    jobs = here.job.workflow.job_node
    return [one for one in uses if child(jobs(one.job), "strategy", "matrix") is not None and "matrix." not in one.name]


def _waited_for(here: Situation, job: str) -> set[str]:
    found: set[str] = set()
    left = [job]
    while left:
        needs = {text_of(one) for one in items(child(here.job.workflow.job_node(left.pop()), "needs"))} - found
        found |= needs
        left += needs
    return found


def _moved(here: Situation, one: _Use, major: int) -> Outcome:
    new = f"{one.uses.value.partition('@')[0]}@v{major}"
    why = f"v{one.major} and v{major} do not find each other's artifacts"
    edits = replace_scalar(here.job.document, one.uses, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{one.place}.uses={new}", one.job, here.job.path)
    title = f"Move {one.uses.value.partition('@')[0]} to v{major}, as the other side has it"
    return Edited(edits, (f"{here.job.path}:{one.place}.uses",), (promise,), title=title)


def _renamed(here: Situation, down: _Use, uploads: list[_Use]) -> Outcome:
    """The one name that is uploaded and resembles what is asked for, where it means the same in this job."""
    free = [one.name for one in uploads if one.job in _waited_for(here, down.job)]
    close = get_close_matches(down.name, dict.fromkeys(free), n=2, cutoff=0.75) if down.node is not None else []
    if len(close) != 1 or down.node is None or _OF_JOB.search(close[0]):
        listed = ", ".join(f"`{name}`" for name in dict.fromkeys(one.name for one in uploads))
        return Words(f"{here.job.path}: nothing uploads `{down.name}`, what is uploaded is {listed}")
    edits = replace_scalar(here.job.document, down.node, close[0], why=f"it is uploaded as `{close[0]}`")
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{down.place}.with.name={close[0]}", down.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{down.place}.with.name",), (promise,))
    return replace(made, title=f"Download `{close[0]}`, as it is uploaded")


def _needed(here: Situation, down: _Use, uploads: list[_Use]) -> Outcome:
    """The job that uploads it among those that this one waits for."""
    (first, *more) = dict.fromkeys(one.job for one in uploads)
    document, job = here.job.document, here.job.workflow.job_node(down.job)
    if more or down.job in _waited_for(here, first):
        return Words(f"{here.job.path}: let {down.job} wait for the job that uploads `{down.name}`")
    why, held = f"{first} uploads `{down.name}`", child(job, "needs")
    where = f"jobs.{down.job}.needs"
    if held is None:
        edits = set_key(document, job, "needs", first, why=why)
        promise = Expectation("value", f"{where}={first}", down.job, here.job.path)
    elif isinstance(held, yaml.ScalarNode):
        new = f"[{document.data[document.start(held) : document.end(held)].decode()}, {first}]"
        edits = (Edit(document.path, document.start(held), document.end(held), new.encode(), why),)
        promise = Expectation("value", f"{where}[1]={first}", down.job, here.job.path)
    elif isinstance(held, yaml.SequenceNode) and held.value and id(held) not in document.aliased:
        last, promise = (
            held.value[-1],
            Expectation("value", f"{where}[{len(held.value)}]={first}", down.job, here.job.path),
        )
        end = document.end(last)
        column = held.start_mark.column
        flow = (Edit(document.path, end, end, f", {first}".encode(), why),)
        edits = flow if held.flow_style else insert_after(document, last, [f"- {first}"], column, why=why)
    else:
        return Refusal("what it waits for is no list", here.job.path, document.line(held))
    if isinstance(edits, Refusal):
        return edits
    return Edited(edits, (f"{here.job.path}:{where}",), (promise,), title=f"Wait for {first}, which uploads it")
