"""The closed vocabulary of fixes. A recipe is data: it names what must hold afterwards, never where to type it.

The mechanics of each live in `triage/fixes/`. Strings may hold `{capture}` placeholders; a capture comes from an
untrusted log, so it may only select among values that the tree already holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.copies import (
    CopyCommand as CopyCommand,
    CopyEnv as CopyEnv,
    CopyGuard as CopyGuard,
    CopyLabel as CopyLabel,
    CopyRunner as CopyRunner,
    PinSource as PinSource,
)
from triage.model.corrections import OfCorrections as OfCorrections
from triage.model.foundations import (
    ArchList as ArchList,
    AsRoot as AsRoot,
    BuiltImage as BuiltImage,
    CopyMount as CopyMount,
    DevelBase as DevelBase,
    ExtraIndex as ExtraIndex,
    ForceBuild as ForceBuild,
    OfFoundations as OfFoundations,
    SecureAddress as SecureAddress,
)
from triage.model.images import ContainerOption as ContainerOption, Image as Image
from triage.model.installs import (
    BuildRequires as BuildRequires,
    CopySource as CopySource,
    HoldCalled as HoldCalled,
    HoldMoved as HoldMoved,
    HoldTool as HoldTool,
    HookDependency as HookDependency,
    HookRevision as HookRevision,
    OwnRequirement as OwnRequirement,
    PipInstall as PipInstall,
    PipPin as PipPin,
    PipRelease as PipRelease,
    PipUninstall as PipUninstall,
    PipWiden as PipWiden,
    RepairRequirement as RepairRequirement,
    SystemPackage as SystemPackage,
)
from triage.model.mending import OfMending as OfMending
from triage.model.overrides import (
    CopyOverride as CopyOverride,
    FitSizes as FitSizes,
    HydraOverride as HydraOverride,
    RemoveGivenTwice as RemoveGivenTwice,
    RemoveOverride as RemoveOverride,
    RepairConfig as RepairConfig,
    RepairOverride as RepairOverride,
)
from triage.model.repairs import (
    AgreeingTag as AgreeingTag,
    BaseImage as BaseImage,
    BuildSwitch as BuildSwitch,
    ClearCache as ClearCache,
    CopyConfigKey as CopyConfigKey,
    CopyCheckout as CopyCheckout,
    DeepClone as DeepClone,
    FewerJobs as FewerJobs,
    FewerSteps as FewerSteps,
    MoveThreshold as MoveThreshold,
    PublishGuard as PublishGuard,
    RepairBuild as RepairBuild,
    RepairFlag as RepairFlag,
    RepairJson as RepairJson,
    RepairValue as RepairValue,
    RepairWorkflow as RepairWorkflow,
    RepeatOption as RepeatOption,
    RetryCommand as RetryCommand,
    RunBefore as RunBefore,
    Timeout as Timeout,
    Tolerate as Tolerate,
    UpdateLists as UpdateLists,
    WidenVersion as WidenVersion,
)
from triage.model.scripts import (
    ActivateEnvironment as ActivateEnvironment,
    CopyVariable as CopyVariable,
    GitIdentity as GitIdentity,
    IgnoreTest as IgnoreTest,
    NameWritten as NameWritten,
    OfScripts,
    OwnFolder as OwnFolder,
    PassOption as PassOption,
    RemoveEnv as RemoveEnv,
    RemoveLines as RemoveLines,
    RepairLine as RepairLine,
    RepairScript as RepairScript,
    ReplaceCommand as ReplaceCommand,
    ReplaceLine as ReplaceLine,
    Rerun as Rerun,
    RunWithShell as RunWithShell,
    StripArchive as StripArchive,
    TrustFolder as TrustFolder,
)
from triage.model.tidying import FixWhitespace as FixWhitespace, NeedsNoJob
from triage.model.steps import AddStep as AddStep, SetKey as SetKey
from triage.model.wirings import (
    CacheFiles as CacheFiles,
    DefaultInput as DefaultInput,
    DropRef as DropRef,
    GrantPermission as GrantPermission,
    MatchArtifact as MatchArtifact,
    MoveAction as MoveAction,
    OfFiles,
    OfWirings,
    QuoteVersion as QuoteVersion,
    PinRunner as PinRunner,
    RenameInput as RenameInput,
    RepairCondition as RepairCondition,
    RepairTagRule as RepairTagRule,
    SetUpLanguage as SetUpLanguage,
    RepairGroup as RepairGroup,
)

_STRICT: dict[str, object] = {"extra": "forbid"}

# A placeholder that no capture makes: `{project}` in a comment is what the repository calls itself.
PROJECT = "project"
# Likewise `{installed}` in a pin: the release that the log lists of the distribution, a number and nothing else.
INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """Change the value that takes effect for a knob, at the one place that decides it in this job.

    Exactly one of `knob` (logical name of the tables), `key` (Hydra key) or `flag`. `from_values`: refuse when the
    tree holds another value (empty: any). The new value: `to`, or the first of `candidates` that passes the
    invariants, or old x `factor`, or old + `add`; bounded by `at_most` / `at_least`, which also say "already in place".
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["effective_value"] = "effective_value"
    knob: str = ""
    key: str = ""
    flag: str = ""
    from_values: tuple[str, ...] = ()
    to: str = ""
    candidates: tuple[str, ...] = ()
    factor: str = ""
    add: str = ""
    at_most: str = ""
    at_least: str = ""
    # The product of these numbers and knobs of the same program (`twice:` of one that is more than 1), over `over`.
    product: tuple[str, ...] = ()
    over: str = ""
    # The largest value below the present one that scripts beside this one have: what a cluster is known to take.
    below: Literal["", "siblings"] = ""
    # Of a key that the program's own file lacks: added where files like it hold it; without `to`, with the number that
    # most of them have.
    as_alike: bool = False
    # Only where the program's own file sets it, and not one that it builds on.
    own_file: bool = False
    # Of a knob that is a variable of the environment, as in `env`.
    level: Literal["job", "program"] = "job"
    # What a variable is where nothing sets it: a number that the log gives.
    default: str = ""
    # Changed together, all or nothing: the other halves of one fix.
    together: tuple[EffectiveValue, ...] = ()


