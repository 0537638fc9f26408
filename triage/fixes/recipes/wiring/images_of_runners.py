"""`pin_runner`: a job on the newest image of GitHub's machines, which has moved on to tools that the job cannot use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.matrix import key_of_matrix, matrix_values
from triage.fixes.workflow.platform import is_hosted
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child, every_node, items, text_of
from triage.model.patch import Expectation
from triage.model.recipe import PinRunner


def pin_runner(recipe: PinRunner, here: Situation) -> Outcome:
    """`windows-latest`, in the job or in the list of its matrix that it runs on, becomes an image by its number."""
    system = recipe.to.partition("-")[0]
    places = list(_places(here))
    if here.job.path != here.target.workflow_path or here.job.uses:
        return Refusal(f"{here.job.id} gets its machine from elsewhere", here.job.path, here.job.line)
    newest = [(node, place) for node, place in places if text_of(node) == f"{system}-latest"]
    if not newest and any(text_of(node).startswith(f"{system}-") and is_hosted(text_of(node)) for node, _ in places):
        return InPlace(f"{here.job.id} names the image of its machine")
    if not newest:
        return Refusal(f"{here.job.id} does not run on {system}-latest", here.job.path, here.job.line)
    if here.job.image is not None:
        return Refusal(f"{here.job.id} runs in a container, whatever the machine has", here.job.path, here.job.line)
    if told := _told(here, newest, f"{system}-latest"):
        where = f"{here.job.path}:{told}"
        return Words(
            f"run on {recipe.to} instead of {system}-latest, and say so at {where} too, which goes by that name"
        )
    made = together([_pinned(here, node, place, recipe.to) for node, place in newest])
    return replace(made, title=f"Run on {recipe.to}") if isinstance(made, Edited) else made


def _places(here: Situation) -> Iterator[tuple[yaml.Node, str]]:
    """What decides the machine, with its semantic path."""
    held, place = child(here.job.node, "runs-on"), f"{here.place}.runs-on"
    for at, node in enumerate(items(held)):
        if key := key_of_matrix(text_of(node)):
            yield from matrix_values(here.job.node, here.place, key)
        else:
            yield node, place + (f"[{at}]" if isinstance(held, yaml.SequenceNode) else "")


def _told(here: Situation, newest: list[tuple[yaml.Node, str]], label: str) -> int:
    """The line of a text that goes by the matrix's value: a condition, an `exclude`, a file's name; 0 for none."""
    if all(".matrix." not in place for _, place in newest):
        return 0
    edited = {id(node) for node, _ in newest}
    own = {id(one) for one in every_node(here.job.node)}
    for node in every_node(here.job.document.root):
        named = isinstance(node, yaml.ScalarNode) and label in node.value and id(node) not in edited
        if named and (id(node) in own or text_of(node).strip() != label):
            return here.job.document.line(node)
    return 0


def _pinned(here: Situation, node: yaml.Node, place: str, to: str) -> Outcome:
    edits = replace_scalar(here.job.document, node, to, why=f"{text_of(node)} has become a newer image")  # type: ignore[arg-type]
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={to}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,))
