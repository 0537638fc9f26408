"""Recipes that mend what is written wrong, or stands at the wrong place: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.tidying import NeedsNoJob

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class RepairWorkflow(NeedsNoJob):
    """Repair what makes the workflow invalid: its YAML, a misspelt key, a step without `run:`, `needs` of no job, a
    stale path. Captures: `path` is one that the log says is not there, `file` the workflow that it calls invalid."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_workflow"] = "repair_workflow"
    path: str = ""
    file: str = ""


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
    """`run`, one command, before each command of the failed step, or build, that starts with one of `commands`; without
    any, as the first of the failed step. `outside`: in the job, also where it is a build in it that failed."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    run: str
    commands: tuple[str, ...] = ()
    outside: bool = False
    recipe: Literal["run_before"] = "run_before"


@dataclass(frozen=True, slots=True)
class UpdateLists:
    """`apt-get update` before the install of the failed step, or build, that no update of the job precedes. `package`
    is a capture: what apt does not know, where the log says so."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["update_lists"] = "update_lists"
    package: str = ""


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
class WidenVersion:
    """An exact release of Python or Node.js that the setup action does not find becomes its series. `version` is a
    capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    version: str
    recipe: Literal["widen_version"] = "widen_version"


@dataclass(frozen=True, slots=True)
class MoveThreshold:
    """Move the bound of a check that the run missed by a little. Captures: `check` as the log prints it,
    "metric < bound", the `value` that it had, and the `rest` of the check where a table goes on with it in its next
    row. `settled` is the script in which it was moved, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    check: str
    value: str
    rest: str = ""
    recipe: Literal["move_threshold"] = "move_threshold"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class Timeout:
    """Raise the limit that the log speaks of, and those around it. `level`: where the log does not say which it was;
    `gitlab` and `azure` are those of a job in the repository's files for these services.

    A `factor` below 1 only names the limit. `settled` says which one was raised, once it is.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["timeout"] = "timeout"
    level: Literal["job", "step", "gitlab", "azure"] = "job"
    factor: str = "1.5"
    at_most_minutes: int = 360
    settled: str = ""


@dataclass(frozen=True, slots=True)
class FewerSteps:
    """As many steps as fit the time that the job has, by the progress that the log shows: in the variables of its
    script that hold their number, and in what reads the last one; else in the program's own setting, the `knob`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    knob: str
    recipe: Literal["fewer_steps"] = "fewer_steps"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class FewerJobs:
    """Half as many compilers at once as the variable `name` says, wherever it is set; `value` where nothing says it,
    also for a build tool's bare `-j`. `threads`: those of the compiler, where one job is too many already."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    value: str
    recipe: Literal["fewer_jobs"] = "fewer_jobs"
    threads: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class PublishGuard:
    """The `if:` that keeps a step that publishes out of pull requests, as siblings have it, else for the one branch by
    which the workflow itself is triggered. `tags`: out of every run that is not of a tag."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    tags: bool = False
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
class CopyConfigKey:
    """The key that the code reads and the program's own configuration lacks, with the value that the configurations
    beside it have. `key` is a capture: its dotted path; its bare name where `owner` is one too, the variable that the
    code reads it from."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    recipe: Literal["copy_config_key"] = "copy_config_key"
    owner: str = ""


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
