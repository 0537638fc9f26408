"""Recipes about the text of scripts and the commands in them: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.tidying import NeedsNoJob

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class RepairScript:
    """End the blocks of a script that are never ended, where its indentation says where, take away an end of nothing,
    or close a quote. `script` is a capture: the path that the shell names. `settled`: the line that was closed."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    recipe: Literal["repair_script"] = "repair_script"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepairLine(NeedsNoJob):
    """What a shell says of the line `line` of `script`, about `subject`; all are captures. `fault`, "unset": a variable
    that a test asks for; "foreign": one that a script of the machine reads, which is read in; "arithmetic": a number
    with letters behind it; "called": a command that is there under another name, or through another program. Without
    `script`, in the failed step: "absent": what is to be taken away is not there; "answer": the query `subject`, by its
    first words, finds nothing, which the lines below allow for; "test": a false test ends it; "freeze": a list of
    requirements with addresses; "repeated": an earlier step has taken the file `subject` away."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal["unset", "foreign", "arithmetic", "called", "absent", "answer", "test", "freeze", "repeated"]
    script: str = ""
    line: str = ""
    subject: str = ""
    recipe: Literal["repair_line"] = "repair_line"


@dataclass(frozen=True, slots=True)
class CopyVariable:
    """The line by which the scripts beside `script` give the variable `name` its value. Both are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    name: str
    recipe: Literal["copy_variable"] = "copy_variable"


@dataclass(frozen=True, slots=True)
class NameWritten:
    """In the scripts that read `path`, a capture: the file's name as the tree's program writes it that prepares it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["name_written"] = "name_written"


@dataclass(frozen=True, slots=True)
class GitIdentity:
    """The name and the address that git needs to write a commit, before the failed step's first git command: those that
    the repository's other steps set, else those of GitHub's own bot."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["git_identity"] = "git_identity"


@dataclass(frozen=True, slots=True)
class TrustFolder:
    """Let git trust the submodule at `path` (a capture), where the job trusts the repository around it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["trust_folder"] = "trust_folder"


@dataclass(frozen=True, slots=True)
class ActivateEnvironment:
    """Activate the environment of Python in the failed step, as the job's other steps do in their first line."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["activate_environment"] = "activate_environment"


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
class RemoveEnv:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["env_remove"] = "env_remove"
    # Remove one setting of a list such as PYTORCH_CUDA_ALLOC_CONF, not the variable.
    item: str = ""


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
class Rerun(NeedsNoJob):
    """Words: run the job again. Where the job's own files set the address that failed, they are named first.

    `index`: the address is that of an index of packages, wherever the installers have it from.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["rerun"] = "rerun"
    index: bool = False


OfScripts = (
    ActivateEnvironment
    | CopyVariable
    | GitIdentity
    | IgnoreTest
    | NameWritten
    | OwnFolder
    | PassOption
    | RemoveLines
    | RepairLine
    | RepairScript
    | ReplaceCommand
    | ReplaceLine
    | RunWithShell
    | StripArchive
    | TrustFolder
)
