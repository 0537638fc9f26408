"""Recipes about commands and the scripts that hold them: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class RunBefore:
    """`run`, one command, before each command of the failed step, or build, that starts with one of `commands`; without
    any, as the first of the failed step. `outside`: in the job, also where it is a build in it that failed. `once`:
    before the first of them alone."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    run: str
    commands: tuple[str, ...] = ()
    outside: bool = False
    once: bool = False
    recipe: Literal["run_before"] = "run_before"


@dataclass(frozen=True, slots=True)
class Tolerate:
    """Let a command of the failed step do nothing where there is nothing to do: `subject` (a capture: a path or a name)
    is absent already, or there already. `program` is a capture as well."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    subject: str
    recipe: Literal["tolerate"] = "tolerate"


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
class RepairScript:
    """End the blocks of a script that are never ended, where its indentation says where, take away an end of nothing,
    or close a quote. `script` is a capture: the path that the shell names. `settled`: the line that was closed."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    recipe: Literal["repair_script"] = "repair_script"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class CopyVariable:
    """The line by which the scripts beside `script` give the variable `name` its value. Both are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    name: str
    recipe: Literal["copy_variable"] = "copy_variable"


@dataclass(frozen=True, slots=True)
class RenameVariable:
    """A variable that `script` reads and nothing sets, by the name that it is set under, or the other way round. `name`
    and `script` are captures. `settled`: the name that was written, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    name: str
    recipe: Literal["rename_variable"] = "rename_variable"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class NameWritten:
    """In the scripts that read `path`, a capture: the file's name as the tree's program writes it that prepares it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["name_written"] = "name_written"


@dataclass(frozen=True, slots=True)
class StripArchive:
    """Unpack an archive without the folder that it holds, where the next command looks for a file at its top. `path` is
    a capture: the file that was not there."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["strip_archive"] = "strip_archive"


@dataclass(frozen=True, slots=True)
class IgnoreTest:
    """Leave a file of tests, which needs a device that the job's machine has not, to other jobs: one more option of the
    pytest command that leaves others out already. `test` is a capture: its path."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    test: str
    recipe: Literal["ignore_test"] = "ignore_test"


@dataclass(frozen=True, slots=True)
class RunWithShell:
    """Start a script of the repository that may not be executed with the program of its first line: `bash run.sh`.
    `path` is a capture: the script as the shell names it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["run_with_shell"] = "run_with_shell"


@dataclass(frozen=True, slots=True)
class ReplaceCommand:
    """Call the program that took the place of `command`, with the subcommand's new name. `command` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    command: str
    recipe: Literal["replace_command"] = "replace_command"


@dataclass(frozen=True, slots=True)
class PassOption:
    """Pass the option that an installer asks for, of those whose meaning is known. `option` may be a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    recipe: Literal["pass_option"] = "pass_option"


@dataclass(frozen=True, slots=True)
class OwnFolder:
    """Let a script that others read in (`source`) look for files in its own folder, not in that of who reads it in.
    Captures: `script` as the shell names it, and `path`, which was not there."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    path: str
    recipe: Literal["own_folder"] = "own_folder"


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
    # Options of the old command that the new one does not take.
    not_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropOption:
    """An option goes that the program does not take: beside `other`, or at all. `programs`: those that do the same
    without it; without any, an option of pytest that nothing in the tree declares. `option`, `other` are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    recipe: Literal["drop_option"] = "drop_option"
    other: str = ""
    programs: tuple[str, ...] = ()
    # The option that was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class SecureAddress:
    """`https://` instead of `git://` in the addresses of a host that speaks the old protocol no more. `address` is a
    capture, empty where the log shows none: which of the tree's addresses is meant."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    address: str = ""
    recipe: Literal["secure_address"] = "secure_address"


@dataclass(frozen=True, slots=True)
class RenamePackage:
    """A package of the system by the name that newer releases have for it, or left out where they have none. `package`
    is a capture: what apt does not know though its lists are new."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    package: str
    recipe: Literal["rename_package"] = "rename_package"


@dataclass(frozen=True, slots=True)
class MendCommand:
    """Mend a command of the failed job, or what it finds, by what its program says:

    `architectures`: a list names GPU architectures that nvcc does not know (`arch`); `asks-nothing`: uv is given an
    answer beforehand (`-y`); `cmake-prefix`: CMake does not find what pip installed (`what`); `context`: an image is
    built from no folder; `coverage-source`: what is to be measured (`module`) is no package of the repository; `dirty`:
    a checkout behind a clone is blocked by what the clone itself changed (`name`, its folder); `environment`: uv finds
    none to install into; `in-container`: the host runs (and lacks) a `command` that is meant for the container that is
    started before it; `lower-case`: an `image` has capitals in its name; `no-gpus`: the job's container asks for none
    of its machine's GPUs (`--gpus 0`); `pip-option`: pip has `option` no more; `prompt`: it asks, and nobody answers;
    `short-option`: pip's `-f` has its value behind a sign; `slipped-input`: an earlier step writes to a folder one slip
    from the `path` that is looked for; `submodules`: what is missing (`message` or `path`) comes with a submodule;
    `upgrade`: the upgrade of all the machine's packages failed; `wheel-glob`: no wheel fits `pattern`.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal[
        "architectures",
        "asks-nothing",
        "cmake-prefix",
        "context",
        "coverage-source",
        "dirty",
        "environment",
        "in-container",
        "lower-case",
        "no-gpus",
        "pip-option",
        "prompt",
        "short-option",
        "slipped-input",
        "submodules",
        "upgrade",
        "wheel-glob",
    ]
    recipe: Literal["mend_command"] = "mend_command"


@dataclass(frozen=True, slots=True)
class UseBash:
    """Let bash read what a plain `sh` does not understand: the failed step, the script that is called by `sh`, or the
    instruction of an image's build. `script` is a capture: what the shell says it reads."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    recipe: Literal["use_bash"] = "use_bash"


OfCommands = (
    CopyVariable
    | DropOption
    | IgnoreTest
    | MendCommand
    | MoveThreshold
    | NameWritten
    | OwnFolder
    | PassOption
    | RemoveLines
    | RenamePackage
    | RenameVariable
    | RepairScript
    | ReplaceCommand
    | ReplaceLine
    | RetryCommand
    | RunBefore
    | RunWithShell
    | SecureAddress
    | StripArchive
    | Tolerate
    | UseBash
)
