"""The extra of a project under which a feature is installed whose module the project's code takes only in use."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.recipes.dependencies.declarations import Declaration, closure
from triage.fixes.recipes.dependencies.importing import file_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import OF_TESTS
from triage.fixes.recipes.dependencies.projects import Project
from triage.fixes.recipes.dependencies.requiring import extras_of
from triage.fixes.recipes.situation import Situation


def feature_extra(here: Situation, done: Sequence[Install], project: Project, importer: str) -> str:
    """The only extra that the log's install chooses; where the log shows no install, the extra that is called as a
    folder of the code which needs it. "" for none, and for what is there for tests."""
    declared = extras_of(here, project)
    if done:
        places = [place for one in done for place in one.places if place.folder == project.folder]
        chosen = {extra for place in places for extra in place.extras}
    else:
        files = [file for frame in here.facts.frames if (file := file_of(here.tree, frame))]
        chosen = {folder for file in (*files, importer) for folder in file.split("/")[:-1]}
    found = [one for one in declared if one in chosen and not OF_TESTS.match(one)]
    return found[0] if len(found) == 1 else ""


def common_extra(here: Situation, project: Project, named: Sequence[Declaration]) -> str:
    """The only chosen extra that each of the extras which name the distribution brings along: what one flavour of the
    project has, and the chosen one lacks, belongs to what both are made of. "" for none."""
    held = next((extra for one in named for extra in sorted(one.extras & project.chosen) if extra), "")
    if held:
        return held
    brought = [closure(here.tree, project.folder, [extra]) - {extra, ""} for one in named for extra in one.extras]
    if not brought or any("" in one.extras for one in named):
        return ""
    common = frozenset.intersection(*brought) & project.chosen & {*extras_of(here, project)}
    return next(iter(common)) if len(common) == 1 else ""
