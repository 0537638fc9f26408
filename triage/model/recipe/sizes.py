"""Recipes about sizes and numbers of steps that must fit: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class FitSetting:
    """A whole number that the program refuses: it must be a multiple of `divisor` (`times` as much), or of the setting
    `other`, or more than `above`, or at least `least`, or at most `most`, or divide `of`. All are captures, of which
    `name` is what the program calls it. `sum_of`: knobs that it must be as much as, together."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["fit_setting"] = "fit_setting"
    value: str = ""
    divisor: str = ""
    times: str = ""
    other: str = ""
    above: str = ""
    least: str = ""
    most: str = ""
    of: str = ""
    sum_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FitSizes:
    """The trainer's sizes, each made so small that their product divides `world` GPUs (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    world: str
    recipe: Literal["fit_sizes"] = "fit_sizes"


@dataclass(frozen=True, slots=True)
class FewerSteps:
    """As many steps as fit the time that the job has, by the progress that the log shows: in the variables of its
    script that hold their number, and in what reads the last one; else in the program's own setting, the `knob`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    knob: str
    recipe: Literal["fewer_steps"] = "fewer_steps"
    settled: str = ""


OfSizes = FewerSteps | FitSetting | FitSizes
