"""`pip_uninstall`: a distribution that shadows what the job needs is taken away behind the last install."""

from __future__ import annotations

from triage.fixes.recipes.dependencies.adding import promised
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.reaching import place_to_add, reaching
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.shell.edits import insert_line
from triage.model.recipe import PipUninstall


def pip_uninstall(recipe: PipUninstall, here: Situation) -> Outcome:
    """After the last install line, so that nothing brings it back."""
    name = here.fill(recipe.distribution, select=True)
    if isinstance(name, Refusal):
        return name
    if "{" in recipe.distribution and not knows_distribution(here.tree, here.tables, name):
        return Refusal(f"only the log names {name}")
    wanted = normalised(name)
    gone = installs(here.evaluation.invocations, "uninstall")
    if any(named.name == wanted for one in gone for named, _ in one.named):
        return InPlace(f"{here.job.id} already uninstalls {name}")
    if "{" in recipe.distribution and wanted not in here.facts.installed:
        return Refusal(f"the log does not list {name} as installed")
    done = reaching(here, installs(here.evaluation.invocations))
    anchor = place_to_add(here, done)
    if anchor is None:
        return Words(f"{here.job.id} installs nothing with pip: take {name} out of its image", image=True)
    flag = "" if anchor.uv else " -y"
    line = f"{' '.join(anchor.head)} uninstall{flag} {name}"
    return promised(
        here, anchor, insert_line(here.tree, anchor.call, line, why=f"{name} shadows what the job needs"), line
    )
