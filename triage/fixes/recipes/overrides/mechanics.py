"""Which mechanics belong to which recipe about overrides."""

from __future__ import annotations

from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.overrides.alike_keys import alike_key
from triage.fixes.recipes.overrides.available import choose_value
from triage.fixes.recipes.overrides.broken_yaml import repair_config
from triage.fixes.recipes.overrides.choices import repair_value
from triage.fixes.recipes.overrides.dividing import fit_sizes
from triage.fixes.recipes.overrides.dropped_keys import drop_config_keys
from triage.fixes.recipes.overrides.effective import effective_value
from triage.fixes.recipes.overrides.fewer_steps import fewer_steps
from triage.fixes.recipes.overrides.fitting_settings import fit_setting
from triage.fixes.recipes.overrides.flags import repair_flag
from triage.fixes.recipes.overrides.given_twice import remove_given_twice
from triage.fixes.recipes.overrides.json_arguments import repair_json
from triage.fixes.recipes.overrides.lacking import copy_config_key
from triage.fixes.recipes.overrides.lighter import lighter_loss
from triage.fixes.recipes.overrides.mandatory import copy_override
from triage.fixes.recipes.overrides.misnamed_keys import rename_config_key
from triage.fixes.recipes.overrides.override import hydra_override
from triage.fixes.recipes.overrides.overriding import repair_override
from triage.fixes.recipes.overrides.removing import remove_override
from triage.fixes.recipes.overrides.renamed_flags import replace_flags
from triage.fixes.recipes.overrides.repeated import repeat_option
from triage.fixes.recipes.overrides.turned_off import turn_off
from triage.fixes.recipes.situation import Situation
from triage.model.recipe import (
    AlikeKey,
    ChooseValue,
    CopyConfigKey,
    CopyOverride,
    DropConfigKeys,
    EffectiveValue,
    FewerSteps,
    FitSetting,
    FitSizes,
    HydraOverride,
    LighterLoss,
    OfOverrides,
    RemoveGivenTwice,
    RemoveOverride,
    RenameConfigKey,
    RepairConfig,
    RepairFlag,
    RepairJson,
    RepairOverride,
    RepairValue,
    RepeatOption,
    ReplaceFlags,
    TurnOff,
)


def of_overrides(recipe: OfOverrides, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case AlikeKey():
            return alike_key(recipe, here)
        case ChooseValue():
            return choose_value(recipe, here)
        case CopyConfigKey():
            return copy_config_key(recipe, here)
        case CopyOverride():
            return copy_override(recipe, here)
        case DropConfigKeys():
            return drop_config_keys(recipe, here)
        case EffectiveValue():
            return effective_value(recipe, here)
        case FewerSteps():
            return fewer_steps(recipe, here)
        case FitSetting():
            return fit_setting(recipe, here)
        case FitSizes():
            return fit_sizes(recipe, here)
        case HydraOverride():
            return hydra_override(recipe, here)
        case LighterLoss():
            return lighter_loss(recipe, here)
        case RemoveGivenTwice():
            return remove_given_twice(recipe, here)
        case RemoveOverride():
            return remove_override(recipe, here)
        case RenameConfigKey():
            return rename_config_key(recipe, here)
        case RepairConfig():
            return repair_config(recipe, here)
        case RepairFlag():
            return repair_flag(recipe, here)
        case RepairJson():
            return repair_json(recipe, here)
        case RepairOverride():
            return repair_override(recipe, here)
        case RepairValue():
            return repair_value(recipe, here)
        case RepeatOption():
            return repeat_option(recipe, here)
        case ReplaceFlags():
            return replace_flags(recipe, here)
        case TurnOff():
            return turn_off(recipe, here)
