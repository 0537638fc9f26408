"""Which mechanics belong to the recipes that correct one word of a command or one entry of a file."""

from __future__ import annotations

from triage.fixes.recipes.builds.container_variables import container_variable
from triage.fixes.recipes.commands.dropping import drop_option
from triage.fixes.recipes.commands.proxies import drop_proxy
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.overrides.alike_keys import alike_key
from triage.fixes.recipes.overrides.available import choose_value
from triage.fixes.recipes.overrides.lighter import lighter_loss
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.numbered import number_variable
from triage.fixes.recipes.wiring.switched_inputs import set_input
from triage.model.corrections import (
    AlikeKey,
    ChooseValue,
    ContainerVariable,
    DropOption,
    DropProxy,
    LighterLoss,
    NumberVariable,
    OfCorrectionsInJob,
    SetInput,
)


def correct(recipe: OfCorrectionsInJob, here: Situation) -> Outcome:
    match recipe:
        case NumberVariable():
            return number_variable(recipe, here)
        case ContainerVariable():
            return container_variable(recipe, here)
        case DropOption():
            return drop_option(recipe, here)
        case DropProxy():
            return drop_proxy(recipe, here)
        case SetInput():
            return set_input(recipe, here)
        case ChooseValue():
            return choose_value(recipe, here)
        case LighterLoss():
            return lighter_loss(recipe, here)
        case AlikeKey():
            return alike_key(recipe, here)
