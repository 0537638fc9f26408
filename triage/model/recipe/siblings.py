"""Recipes that take what sibling jobs of the tree already have: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class CopyCheckout:
    """The checkout step of the sibling jobs, as first step of a job that uses the repository without having it. `path`
    is a capture, or a name: what a step finds missing, though the repository has it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str = ""
    recipe: Literal["copy_checkout"] = "copy_checkout"


@dataclass(frozen=True, slots=True)
class CopyInput:
    """The input `input` (a capture) of the failed step's action, as all other uses of the action in the repository
    give it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    input: str
    recipe: Literal["copy_input"] = "copy_input"


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
class CopyLabel:
    """The label of the machines on which sibling jobs run, for a job that asks for one like it that no other job asks
    for. `settled` is that label, once it was chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["copy_label"] = "copy_label"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class CopyEnv:
    """Entries of `env` that siblings on the same kind of runner have and the job lacks: globs of names, all of those
    that one sibling has together; a capture, where it names a variable that a program of the tree reads. `secret`: a
    name that is advised where no sibling has any; `token`: GitHub's own token, for a variable that is called one.
    `settled` holds those that were chosen, "NAME=value", once they are."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    names: tuple[str, ...]
    recipe: Literal["copy_env"] = "copy_env"
    secret: str = ""
    token: bool = False
    settled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CopyCommand:
    """What a sibling job does to have `subject` (a capture: a path or a name) that this job lacks: a line that starts
    with one of `commands` and names it, or without `commands` the whole step that prepares it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    subject: str
    recipe: Literal["copy_command"] = "copy_command"
    commands: tuple[str, ...] = ()


OfSiblings = CopyCheckout | CopyCommand | CopyEnv | CopyGuard | CopyInput | CopyLabel | CopyRunner
