"""Which mechanics belong to which recipe about commands."""

from __future__ import annotations

from triage.fixes.recipes.commands.activating import activate_environment
from triage.fixes.recipes.commands.addresses import secure_address
from triage.fixes.recipes.commands.as_root import as_root
from triage.fixes.recipes.commands.by_bash import use_bash
from triage.fixes.recipes.commands.caches import clear_cache
from triage.fixes.recipes.commands.dropping import drop_option
from triage.fixes.recipes.commands.git_settings import git_identity, trust_folder
from triage.fixes.recipes.commands.ignoring import ignore_test
from triage.fixes.recipes.commands.lines import remove_lines, replace_line
from triage.fixes.recipes.commands.mend_command import mend_command
from triage.fixes.recipes.commands.misspelt_variables import rename_variable
from triage.fixes.recipes.commands.package_lists import update_lists
from triage.fixes.recipes.commands.prepared import name_written
from triage.fixes.recipes.commands.proxies import drop_proxy
from triage.fixes.recipes.commands.renamed_packages import rename_package
from triage.fixes.recipes.commands.retries import retry_command
from triage.fixes.recipes.commands.rewording import reword
from triage.fixes.recipes.commands.run_before import run_before
from triage.fixes.recipes.commands.stripping import strip_archive
from triage.fixes.recipes.commands.thresholds import move_threshold
from triage.fixes.recipes.commands.tolerating import tolerate
from triage.fixes.recipes.commands.unbound import copy_variable
from triage.fixes.recipes.commands.unended import repair_script
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.recipes.situation import Situation
from triage.model.recipe import (
    ActivateEnvironment,
    AsRoot,
    ClearCache,
    CopyVariable,
    DropOption,
    DropProxy,
    GitIdentity,
    IgnoreTest,
    MendCommand,
    MoveThreshold,
    NameWritten,
    OfCommands,
    OfSurroundings,
    OwnFolder,
    PassOption,
    RemoveLines,
    RenamePackage,
    RenameVariable,
    RepairScript,
    ReplaceCommand,
    ReplaceLine,
    RetryCommand,
    RunBefore,
    RunWithShell,
    SecureAddress,
    StripArchive,
    Tolerate,
    TrustFolder,
    UpdateLists,
    UseBash,
)


def of_commands(recipe: OfCommands | OfSurroundings, here: Situation) -> Outcome:  # noqa: C901 - one case a recipe
    match recipe:
        case ActivateEnvironment():
            return activate_environment(here)
        case AsRoot():
            return as_root(recipe, here)
        case ClearCache():
            return clear_cache(recipe, here)
        case CopyVariable():
            return copy_variable(recipe, here)
        case DropOption():
            return drop_option(recipe, here)
        case DropProxy():
            return drop_proxy(recipe, here)
        case GitIdentity():
            return git_identity(here)
        case IgnoreTest():
            return ignore_test(recipe, here)
        case MendCommand():
            return mend_command(recipe, here)
        case MoveThreshold():
            return move_threshold(recipe, here)
        case NameWritten():
            return name_written(recipe, here)
        case OwnFolder() | PassOption() | ReplaceCommand() | RunWithShell():
            return reword(recipe, here)
        case RemoveLines():
            return remove_lines(recipe, here)
        case RenamePackage():
            return rename_package(recipe, here)
        case RenameVariable():
            return rename_variable(recipe, here)
        case RepairScript():
            return repair_script(recipe, here)
        case ReplaceLine():
            return replace_line(recipe, here)
        case RetryCommand():
            return retry_command(recipe, here)
        case RunBefore():
            return run_before(recipe, here)
        case SecureAddress():
            return secure_address(recipe, here)
        case StripArchive():
            return strip_archive(recipe, here)
        case UseBash():
            return use_bash(recipe, here)
        case Tolerate():
            return tolerate(recipe, here)
        case TrustFolder():
            return trust_folder(recipe, here)
        case UpdateLists():
            return update_lists(recipe, here)
