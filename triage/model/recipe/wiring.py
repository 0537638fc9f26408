"""Recipes about the workflow around the commands: jobs, steps, environment, permissions. A part of the vocabulary of
`recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.recipe.steps import EventGuard, LetFail, LimitStep, TrustedRelease

_STRICT: dict[str, object] = {"extra": "forbid"}

# Programs of languages that a machine may lack, and that an action sets up.
OF_LANGUAGES = ("pip", "pip3", "python", "python3", "node", "npm", "npx", "java", "javac", "mvn", "go", "uv", "uvx")


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
class WidenVersion:
    """An exact release of Python or Node.js that the setup action does not find becomes its series. `version` is a
    capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    version: str
    recipe: Literal["widen_version"] = "widen_version"


@dataclass(frozen=True, slots=True)
class Timeout:
    """Raise the limit that the log speaks of, and those around it. `level`: where the log does not say which it was;
    `gitlab`, `azure` and `buildkite` are those of a job in the repository's files for these services.

    A `factor` below 1 only names the limit. `settled` says which one was raised, once it is.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["timeout"] = "timeout"
    level: Literal["job", "step", "gitlab", "azure", "buildkite"] = "job"
    factor: str = "1.5"
    at_most_minutes: int = 360
    settled: str = ""


@dataclass(frozen=True, slots=True)
class PublishGuard:
    """The `if:` that keeps a step that publishes out of pull requests, as siblings have it, else for the one branch by
    which the workflow itself is triggered. `tags`: out of every run that is not of a tag."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    tags: bool = False
    recipe: Literal["publish_guard"] = "publish_guard"


@dataclass(frozen=True, slots=True)
class RemoveEnv:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["env_remove"] = "env_remove"
    # Remove one setting of a list such as PYTORCH_CUDA_ALLOC_CONF, not the variable.
    item: str = ""


@dataclass(frozen=True, slots=True)
class NumberVariable:
    """A variable that a program reads as a number, and that the job sets to a truth value: 1 for yes, 0 for no. `name`
    and `value` are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    value: str
    recipe: Literal["number_variable"] = "number_variable"
    # The file in which it was set, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class SetInput:
    """The input `name` of the failed step, or of the job's only one, that uses `action`. `from_value`: only where it
    has that."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    action: str
    name: str
    to: str
    recipe: Literal["set_input"] = "set_input"
    from_value: str = ""


@dataclass(frozen=True, slots=True)
class MoveAction:
    """The release of an action that GitHub does not run any more, `action` by the log (a capture, "owner/name: v3"),
    and of the one that reads what it writes: as other workflows have it, else the first that is run again. Also what it
    does not have at all ("owner/name@v9"): as other jobs have it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    action: str
    recipe: Literal["move_action"] = "move_action"


@dataclass(frozen=True, slots=True)
class RepairGroup:
    """The `concurrency` group that unrelated runs share, `group` by the log: its key names no pull request. `settled`
    is the key that was written, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_group"] = "repair_group"
    group: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class DefaultInput:
    """The default of an input where another event than a person's start leaves it empty. `said` is a capture: what the
    log shows of the name or value in which something is missing; `of_image`: it is the name of a job's image."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["default_input"] = "default_input"
    said: str = ""
    of_image: bool = False


@dataclass(frozen=True, slots=True)
class MatchArtifact:
    """What uploads and downloads the artifact `artifact` (a capture) agree: the release of the actions, or the name."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["match_artifact"] = "match_artifact"
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class GrantPermission:
    """The entry of `permissions` that the job's token lacks. Captures that select it: `scope` is its name, `other` one
    that would do as well, `api` the address of the documentation that GitHub's refusal names; else the action of the
    failed step, or a git push. `access` is what a called workflow asks for, `read` or `write`, where it is one that
    asks."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["grant_permission"] = "grant_permission"
    scope: str = ""
    other: str = ""
    api: str = ""
    access: str = ""


@dataclass(frozen=True, slots=True)
class RenameInput:
    """The name of an action's input: `input` is the one that it does not know, `known` lists those that it takes (both
    captures)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    input: str
    known: str
    recipe: Literal["rename_input"] = "rename_input"


@dataclass(frozen=True, slots=True)
class DropRef:
    """The branch or tag `ref` (a capture) that a checkout asks for in its own words and that is gone."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    ref: str
    recipe: Literal["drop_ref"] = "drop_ref"


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The files that the cache of a setup action depends on, where none matches its own `pattern` (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    pattern: str
    recipe: Literal["cache_files"] = "cache_files"


@dataclass(frozen=True, slots=True)
class PinRunner:
    """An image of GitHub's machines by its number, `to`, where a job runs on the newest of that system."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    to: str
    recipe: Literal["pin_runner"] = "pin_runner"


@dataclass(frozen=True, slots=True)
class RepairCondition:
    """The condition of the login to the registry of `address` (a capture), where no cell of the matrix fulfils it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    address: str
    recipe: Literal["repair_condition"] = "repair_condition"


@dataclass(frozen=True, slots=True)
class RepairTagRule:
    """The rule by which docker/metadata-action names images, `rule` by the log, where it knows no such event."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    rule: str
    recipe: Literal["repair_tag_rule"] = "repair_tag_rule"


@dataclass(frozen=True, slots=True)
class SetUpLanguage:
    """The step by which other jobs set up the language that `program` (a capture, or its name) belongs to.
    `as_siblings`: the machine has one that is not to be used; only where other jobs have such a step."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    recipe: Literal["set_up_language"] = "set_up_language"
    as_siblings: bool = False


@dataclass(frozen=True, slots=True)
class AddStep:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["add_step"] = "add_step"
    run: str = ""
    after: Literal["install", "checkout", "first"] = "install"
    # Before the checkout instead, on machines of the repository's own, where the job has no container.
    before_checkout: bool = False
    # Copy a step of this name from a sibling job instead of writing `run`.
    copy_from_sibling: bool = False
    # Only on GitHub's own machines, outside of a container: `run` is about what they hold.
    hosted: bool = False


@dataclass(frozen=True, slots=True)
class SetKey:
    """Set a scalar of the job at a dotted YAML path relative to it (`strategy.max-parallel`, `concurrency.group`).

    `copy_from_sibling`: as most siblings have it, else `to`. `only_missing`: never change one that is there.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["set_key"] = "set_key"
    to: str = ""
    from_value: str = ""
    copy_from_sibling: bool = False
    only_missing: bool = False


@dataclass(frozen=True, slots=True)
class RepairReference:
    """An expression in the input `input` (a capture) of the failed step asks for an output, a step, a job or an axis by
    a name that is nearly the right one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    input: str
    recipe: Literal["repair_reference"] = "repair_reference"


OfWiring = (
    AddStep
    | CacheFiles
    | DefaultInput
    | DropRef
    | EventGuard
    | GrantPermission
    | LetFail
    | LimitStep
    | MatchArtifact
    | MoveAction
    | NumberVariable
    | PinRunner
    | PublishGuard
    | RemoveEnv
    | RenameInput
    | RepairCondition
    | RepairGroup
    | RepairReference
    | RepairTagRule
    | SetEnv
    | SetInput
    | SetKey
    | SetUpLanguage
    | Timeout
    | TrustedRelease
    | WidenVersion
)
