"""The closed vocabulary of fixes. A recipe is data: it names what must hold afterwards, never where to type it.

The mechanics of each live in `triage/fixes/`. Strings may hold `{capture}` placeholders; a capture comes from an
untrusted log, so it may only select among values that the tree already holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}

# A placeholder that no capture makes: `{project}` in a comment is what the repository calls itself.
PROJECT = "project"
# Likewise `{installed}` in a pin: the release that the log lists of the distribution, a number and nothing else.
INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class HydraOverride:
    """Append `key=value` to every command of the job that starts one of `entry` (module globs; empty: the program whose
    configuration holds the key), directly or through scripts that forward their arguments."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    value: str
    recipe: Literal["hydra_override"] = "hydra_override"
    prefix: Literal["auto", "", "+", "++"] = "auto"
    entry: tuple[str, ...] = ()
    via: Literal["variable", "literal"] = "variable"
    variable: str = ""
    level: Literal["job", "step"] = "job"
    comment: str = ""


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
    # The product of these numbers and knobs of the same program.
    product: tuple[str, ...] = ()
    # Of a knob that is a variable of the environment, as in `env`.
    level: Literal["job", "program"] = "job"
    # Changed together, all or nothing: the other halves of one fix.
    together: tuple[EffectiveValue, ...] = ()


@dataclass(frozen=True, slots=True)
class SetEnv:
    """`level: program`: where the program itself is started, in the runtime environment that a cluster gives it or in
    the script; the failed step's `env` when no script starts it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    value: str
    recipe: Literal["env"] = "env"
    level: Literal["workflow", "job", "step", "program"] = "job"
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RemoveEnv:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["env_remove"] = "env_remove"
    # Remove one setting of a list such as PYTORCH_CUDA_ALLOC_CONF, not the variable.
    item: str = ""


@dataclass(frozen=True, slots=True)
class PipInstall:
    """Provide the distribution of import `module` (a capture), or `distribution`, as the repository itself names it;
    or the plugins of pytest that have what the capture `plugin` holds: options, or a fixture. With `reviewed`, the
    signature stands for `distribution` where the repository does not name it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["pip_install"] = "pip_install"
    module: str = ""
    distribution: str = ""
    plugin: str = ""
    reviewed: bool = False
    # "file": `-r` of the requirements file that provides it; "pinned": the one distribution, pinned, `--no-deps`.
    form: Literal["file", "pinned", "extra"] = "file"
    coinstall: str = ""


@dataclass(frozen=True, slots=True)
class PipPin:
    """Hold `distribution`, or what provides the import `module`, at `spec`.

    `<{installed}` keeps a release out that came in by itself and broke the job: refused where the repository already
    holds the distribution. `other` is the module (a capture) that does not fit it: where the repository lets both of
    them float, a private module points to its own package, and else nothing says which one moved.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str = ""
    spec: str = ""
    recipe: Literal["pip_pin"] = "pip_pin"
    from_spec: str = ""
    comment: str = ""
    module: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class PipUninstall:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    recipe: Literal["pip_uninstall"] = "pip_uninstall"


@dataclass(frozen=True, slots=True)
class PipWiden:
    """Let the repository's bound on `distribution` also admit what another package asks for: `bounds`, or `held` where
    the bounds are the repository's own. All are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    bounds: str
    held: str = ""
    recipe: Literal["pip_widen"] = "pip_widen"


@dataclass(frozen=True, slots=True)
class PipRelease:
    """Install a release of what the exact pin `requirement` names, where the index has no such version: of those
    `listed`, the one that a development version became, else the next patch of its series. Both are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    requirement: str
    listed: str
    recipe: Literal["pip_release"] = "pip_release"


@dataclass(frozen=True, slots=True)
class CopySource:
    """Take `distribution` (a capture) from the index of `[tool.uv.sources]` from which its companions come."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    recipe: Literal["uv_source"] = "uv_source"


@dataclass(frozen=True, slots=True)
class HoldTool:
    """Run the linter that the failed step takes in its newest release at the one that the lint configuration holds."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["hold_tool"] = "hold_tool"


@dataclass(frozen=True, slots=True)
class HookDependency:
    """Give a pre-commit hook the `program` or module (a capture) that its own environment lacks."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    hook: str = ""
    recipe: Literal["hook_dependency"] = "hook_dependency"


