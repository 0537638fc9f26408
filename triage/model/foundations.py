"""Recipes about what a command stands on: the image below it, its rights, its indexes, its way out. A part of the
vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class DevelBase:
    """Make the image from the variant of its base that holds the compiler: `-devel` for `-runtime` or `-base`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["devel_base"] = "devel_base"


@dataclass(frozen=True, slots=True)
class AsRoot:
    """The system's package manager runs as root: by sudo in a step, as another user in an image's build. `program` and
    `path`, captures: the command that may not touch what is root's, where it is another one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str = ""
    path: str = ""
    recipe: Literal["as_root"] = "as_root"


@dataclass(frozen=True, slots=True)
class SecureAddress:
    """`https://` instead of `git://` in the addresses of a host that speaks the old protocol no more. `address` is a
    capture, empty where the log shows none: which of the tree's addresses is meant."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    address: str = ""
    recipe: Literal["secure_address"] = "secure_address"


@dataclass(frozen=True, slots=True)
class ExtraIndex:
    """Another index beside those that the failed install reads. `instead_of` (a capture): only where it reads this one
    and no other. `processors`: the index of torch's builds without CUDA, where neither the machine nor the image has a
    GPU; else the public index."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["extra_index"] = "extra_index"
    instead_of: str = ""
    package: str = ""
    processors: bool = False


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


OfFoundations = ArchList | AsRoot | BuiltImage | CopyMount | DevelBase | ExtraIndex | ForceBuild | SecureAddress
