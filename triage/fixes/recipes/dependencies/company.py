"""The list of a project that brings what the same files import besides: what they need more belongs there too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from triage.fixes.counting import foremost
from triage.fixes.recipes.dependencies.declarations import run_time
from triage.fixes.recipes.dependencies.importing import imports
from triage.fixes.recipes.dependencies.projects import Project
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import distributions

# Fewer that stand in the list may do so for a reason of their own.
_FEW = 2


def list_of_company(here: Situation, project: Project, files: Sequence[str]) -> str:
    """The extra, of those that the job chooses, in which most of what the files always import is declared; "" for what
    is always required, and where nothing else has clearly more."""
    modules = {name for path in files for name, _ in imports(here.tree, path)}
    counts: Counter[str] = Counter()
    for module in sorted(modules):
        names = distributions(module, here.tables)
        extras = {extra for one in run_time(here.tree, project.folder, *names) for extra in one.extras}
        own = extras & project.chosen
        if len(own) == 1:
            counts[next(iter(own))] += 1
    most = foremost(counts)
    return most[0] if most is not None and most[1] >= _FEW else ""