@dataclass(frozen=True, slots=True)
class AddStep:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["add_step"] = "add_step"
    run: str = ""
    after: Literal["install", "checkout", "first"] = "install"
    # Copy a step of this name from a sibling job instead of writing `run`.
    copy_from_sibling: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["image"] = "image"
    from_image: str = ""
    to: str = ""
    copy_from_sibling: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ContainerOption:
    """An option of the job's container, such as `--shm-size=16g`; without one, of the failing `docker` commands."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    value: str
    recipe: Literal["container_option"] = "container_option"


@dataclass(frozen=True, slots=True)
class Timeout:
    """Raise the limit that the log speaks of, and those around it. `level`: where the log does not say which it was.

    A `factor` below 1 only names the limit. `settled` says which one was raised, once it is.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["timeout"] = "timeout"
    level: Literal["job", "step"] = "job"
    factor: str = "1.5"
    at_most_minutes: int = 360
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RemoveLines:
    """Remove shell commands whose argument list starts with `command` and holds all of `containing`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    command: str
    recipe: Literal["remove_lines"] = "remove_lines"
    containing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceLine:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    from_text: str
    to: str
    recipe: Literal["replace_line"] = "replace_line"


@dataclass(frozen=True, slots=True)
class SetKey:
    """Set a scalar of the job at a dotted YAML path relative to it (`strategy.max-parallel`, `concurrency.group`)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["set_key"] = "set_key"
    to: str = ""
    from_value: str = ""
    copy_from_sibling: bool = False


@dataclass(frozen=True, slots=True)
class RepairWorkflow:
    """Repair what makes the workflow invalid: a step without `run:`, `needs` of no job, a stale path. `path` is a
    capture, the path that the log says is not there."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_workflow"] = "repair_workflow"
    path: str = ""


@dataclass(frozen=True, slots=True)
class RepairBuild:
    """Repair the instruction at which the build of an image ended: a lost `&&` or backslash between two commands."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_build"] = "repair_build"


@dataclass(frozen=True, slots=True)
class DeepClone:
    """Clone the whole history of the repository of which the failed step, or build, checks `revision` (a capture)
    out."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    revision: str
    recipe: Literal["deep_clone"] = "deep_clone"


@dataclass(frozen=True, slots=True)
class BaseImage:
    """Make the image from a tag with the version `wanted` instead of `held` (captures, numbers), where another
    Dockerfile of the tree is made from one. `title` says of what: "CUDA"."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    held: str
    wanted: str
    recipe: Literal["base_image"] = "base_image"
    title: str = ""


@dataclass(frozen=True, slots=True)
class PinSource:
    """Hold the git source that the failed build, or the job's image, takes from a branch, at the commit at which the
    tree holds the same repository elsewhere. `distribution` (a capture) says which; "" or no name: the only one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["pin_source"] = "pin_source"
    distribution: str = ""


@dataclass(frozen=True, slots=True)
class CopyGuard:
    """The `if:` by which sibling jobs keep out of forks, for a job that needs what a fork does not have.

    `repository` is a capture that names the repository of the run ("owner/name"); else the log's own facts name it.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["copy_guard"] = "copy_guard"
    repository: str = ""


@dataclass(frozen=True, slots=True)
class CopyRunner:
    """The larger machine without accelerators on which sibling jobs run, for a job that was too much for GitHub's own
    runner. `settled` names it, once it was chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["copy_runner"] = "copy_runner"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class CopyEnv:
    """Entries of `env` that siblings on the same kind of runner have and the job lacks: globs of names, all of those
    that one sibling has together. `secret`: a name that is advised where no sibling has any. `settled` holds those that
    were chosen, "NAME=value", once they are."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    names: tuple[str, ...]
    recipe: Literal["copy_env"] = "copy_env"
    secret: str = ""
    settled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyCommand:
    """What a sibling job does to have `subject` (a capture: a path or a name) that this job lacks: a line that starts
    with one of `commands` and names it, or without `commands` the whole step that prepares it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    subject: str
    recipe: Literal["copy_command"] = "copy_command"
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepairOverride:
    """The prefix or the name of a Hydra override that does not compose. `key` is a capture; so is `existing`: where the
    log gives it, the key is there already, else the configuration does not have it. `choice` is a capture as well: a
    choice of a group ("group/option"), or the name of a primary configuration, that names no file. `settled` is the
    option that was chosen instead, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str = ""
    recipe: Literal["repair_override"] = "repair_override"
    existing: str = ""
    choice: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepairFlag:
    """A flag that the program does not know becomes the one of its own flags that it resembles. `flag` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    flag: str
    recipe: Literal["repair_flag"] = "repair_flag"


@dataclass(frozen=True, slots=True)
class RepairJson:
    """The JSON inside of a shell argument that the program could not read. `line` and `column` are captures: where the
    reader stopped, counted from 1 inside of the argument."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    line: str
    column: str
    recipe: Literal["repair_json"] = "repair_json"


