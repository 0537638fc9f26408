"""Recipes about images, containers and what is built: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


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
    """An option of the job's container, such as `--shm-size=16g`; without one, of the failing `docker` commands.

    `factor`: a size that is there and large enough already is multiplied, up to `at_most`. `enough`: one that has been
    given as much is not what is wrong. `settled` is the size that was chosen, once it is.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    value: str
    recipe: Literal["container_option"] = "container_option"
    factor: int = 1
    at_most: str = ""
    enough: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepairBuild:
    """Repair the instruction at which the build of an image ended: a lost `&&` or backslash between two commands."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_build"] = "repair_build"


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
class BuildSwitch:
    """`name=value` before the command of the failed build that sets other switches of the same prefix. `name` is a
    capture: the switch that the message of the build itself names."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["build_switch"] = "build_switch"
    value: str = "0"


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
class AgreeingTag:
    """The tag of `image` (a capture, which no registry has) under which the tree names the same image elsewhere, of the
    same version."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    image: str
    recipe: Literal["agreeing_tag"] = "agreeing_tag"
    # The tag that was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class PinSource:
    """Hold the git source that the failed build, or the job's image, takes from a branch, at the commit at which the
    tree holds the same repository elsewhere. `distribution` (a capture) says which; "" or no name: the only one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["pin_source"] = "pin_source"
    distribution: str = ""


@dataclass(frozen=True, slots=True)
class ContainerVariable:
    """`NAME=value` that stands where a container's command begins, which no shell reads, becomes an option of the
    command that starts it. `assignment` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    assignment: str
    recipe: Literal["container_variable"] = "container_variable"


@dataclass(frozen=True, slots=True)
class DevelBase:
    """Make the image from the variant of its base that holds the compiler: `-devel` for `-runtime` or `-base`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["devel_base"] = "devel_base"


@dataclass(frozen=True, slots=True)
class CopyMount:
    """The way to the network that other instructions of the Dockerfile are given, for the one that failed for want of
    it: a proxy that is mounted as a secret, the host's network."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["copy_mount"] = "copy_mount"


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """A command of the failed step uses the image that the job built before it, by the name that it was given there.
    `image` is a capture: the name that no registry knows."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    image: str
    recipe: Literal["built_image"] = "built_image"


@dataclass(frozen=True, slots=True)
class ArchList:
    """Name the GPU architectures to build for, where the machine that builds has no GPU to ask: those that the
    repository names elsewhere, else those that the image's CUDA can build for."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["arch_list"] = "arch_list"


@dataclass(frozen=True, slots=True)
class ForceBuild:
    """Compile the extension of `module` (a capture) where it is installed, instead of fetching a finished wheel."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    module: str
    recipe: Literal["force_build"] = "force_build"


@dataclass(frozen=True, slots=True)
class MendInstruction:
    """Mend the instruction of a Dockerfile at which the build ended, or what stands before it. `fault` says what is
    wrong there; what it takes to mend it comes from the captures of that fault and from the tree:

    `new-key`: NVIDIA replaced the key of a repository of packages (`kind` and `system`, the parts of its address);
    `member`: a member of the Cargo workspace is not copied (`path`, its manifest in the image); `toolchain`: rustup
    installs none by itself any more (`toolchain`); `joined`: two operators stand in a row; `swallowed`: a line begins
    as the install that it continues does, so that it became words of that one; `older-system`: the system of the base
    is older (`held`) than the wheels for its machine (`arch`, `wheels`); `project`: pip is to install the project of a
    folder that has none, while the image holds it in another; `redirected`: the shell reads a version as a `file`.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal["joined", "member", "new-key", "older-system", "project", "redirected", "swallowed", "toolchain"]
    recipe: Literal["mend_instruction"] = "mend_instruction"
    # What was mended, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class SingleTag:
    """The tag of an image once, where the failed job names the image with it twice."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["single_tag"] = "single_tag"


OfBuilds = (
    AgreeingTag
    | ArchList
    | BaseImage
    | BuildSwitch
    | BuiltImage
    | ContainerOption
    | ContainerVariable
    | CopyMount
    | DevelBase
    | FewerJobs
    | ForceBuild
    | Image
    | MendInstruction
    | PinSource
    | RepairBuild
    | SingleTag
)
