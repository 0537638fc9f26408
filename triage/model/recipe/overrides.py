"""Recipes about the values that reach a program: overrides, flags and configurations. A part of the vocabulary of
`recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.recipe.sizes import OfSizes

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
    """The override of `name` below `key` that `owner`, the class made of it, does not take. All are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    name: str
    owner: str
    recipe: Literal["remove_override"] = "remove_override"


@dataclass(frozen=True, slots=True)
class RemoveGivenTwice:
    """Overrides that reach a call as keywords which the code passes itself. Captures: the keyword and the function."""

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
class RepairConfig:
    """One comma or blank that a YAML file of the repository lacks. `file` is a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    file: str
    recipe: Literal["repair_config"] = "repair_config"


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """Change the value that takes effect for a knob, at the one place that decides it in this job.

    Exactly one of `knob` (logical name of the tables), `key` (Hydra key) or `flag`. `from_values`: refuse when the tree
    holds another value (empty: any). The new value: `to`, or the first of `candidates` that divides `dividing` and
    passes the invariants, or old x `factor`, or old + `add`; within `at_most` / `at_least`, else "already in place".
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["effective_value"] = "effective_value"
    knob: str = ""
    key: str = ""
    flag: str = ""
    from_values: tuple[str, ...] = ()
    to: str = ""
    candidates: tuple[str, ...] = ()
    dividing: str = ""
    factor: str = ""
    add: str = ""
    at_most: str = ""
    at_least: str = ""
    # The product of these numbers and knobs (`twice:` of one that is more than 1), over `over`.
    product: tuple[str, ...] = ()
    over: str = ""
    # The largest value below the present one that scripts beside this one have: what a cluster is known to take.
    below: Literal["", "siblings"] = ""
    # Of a key that the program's own file lacks: added where files like it hold it; without `to`, as most of them do.
    as_alike: bool = False
    # Only where the program's own file sets it, and not one that it builds on.
    own_file: bool = False
    # By the log's figures (captures): the largest share below free over total; the power of two at or below a number;
    # the one at or above the MiB of a tensor, given by its shape and its type.
    room: tuple[str, ...] = ()
    power_within: str = ""
    tensor: tuple[str, ...] = ()
    # Of a knob that is a variable of the environment, as in `env`; what it is where nothing sets it, by the log.
    level: Literal["job", "program"] = "job"
    default: str = ""
    # Changed together, all or nothing: the other halves of one fix.
    together: tuple[EffectiveValue, ...] = ()


@dataclass(frozen=True, slots=True)
class RepairFlag:
    """A flag that the program does not know becomes its own one that it resembles. `flag` and `program` (as it calls
    itself) are captures. `settled`: the file that was changed, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    flag: str
    recipe: Literal["repair_flag"] = "repair_flag"
    program: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepairJson:
    """The JSON inside of a shell argument that the program could not read. `line` and `column` are captures: where the
    reader stopped, counted from 1 inside of the argument."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    line: str
    column: str
    recipe: Literal["repair_json"] = "repair_json"


@dataclass(frozen=True, slots=True)
class RepairValue:
    """An option's value that is none of its choices: the option's own value is missing, or mistyped. All are captures;
    `choices` as the program lists them."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    flag: str
    value: str
    choices: str
    recipe: Literal["repair_value"] = "repair_value"
    # What was chosen, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class RepeatOption:
    """One more `option` with `value` (a capture) on the command that has such options already, with such values."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    value: str
    commands: tuple[str, ...]
    recipe: Literal["repeat_option"] = "repeat_option"


@dataclass(frozen=True, slots=True)
class CopyConfigKey:
    """The key that the code reads and the program's own configuration lacks, with the value that the configurations
    beside it have. `key` is a capture: its dotted path; its bare name where `owner` is one too, the variable that the
    code reads it from."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    recipe: Literal["copy_config_key"] = "copy_config_key"
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ChooseValue:
    """A value of a configuration, or of a command, that is none of those that the program lists: the one of them that
    it resembles, or that is its end. `value` and `choices` are captures. Without `choices`, a model of the hub: the one
    name of other files that it is a slip of. `settled`: what was chosen, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    value: str
    choices: str = ""
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
    most have. Captures: `name`, and `value` where the program names it, which then one of them has."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["alike_key"] = "alike_key"
    value: str = ""


@dataclass(frozen=True, slots=True)
class TurnOff:
    """A switch that the failed program asks to be turned off: `name` (a capture) is its name, or the end of it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["turn_off"] = "turn_off"


@dataclass(frozen=True, slots=True)
class DropConfigKeys:
    """Keys of the program's own configuration that nothing takes any more, and that nothing else in the repository
    names. `names` is a capture: one name or a list of them. `keep`: names that a package knows under another one."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    names: str
    recipe: Literal["drop_config_keys"] = "drop_config_keys"
    keep: tuple[str, ...] = ()
    settled: bool = False


@dataclass(frozen=True, slots=True)
class RenameConfigKey:
    """A key of the program's own configuration that what is made of it does not take: the name that is meant. Captures:
    `name`, which may be a dotted path, and `owner`, the class that refuses it. `settled`: the new name, once chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    name: str
    recipe: Literal["rename_config_key"] = "rename_config_key"
    owner: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceFlags:
    """Flags that go by another name now, as reviewed `rules` say it: `--old => --new value`, or `--old => ` for what is
    one too many. `{size}` in a new value is the size of one engine's groups in the same command. `flags` is a capture:
    those that the program refuses; without it all that the rules name, in commands that have the word `beside` too."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    rules: tuple[str, ...]
    recipe: Literal["replace_flags"] = "replace_flags"
    flags: str = ""
    beside: str = ""
    # Whether it was done.
    settled: bool = False


OfOverrides = (
    AlikeKey
    | ChooseValue
    | CopyConfigKey
    | CopyOverride
    | EffectiveValue
    | HydraOverride
    | LighterLoss
    | OfSizes
    | RemoveGivenTwice
    | RemoveOverride
    | DropConfigKeys
    | TurnOff
    | RenameConfigKey
    | RepairConfig
    | RepairFlag
    | RepairJson
    | RepairOverride
    | RepairValue
    | RepeatOption
    | ReplaceFlags
)