@dataclass(frozen=True, slots=True)
class RepairValue:
    """An option's value that is none of its choices: the option's own value is missing, or mistyped. All are captures;
    `choices` as the program lists them."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    flag: str
    value: str
    choices: str
    recipe: Literal["repair_value"] = "repair_value"
    # What was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class CopyCheckout:
    """The checkout step of the sibling jobs, as first step of a job that uses the repository without having it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["copy_checkout"] = "copy_checkout"


@dataclass(frozen=True, slots=True)
class RunBefore:
    """`run`, one command, before each command of the failed step, or build, that starts with one of
    `commands`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    run: str
    commands: tuple[str, ...]
    recipe: Literal["run_before"] = "run_before"


@dataclass(frozen=True, slots=True)
class BuildSwitch:
    """`name=value` before the command of the failed build that sets other switches of the same prefix. `name` is a
    capture: the switch that the message of the build itself names."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["build_switch"] = "build_switch"
    value: str = "0"


@dataclass(frozen=True, slots=True)
class Tolerate:
    """Let a command of the failed step do nothing where there is nothing to do: `subject` (a capture: a path or a name)
    is absent already, or there already. `program` is a capture as well."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    subject: str
    recipe: Literal["tolerate"] = "tolerate"


@dataclass(frozen=True, slots=True)
class PublishGuard:
    """The `if:` that keeps a step that publishes out of pull requests, as siblings have it, else for the one branch by
    which the workflow itself is triggered."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["publish_guard"] = "publish_guard"


@dataclass(frozen=True, slots=True)
class RepeatOption:
    """One more `option` with `value` (a capture) on the command that has such options already, each with a value of the
    same kind: a library that a tool is told to leave out."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    value: str
    commands: tuple[str, ...]
    recipe: Literal["repeat_option"] = "repeat_option"


@dataclass(frozen=True, slots=True)
class RemoveOverride:
    """The override of `name` below `key`, which the class that is made of the configuration does not take. All are
    captures; `owner` is that class."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    name: str
    owner: str
    recipe: Literal["remove_override"] = "remove_override"


@dataclass(frozen=True, slots=True)
class AgreeingTag:
    """The tag of `image` (a capture, which no registry has) under which the tree names the same image elsewhere, of the
    same version."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    image: str
    recipe: Literal["agreeing_tag"] = "agreeing_tag"
    # The tag that was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepairGroup:
    """The `concurrency` group that unrelated runs share, `group` by the log: its key names no pull request. `settled` is
    the key that was written, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_group"] = "repair_group"
    group: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RetryCommand:
    """Run one command of the failed step up to `attempts` times: the only one whose words begin as one of `commands`,
    which are commands that may be run twice. `settled` is the line inside the loop, once there is one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    commands: tuple[str, ...]
    recipe: Literal["retry"] = "retry"
    attempts: int = 3
    pause_seconds: int = 10
    settled: str = ""


@dataclass(frozen=True, slots=True)
class ClearCache:
    """Remove what a runner keeps below a home's `.cache` before the command that reads it. `path` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["clear_cache"] = "clear_cache"


@dataclass(frozen=True, slots=True)
class Rerun:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["rerun"] = "rerun"


@dataclass(frozen=True, slots=True)
class Advise:
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
    | PipPin
    | PipUninstall
    | PipWiden
    | PipRelease
    | CopySource
    | HoldTool
    | HookDependency
    | AddStep
    | Image
    | ContainerOption
    | Timeout
    | RemoveLines
    | ReplaceLine
    | SetKey
    | RepairWorkflow
    | RepairBuild
    | PinSource
    | BaseImage
    | DeepClone
    | CopyGuard
    | CopyRunner
    | CopyEnv
    | CopyCommand
    | RepairOverride
    | RepairFlag
    | RepairGroup
    | RemoveOverride
    | AgreeingTag
    | RepairJson
    | RepairValue
    | CopyCheckout
    | RunBefore
    | BuildSwitch
    | Tolerate
    | PublishGuard
    | RepeatOption
    | RetryCommand
    | ClearCache
    | Rerun
    | Advise
)
Recipe = SingleRecipe | Together
