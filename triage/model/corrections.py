"""Recipes that correct one word of a command or one entry of a file: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.tidying import NeedsNoJob

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class NumberVariable:
    """A variable that a program reads as a number, and that the job sets to a truth value: 1 for yes, 0 for no. `name`
    and `value` are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    value: str
    recipe: Literal["number_variable"] = "number_variable"
    # The file in which it was set, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class ContainerVariable:
    """`NAME=value` that stands where a container's command begins, which no shell reads, becomes an option of the
    command that starts it. `assignment` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    assignment: str
    recipe: Literal["container_variable"] = "container_variable"


@dataclass(frozen=True, slots=True)
class DropOption:
    """An option goes that the program does not take: beside `other`, or at all. `programs`: those that do the same
    without it; without any, an option of pytest that nothing in the tree declares. `option`, `other` are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    recipe: Literal["drop_option"] = "drop_option"
    other: str = ""
    programs: tuple[str, ...] = ()
    # The option that was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class DropProxy:
    """What sends the job's commands, or the build in it, through the proxy at `host` and `port` (captures)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    host: str
    port: str
    recipe: Literal["drop_proxy"] = "drop_proxy"
    settled: bool = False


@dataclass(frozen=True, slots=True)
class DropItem(NeedsNoJob):
    """The one entry of a list, in a configuration of the repository, that is `item`: a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    item: str
    recipe: Literal["drop_item"] = "drop_item"
    settled: bool = False


@dataclass(frozen=True, slots=True)
class SetInput:
    """The input `name` of the failed step, or of the job's only one, that uses `action`. `from_value`: only where it
    has that."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    action: str
    name: str
    to: str
    recipe: Literal["set_input"] = "set_input"
    from_value: str = ""


@dataclass(frozen=True, slots=True)
class ChooseValue:
    """A value of a configuration, or of a command, that is none of those that the program lists: the one of them that
    it resembles, or that is its end. `value` and `choices` are captures. `settled`: what was chosen, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    value: str
    choices: str
    recipe: Literal["choose_value"] = "choose_value"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class LighterLoss:
    """The loss that needs less memory, of those that configurations like the program's own name in the same place, with
    the keys that they all set for it. `settled`: the loss, once it was chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["lighter_loss"] = "lighter_loss"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class AlikeKey:
    """A key that the program's own configuration lacks, where most configurations like it hold it, with the value that
    most have. Captures: `name`, and `value` where the program names it, which then one of them must have."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["alike_key"] = "alike_key"
    value: str = ""


OfCorrectionsInJob = (
    NumberVariable | ContainerVariable | DropOption | DropProxy | SetInput | ChooseValue | LighterLoss | AlikeKey
)
OfCorrections = OfCorrectionsInJob | DropItem
