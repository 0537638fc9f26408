"""Recipes about how long one step may take, and whether it may fail. A part of the vocabulary of `recipe`."""

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