@dataclass(frozen=True, slots=True)
class SetEnv:
    """`level: program`: where the program itself is started, in the runtime environment that a cluster gives it or in
    the script; the failed step's `env` when no script starts it. `name` and `value` may be captures, where the name is
    one of a framework's switches. `copy_from_sibling`: the value that most scripts of the tree set, which is needed.
    `as_in_workflow`: the number that other steps of the workflow have, where they agree on one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    value: str
    recipe: Literal["env"] = "env"
    level: Literal["workflow", "job", "step", "program"] = "job"
    comment: str = ""
    copy_from_sibling: bool = False
    as_in_workflow: bool = False


@dataclass(frozen=True, slots=True)
class Advise(NeedsNoJob):
    """Words only: what a person should do where no edit of the repository can be proved right.

    `knobs`: what they are set to in this job, and where, is added; `find`: so are the lines that hold this text.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    text: str
    recipe: Literal["advise"] = "advise"
    knobs: tuple[str, ...] = ()
    find: str = ""


@dataclass(frozen=True, slots=True)
class Together:
    """Several recipes as one patch, all or nothing: a new image and the installs that it makes needless."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipes: tuple[SingleRecipe, ...]
    recipe: Literal["together"] = "together"


SingleRecipe = (
    HydraOverride
    | EffectiveValue
    | SetEnv
    | RemoveEnv
    | PipInstall
    | SystemPackage
    | PipPin
    | PipUninstall
    | PipWiden
    | PipRelease
    | RepairRequirement
    | BuildRequires
    | OwnRequirement
    | CopySource
    | HoldTool
    | HoldMoved
    | HoldCalled
    | HookDependency
    | HookRevision
    | AddStep
    | Image
    | ContainerOption
    | Timeout
    | SetKey
    | RepairWorkflow
    | RepairBuild
    | PinSource
    | BaseImage
    | DeepClone
    | CopyGuard
    | CopyRunner
    | CopyLabel
    | CopyEnv
    | CopyCommand
    | RepairConfig
    | RepairOverride
    | RepairFlag
    | FixWhitespace
    | RemoveOverride
    | RemoveGivenTwice
    | CopyOverride
    | AgreeingTag
    | RepairJson
    | RepairValue
    | CopyCheckout
    | RunBefore
    | UpdateLists
    | WidenVersion
    | BuildSwitch
    | Tolerate
    | MoveThreshold
    | FewerJobs
    | FitSizes
    | FewerSteps
    | PublishGuard
    | GrantPermission
    | RepeatOption
    | RetryCommand
    | ClearCache
    | CopyConfigKey
    | OfScripts
    | OfCorrections
    | OfFoundations
    | OfMending
    | OfWirings
    | OfFiles
    | Rerun
    | Advise
)
Recipe = SingleRecipe | Together
