"""Recipes about what commands run in: rights, caches, identities, proxies. A part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class ActivateEnvironment:
    """Activate the environment of Python in the failed step, as the job's other steps do in their first line."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["activate_environment"] = "activate_environment"


@dataclass(frozen=True, slots=True)
class AsRoot:
    """The system's package manager runs as root: by sudo in a step, as another user in an image's build. `program` and
    `path`, captures: the command that may not touch what is root's, where it is another one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str = ""
    path: str = ""
    recipe: Literal["as_root"] = "as_root"


@dataclass(frozen=True, slots=True)
class ClearCache:
    """Remove what a runner keeps below a home's `.cache` before the command that reads it. `path` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["clear_cache"] = "clear_cache"


@dataclass(frozen=True, slots=True)
class DropProxy:
    """What sends the job's commands, or the build in it, through the proxy at `host` and `port` (captures)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    host: str
    port: str
    recipe: Literal["drop_proxy"] = "drop_proxy"
    settled: bool = False


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
class UpdateLists:
    """`apt-get update` before the install of the failed step, or build, that no update of the job precedes. `package`
    is a capture: what apt does not know, where the log says so."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["update_lists"] = "update_lists"
    package: str = ""


OfSurroundings = ActivateEnvironment | AsRoot | ClearCache | DropProxy | GitIdentity | TrustFolder | UpdateLists
