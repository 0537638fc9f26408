"""Where the environment of the failed command is not the job's own: in the list from which it is made."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.recipes.dependencies.chosen_groups import in_chosen_group
from triage.fixes.recipes.dependencies.conda_lists import kept_by_conda
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.made_environments import in_made_environment
from triage.fixes.recipes.dependencies.unnamed import by_itself
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import Named
from triage.model.recipe import PipInstall

# A job has one of them: a test of another one that is collected beside is no missing requirement.
ENGINES = ("vllm", "sglang", "tensorflow", "jax")


def in_its_environment(
    recipe: PipInstall, here: Situation, done: Sequence[Install], title: str, named: Sequence[Named]
) -> Outcome | None:
    """`named`: where the tree names it. None where the job's own pip installs for the command, and where neither the
    tree nor the table says what it is called."""
    known = _known(recipe, here, title, named)
    if not known:
        return None
    if recipe.module and here.in_own_container:
        why = f"{here.job.id} builds the image, and runs the command in it"
        return by_itself(recipe, here, done, title, known, why)
    made = in_made_environment(here, known) or kept_by_conda(here, done, known)
    return made or (in_chosen_group(here, done, known) if recipe.module else None)


def _known(recipe: PipInstall, here: Situation, title: str, named: Sequence[Named]) -> str:
    """As the repository spells it, without the extras that others take, else the one name that the table has; "" where
    neither says it."""
    table = here.tables.programs if recipe.program else here.tables.distributions if recipe.module else {}
    known = table.get(title, ())
    written = next((name for one in named if (name := one.written.partition("[")[0])), "")
    return written or (known[0] if len(known) == 1 and known[0] not in ENGINES else "")
