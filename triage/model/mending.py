"""Recipes that mend an instruction, or a command, by what the log says of it: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.tidying import NeedsNoJob

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class RenamePackage:
    """A package of the system by the name that newer releases have for it, or left out where they have none. `package`
    is a capture: what apt does not know though its lists are new."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    package: str
    recipe: Literal["rename_package"] = "rename_package"


@dataclass(frozen=True, slots=True)
class MendInstruction:
    """Mend the instruction of a Dockerfile at which the build ended, or what stands before it. `fault` says what is
    wrong there; what it takes to mend it comes from the captures of that fault and from the tree:

    `new-key`: NVIDIA replaced the key of a repository of packages (`kind` and `system`, the parts of its address);
    `member`: a member of the Cargo workspace is not copied (`path`, its manifest in the image); `toolchain`: rustup
    installs none by itself any more (`toolchain`); `joined`: two operators stand in a row; `swallowed`: a line begins
    as the install that it continues does, so that it became words of that one.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal["joined", "member", "new-key", "swallowed", "toolchain"]
    recipe: Literal["mend_instruction"] = "mend_instruction"
    # What was mended, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class MendFile(NeedsNoJob):
    """Mend what a build reads and cannot use, in a file of the tree, whatever job reads it:

    `backend`: pyproject.toml names an object that its build backend does not have (`backend`, and `project` where pip
    says it); `encoding`: a file is read without its encoding (`file` and `line` of the traceback, `source` where it
    prints it); `extra`: uv is given the name of an extra, or of a group, as an option (`argument`); `match-runtime`:
    uv builds `package` in an environment with a torch of its own, while the project has other packages built against
    the torch that it installs; `undeclared`: a `program` of the tree is given options (`argument`) that it does not
    declare.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal["backend", "encoding", "extra", "match-runtime", "undeclared"]
    recipe: Literal["mend_file"] = "mend_file"
    # What was mended, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class MendCommand:
    """Mend a command of the failed job, or what it finds, by what its program says:

    `architectures`: a list names GPU architectures that nvcc does not know (`arch`); `context`: an image is built from
    no folder; `no-gpus`: the job's container asks for none of its machine's GPUs (`--gpus 0`); `pip-option`: pip has
    `option` no more; `submodules`: what is missing (`message` or `path`) comes with a submodule; `upgrade`: the upgrade
    of all the machine's packages failed.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal["architectures", "context", "no-gpus", "pip-option", "submodules", "upgrade"]
    recipe: Literal["mend_command"] = "mend_command"


OfMendingInJob = MendCommand | MendInstruction | RenamePackage
OfMending = OfMendingInJob | MendFile
