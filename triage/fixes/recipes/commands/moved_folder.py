"""`cd old && python3 test.py`, where the file lies in another folder now: the step changes to that one."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.document import line_of, line_with
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.commands.entered import entered
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.shell.edits import replace_value
from triage.model.patch import Expectation, as_promised

_CD = re.compile(rb"(?m)(?:^|&&|;)[ \t]*(?:cd|pushd)[ \t]+([\w./-]+)[ \t]*(?=&&|;|$)")


def changed_folder(here: Situation, text: str, place: str) -> Outcome | None:
    """None where the step changes no folder, or names behind that what the new folder lacks."""
    step = here.step
    if step is None or step.run is None or "/" in text or step.working_directory is not None:
        return None
    document, new = step.document, posixpath.dirname(place)
    start, end = document.start(step.run), document.byte(step.run.end_mark.index)
    found = list(_CD.finditer(document.data, start, end))
    if len(found) != 1 or not new:
        return None
    old = found[0][1].decode()
    if here.job.working_directory is not None or entered(here.tree, step.run.value, old) != new:
        return None
    (first, last) = found[0].span(1)
    site = Site(document.path, first, last, line_of(document.data, first), SiteKind.INPUT, quote="yaml")
    edits = replace_value(here.tree, site, old, new, why=f"{text} is in {new}")
    if not isinstance(edits, tuple):
        return None
    held = as_promised(line_with(document.data, first, last, new.encode()))
    declared = declared_at(here, document.path, step.index).removesuffix(".run")
    promise = Expectation("line", held, here.target.job, document.path)
    return Edited(edits, (declared,), (promise,), title=f"Change to {new} in the step `{step.name}`")
