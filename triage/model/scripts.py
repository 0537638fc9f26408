"""Recipes about the text of scripts and the commands in them: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class RepairScript:
    """End the blocks of a script that are never ended, where its indentation says where, or take away an end that ends
    nothing. `script` is a capture: the path that the shell names."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    recipe: Literal["repair_script"] = "repair_script"


@dataclass(frozen=True, slots=True)
class CopyVariable:
    """The line by which the scripts beside `script` give the variable `name` its value. Both are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    script: str
    name: str
    recipe: Literal["copy_variable"] = "copy_variable"


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


OfScripts = RepairScript | CopyVariable | GitIdentity | TrustFolder | RemoveLines | ReplaceLine
