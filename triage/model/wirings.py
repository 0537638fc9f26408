"""Recipes about how the jobs of a workflow hang together: what they share, hand over and may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from triage.model.tidying import NeedsNoJob

_STRICT: dict[str, object] = {"extra": "forbid"}

# Programs of languages that a machine may lack, and that an action sets up.
OF_LANGUAGES = ("pip", "pip3", "python", "python3", "node", "npm", "npx", "java", "javac", "mvn", "go", "uv", "uvx")


@dataclass(frozen=True, slots=True)
class MoveAction:
    """The release of an action that GitHub does not run any more, `action` by the log (a capture, "owner/name: v3"),
    and of the one that reads what it writes: as other workflows have it, else the first that is run again."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    action: str
    recipe: Literal["move_action"] = "move_action"


@dataclass(frozen=True, slots=True)
class RepairGroup:
    """The `concurrency` group that unrelated runs share, `group` by the log: its key names no pull request. `settled`
    is the key that was written, once it is."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_group"] = "repair_group"
    group: str = ""
    settled: str = ""


@dataclass(frozen=True, slots=True)
class DefaultInput:
    """The default of an input where another event than a person's start leaves it empty. `said` is a capture: what the
    log shows of the name or value in which something is missing; `of_image`: it is the name of a job's image."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["default_input"] = "default_input"
    said: str = ""
    of_image: bool = False


@dataclass(frozen=True, slots=True)
class MatchArtifact:
    """What uploads and downloads the artifact `artifact` (a capture) agree: the release of the actions, or the name."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["match_artifact"] = "match_artifact"
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class GrantPermission:
    """The entry of `permissions` that the job's token lacks. Captures that select it: `scope` is its name, `api` the
    address of the documentation that GitHub's refusal names; else the action of the failed step, or a git push.
    `access` is what a called workflow asks for, `read` or `write`, where it is one that asks."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["grant_permission"] = "grant_permission"
    scope: str = ""
    api: str = ""
    access: str = ""


@dataclass(frozen=True, slots=True)
class QuoteVersion(NeedsNoJob):
    """The quotes of a version such as 3.10 that YAML reads as the number `version` (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    version: str
    recipe: Literal["quote_version"] = "quote_version"


@dataclass(frozen=True, slots=True)
class RenameInput:
    """The name of an action's input: `input` is the one that it does not know, `known` lists those that it takes (both
    captures)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    input: str
    known: str
    recipe: Literal["rename_input"] = "rename_input"


@dataclass(frozen=True, slots=True)
class DropRef:
    """The branch or tag `ref` (a capture) that a checkout asks for in its own words and that is gone."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    ref: str
    recipe: Literal["drop_ref"] = "drop_ref"


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The files that the cache of a setup action depends on, where none matches its own `pattern` (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    pattern: str
    recipe: Literal["cache_files"] = "cache_files"


@dataclass(frozen=True, slots=True)
class PinRunner:
    """An image of GitHub's machines by its number, `to`, where a job runs on the newest of that system."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    to: str
    recipe: Literal["pin_runner"] = "pin_runner"


@dataclass(frozen=True, slots=True)
class RepairCondition:
    """The condition of the login to the registry of `address` (a capture), where no cell of the matrix fulfils it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    address: str
    recipe: Literal["repair_condition"] = "repair_condition"


@dataclass(frozen=True, slots=True)
class RepairTagRule:
    """The rule by which docker/metadata-action names images, `rule` by the log, where it knows no such event."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    rule: str
    recipe: Literal["repair_tag_rule"] = "repair_tag_rule"


@dataclass(frozen=True, slots=True)
class SetUpLanguage:
    """The step by which other jobs set up the language that `program` (a capture) belongs to."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    recipe: Literal["set_up_language"] = "set_up_language"


OfWirings = (
    PinRunner
    | RepairCondition
    | RepairTagRule
    | SetUpLanguage
    | CacheFiles
    | DropRef
    | RenameInput
    | DefaultInput
    | MatchArtifact
    | MoveAction
    | RepairGroup
)
# Worked out from the files alone.
OfFiles = QuoteVersion
