"""`copy_label`: a runner's label that only one job asks for, and that resembles the one of its siblings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import yaml
from rapidfuzz import fuzz

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.platform import is_hosted
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import child, items, text_of
from triage.model.patch import Expectation
from triage.model.recipe import CopyLabel

# How alike, in percent, and how many siblings must have the label.
_ALIKE, _LEAST = 80, 2
_COUNT = re.compile(r"([0-9]+)\D*\Z")


def copy_label(recipe: CopyLabel, here: Situation) -> Outcome:
    nodes = items(child(here.job.node, "runs-on"))
    if len(nodes) != 1 or not isinstance(nodes[0], yaml.ScalarNode):
        return Refusal(f"{here.job.id} does not ask for one label", here.job.path, here.job.line)
    node, own = nodes[0], text_of(nodes[0])
    if recipe.settled and own == recipe.settled:
        return InPlace(f"{here.job.id} runs on {own} already")
    if "${{" in own or is_hosted(own):
        return Refusal(f"{own} is not a label of the repository's own machines", here.job.path, here.job.line)
    used = Counter(text_of(one) for job in sibling_jobs(here, b"runs-on") for one in items(child(job.node, "runs-on")))
    if used[own]:
        return Refusal(f"other jobs run on {own} too", here.job.path, here.job.line)
    alike = [one for one, count in used.items() if count >= _LEAST and _alike(own, one)]
    if len(alike) != 1:
        return Words(f"no other job asks for {own}: correct the label, or bring such a runner online")
    (new,) = alike
    edits = replace_scalar(here.job.document, node, new, why=f"{used[new]} other jobs run on {new}, and none on {own}")
    if isinstance(edits, Refusal):
        return edits
    held = child(here.job.node, "runs-on")
    place = f"{here.place}.runs-on" + ("[0]" if isinstance(held, yaml.SequenceNode) else "")
    promise = Expectation("value", f"{place}={new}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{here.place}.runs-on",), (promise,), title=f"Run on {new}")
    return replace(made, settled=replace(recipe, settled=new))


def _alike(own: str, other: str) -> bool:
    """Of the same spelling but for a part, and with as many devices."""
    counts = [_COUNT.search(one) for one in (own, other)]
    same = [one[1] if one else "" for one in counts]
    return "${{" not in other and not is_hosted(other) and same[0] == same[1] and fuzz.ratio(own, other) >= _ALIKE
