"""Which workflow a log calls invalid, where it is another one than the failed job's, or no job is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.recipe import Recipe, RepairWorkflow

# "owner/name/.github/workflows/build.yml@ref" of a called workflow, "#L12" of an annotation.
_FILE = re.compile(r"(?:^|/)(\.github/workflows/[\w.-]+\.ya?ml)\b")


def named_workflow(recipe: Recipe, tree: Tree, target: Target, captures: Mapping[str, str]) -> Target:
    """The target, in the file that the log names when the tree has it: a name from a log only selects."""
    if not isinstance(recipe, RepairWorkflow):
        return target
    found = _FILE.search(captures.get(recipe.file.strip("{}"), ""))
    return replace(target, workflow_path=found[1]) if found and found[1] in tree else target
