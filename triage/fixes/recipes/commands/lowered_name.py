"""The name of an image that GitHub fills in with a repository's or a person's name, in which capitals may stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.fixes.yaml.steps import insert_step
from triage.model.patch import Expectation

_FILLED = re.compile(r"\$\{\{\s*github\.(?:repository|repository_owner|actor|event\.repository\.(?:full_)?name)\s*\}\}")
_CAPITAL = re.compile(r"[A-Z]")


def lower_name(here: Situation) -> Outcome:
    """A step before the failed one that sets the variable anew, in small letters: what `GITHUB_ENV` names holds for
    every later step, whatever the workflow set."""
    image, step = here.captures.get("image", ""), here.step
    if not _CAPITAL.search(image.rpartition("/")[0] + image.rpartition("/")[2].partition(":")[0]):
        return Refusal("the log shows no name with capital letters")
    if step is None or step.path != here.job.path:
        return Refusal("the failed step is not known", here.job.path, here.job.line)
    text = here.job.document.data[here.job.document.start(step.node) : step.end].decode("utf-8", "replace")
    used = [name for name in dict.fromkeys(_filled(here)) if re.search(rf"\benv\.{name}\b|\$\{{?{name}\b", text)]
    if len(used) != 1:
        return Words("write the image's name in small letters: docker takes no others")
    name = used[0]
    line = f'echo "{name}=${{{name},,}}" >> "$GITHUB_ENV"'
    if line.encode() in here.job.document.data:
        return InPlace(f"{here.job.id} writes {name} in small letters")
    why = "a name on GitHub may have capitals, and an image's may not"
    edits = insert_step(here.job.document, step, f"Write {name} in small letters", line, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    declared = f"{here.job.path}:{here.place}.steps[+{step.index - 1}]"
    promise = Expectation("line", f"run: {line}", here.target.job, here.job.path)
    title = f"Write {name} in small letters before the image is named"
    return Edited(edits, (declared,), (promise,), title=title)


def _filled(here: Situation) -> Iterator[str]:
    """Variables of the workflow and of the job that hold such a name; a step's own wins over what is set before."""
    for layer in (here.job.workflow.node, here.job.node):
        for name, _, value in entries(child(layer, "env")):
            if isinstance(value, yaml.ScalarNode) and _FILLED.search(text_of(value)):
                yield name
