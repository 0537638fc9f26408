"""The closed vocabulary of fixes. A recipe is data: it names what must hold afterwards, never where to type it.

The mechanics of each live in `triage/fixes/`. Strings may hold `{capture}` placeholders; a capture comes from an
untrusted log, so it may only select among values that the tree already holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.recipe.builds import (
    AgreeingTag as AgreeingTag,
    ArchList as ArchList,
    BaseImage as BaseImage,
    BuildSwitch as BuildSwitch,
    BuiltImage as BuiltImage,
    ContainerOption as ContainerOption,
    ContainerVariable as ContainerVariable,
    CopyMount as CopyMount,
    DevelBase as DevelBase,
    FewerJobs as FewerJobs,
    ForceBuild as ForceBuild,
    Image as Image,
    MendInstruction as MendInstruction,
    OfBuilds as OfBuilds,
    PinSource as PinSource,
    RepairBuild as RepairBuild,
    SingleTag as SingleTag,
)
from triage.model.recipe.commands import (
    CopyVariable as CopyVariable,
    DropOption as DropOption,
    IgnoreTest as IgnoreTest,
    MendCommand as MendCommand,
    MoveThreshold as MoveThreshold,
    NameWritten as NameWritten,
    OfCommands as OfCommands,
    OwnFolder as OwnFolder,
    PassOption as PassOption,
    RemoveLines as RemoveLines,
    RenamePackage as RenamePackage,
    RenameVariable as RenameVariable,
    RepairScript as RepairScript,
    ReplaceCommand as ReplaceCommand,
    ReplaceLine as ReplaceLine,
    RetryCommand as RetryCommand,
    RunBefore as RunBefore,
    RunWithShell as RunWithShell,
    UseBash as UseBash,
    SecureAddress as SecureAddress,
    StripArchive as StripArchive,
    Tolerate as Tolerate,
)
from triage.model.recipe.dependencies import (
    AskForNewest as AskForNewest,
    BuildRequires as BuildRequires,
    CopySource as CopySource,
    DeepClone as DeepClone,
    ExtraIndex as ExtraIndex,
    FitPython as FitPython,
    HoldBuild as HoldBuild,
    HoldCalled as HoldCalled,
    HoldMoved as HoldMoved,
    HoldReplaced as HoldReplaced,
    HoldTool as HoldTool,
    HookDependency as HookDependency,
    HookRevision as HookRevision,
    INSTALLED_MAJOR as INSTALLED_MAJOR,
    OfDependencies as OfDependencies,
    OlderPip as OlderPip,
    OwnRequirement as OwnRequirement,
    PipInstall as PipInstall,
    PipPin as PipPin,
    PipRelease as PipRelease,
    PipUninstall as PipUninstall,
    PipWiden as PipWiden,
    RepairRequirement as RepairRequirement,
    SystemPackage as SystemPackage,
)
from triage.model.recipe.jobless import (
    Advise as Advise,
    COLUMNS_OF_COMMENTS as COLUMNS_OF_COMMENTS,
    CorrectTarget as CorrectTarget,
    DropItem as DropItem,
    ENDS_OF_FILES as ENDS_OF_FILES,
    ENDS_OF_LINES as ENDS_OF_LINES,
    FitType as FitType,
    FixWhitespace as FixWhitespace,
    Jobless as Jobless,
    MarkMachine as MarkMachine,
    MendFile as MendFile,
    NameModel as NameModel,
    QuoteVersion as QuoteVersion,
    RepairLine as RepairLine,
    RepairWorkflow as RepairWorkflow,
    Rerun as Rerun,
)
from triage.model.recipe.overrides import (
    AlikeKey as AlikeKey,
    ChooseValue as ChooseValue,
    CopyConfigKey as CopyConfigKey,
    CopyOverride as CopyOverride,
    DropConfigKeys as DropConfigKeys,
    EffectiveValue as EffectiveValue,
    HydraOverride as HydraOverride,
    LighterLoss as LighterLoss,
    OfOverrides as OfOverrides,
    RemoveGivenTwice as RemoveGivenTwice,
    RemoveOverride as RemoveOverride,
    RenameConfigKey as RenameConfigKey,
    RepairConfig as RepairConfig,
    RepairFlag as RepairFlag,
    RepairJson as RepairJson,
    RepairOverride as RepairOverride,
    RepairValue as RepairValue,
    RepeatOption as RepeatOption,
    ReplaceFlags as ReplaceFlags,
    TurnOff as TurnOff,
)
from triage.model.recipe.siblings import (
    CopyCheckout as CopyCheckout,
    CopyCommand as CopyCommand,
    CopyEnv as CopyEnv,
    CopyGuard as CopyGuard,
    CopyInput as CopyInput,
    CopyLabel as CopyLabel,
    CopyRunner as CopyRunner,
    OfSiblings as OfSiblings,
)
from triage.model.recipe.sizes import FewerSteps as FewerSteps
from triage.model.recipe.sizes import FitSetting as FitSetting
from triage.model.recipe.sizes import FitSizes as FitSizes
from triage.model.recipe.surroundings import (
    ActivateEnvironment as ActivateEnvironment,
    AsRoot as AsRoot,
    ClearCache as ClearCache,
    DropProxy as DropProxy,
    GitIdentity as GitIdentity,
    OfSurroundings as OfSurroundings,
    TrustFolder as TrustFolder,
    UpdateLists as UpdateLists,
)
from triage.model.recipe.steps import EventGuard as EventGuard
from triage.model.recipe.steps import LetFail as LetFail, LimitStep as LimitStep
from triage.model.recipe.steps import TrustedRelease as TrustedRelease
from triage.model.recipe.wiring import (
    AddStep as AddStep,
    CacheFiles as CacheFiles,
    DefaultInput as DefaultInput,
    DropRef as DropRef,
    GrantPermission as GrantPermission,
    MatchArtifact as MatchArtifact,
    MoveAction as MoveAction,
    NumberVariable as NumberVariable,
    OF_LANGUAGES as OF_LANGUAGES,
    OfWiring as OfWiring,
    PinRunner as PinRunner,
    PublishGuard as PublishGuard,
    RemoveEnv as RemoveEnv,
    RenameInput as RenameInput,
    RepairCondition as RepairCondition,
    RepairGroup as RepairGroup,
    RepairReference as RepairReference,
    RepairTagRule as RepairTagRule,
    SetEnv as SetEnv,
    SetInput as SetInput,
    SetKey as SetKey,
    SetUpLanguage as SetUpLanguage,
    Timeout as Timeout,
    WidenVersion as WidenVersion,
)

_STRICT: dict[str, object] = {"extra": "forbid"}

# A placeholder that no capture makes: `{project}` in a comment is what the repository calls itself.
PROJECT = "project"
# Likewise `{installed}` in a pin: the release that the log lists of the distribution, a number and nothing else.
INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Together:
    """Several recipes as one patch, all or nothing: a new image and the installs that it makes needless."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipes: tuple[SingleRecipe, ...]
    recipe: Literal["together"] = "together"


SingleRecipe = OfBuilds | OfCommands | OfSurroundings | OfDependencies | OfOverrides | OfWiring | OfSiblings | Jobless
Recipe = SingleRecipe | Together
