"""Recipes for the overrides of a Hydra command: one more, and those that do not compose, that nothing takes, or that
are lacking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class HydraOverride:
    """Append `key=value` to every command of the job that starts one of `entry` (module globs; empty: the program whose
    configuration holds the key), directly or through scripts that forward their arguments."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    value: str
    recipe: Literal["hydra_override"] = "hydra_override"
    prefix: Literal["auto", "", "+", "++"] = "auto"
    entry: tuple[str, ...] = ()
    via: Literal["variable", "literal"] = "variable"
    variable: str = ""
    level: Literal["job", "step"] = "job"
    comment: str = ""


@dataclass(frozen=True, slots=True)
class RepairOverride:
    """The prefix or the name of a Hydra override that does not compose. `key` is a capture; so is `existing`: where the
    log gives it, the key is there already, else the configuration does not have it. `choice` is a capture as well: a
    choice of a group ("group/option"), or the name of a primary configuration, that names no file. `owner` is the class
    (a capture) that a mapping is made into and that has no field of the key's last part. `settled` is the option that
    was chosen instead, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str = ""
    recipe: Literal["repair_override"] = "repair_override"
    existing: str = ""
    choice: str = ""
    owner: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RemoveOverride:
    """The override of `name` below `key`, which the class that is made of the configuration does not take. All are
    captures; `owner` is that class."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    name: str
    owner: str
    recipe: Literal["remove_override"] = "remove_override"


@dataclass(frozen=True, slots=True)
class RemoveGivenTwice:
    """Overrides that reach a call as keywords which the code passes to it itself. Both are captures: `name` is the
    keyword, `callee` the function."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    callee: str
    recipe: Literal["remove_given_twice"] = "remove_given_twice"


@dataclass(frozen=True, slots=True)
class CopyOverride:
    """The override of `key` (a capture), which has no value by default, as scripts of the same folder give it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    recipe: Literal["copy_override"] = "copy_override"


@dataclass(frozen=True, slots=True)
class FitSizes:
    """The trainer's parallel sizes, each made so small that their product divides `world` GPUs (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    world: str
    recipe: Literal["fit_sizes"] = "fit_sizes"


@dataclass(frozen=True, slots=True)
class RepairConfig:
    """One comma or one blank for a YAML file of the repository that cannot be read without it. `file` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    file: str
    recipe: Literal["repair_config"] = "repair_config"
