"""Recipes that add a step to a job, or set one of its keys: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class AddStep:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["add_step"] = "add_step"
    run: str = ""
    after: Literal["install", "checkout", "first"] = "install"
    # Before the checkout instead, on machines of the repository's own, where the job has no container.
    before_checkout: bool = False
    # Copy a step of this name from a sibling job instead of writing `run`.
    copy_from_sibling: bool = False
    # Only on GitHub's own machines, outside of a container: `run` is about what they hold.
    hosted: bool = False


@dataclass(frozen=True, slots=True)
class SetKey:
    """Set a scalar of the job at a dotted YAML path relative to it (`strategy.max-parallel`, `concurrency.group`).

    `copy_from_sibling`: as most siblings have it, else `to`. `only_missing`: never change one that is there.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["set_key"] = "set_key"
    to: str = ""
    from_value: str = ""
    copy_from_sibling: bool = False
    only_missing: bool = False
