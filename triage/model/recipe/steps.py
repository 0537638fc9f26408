"""Recipes about one step: its time, its release, when it runs and may fail. A part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class LimitStep:
    """Give a step that only installs a limit of its own, in minutes: the usual one of steps of its name, else `to`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    to: str
    recipe: Literal["limit_step"] = "limit_step"
    settled: bool = False


@dataclass(frozen=True, slots=True)
class LetFail:
    """`continue-on-error` for a failed step that runs whatever became of the job, and only copies, packs and shows what
    the job left."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["let_fail"] = "let_fail"


@dataclass(frozen=True, slots=True)
class EventGuard:
    """The `if:` that keeps a step that asks for the run's pull request, or the job that begins with it, out of runs
    that have none."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["event_guard"] = "event_guard"


@dataclass(frozen=True, slots=True)
class TrustedRelease:
    """A release of the action that uploads to PyPI which asks PyPI to trust the run: the one that the job uses needs a
    password, and is given none."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["trusted_release"] = "trusted_release"
