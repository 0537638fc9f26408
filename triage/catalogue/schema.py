"""The shape of a signature file: one strict model that decodes files and publishes the JSON Schema for editors."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator
from pydantic.config import JsonDict, JsonValue

from triage.catalogue.families import FAMILIES
from triage.model.recipe import Recipe
from triage.model.signature import Applicability, Category, Occurrence, Printer, Rank, Severity, Status

RECIPE: TypeAdapter[Recipe] = TypeAdapter(Annotated[Recipe, Field(discriminator="recipe")])

_LEAVES = ("contains", "regex")
_SHAPES = (*_LEAVES, "all", "any", "none", "sequence")
_TARGETS = ("issue", "pr", "commit", "docs", "case", "code", "run")


def _truth(value: object) -> object:
    """`true` and `false`, nothing else: `on` and `1` are likely slips."""
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


_FAMILIES: list[JsonValue] = [*sorted(FAMILIES)]

Truth = Annotated[bool, Field(strict=True), BeforeValidator(_truth)]
Text = Annotated[str, Field(min_length=1)]
Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="year-month-day")]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _exactly_one(names: tuple[str, ...]) -> JsonDict:
    return {"oneOf": [{"required": [name]} for name in names]}


class LeafFile(_File):
    model_config = ConfigDict(json_schema_extra=_exactly_one(_LEAVES))

    contains: Text | None = Field(None, description="Plain text that the line holds.")
    regex: Text | None = Field(None, description="RE2 syntax, named captures only, repeats up to 255.")
    anywhere: Truth = Field(False, description="Need not be in the evidence's stream.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.contains is None) == (self.regex is None):
            raise ValueError("give exactly one of contains, regex")
        return self


class SequenceFile(_File):
    within_lines: int = Field(ge=1, le=100_000, description="The last at most so many raw lines after the first.")
    lines: list[LeafFile] = Field(min_length=2, description="In this order, in one stream.")
    evidence: Occurrence = Field(Occurrence.LAST, description="Which of the lines is shown as the evidence.")


class ConditionFile(_File):
    model_config = ConfigDict(json_schema_extra=_exactly_one(_SHAPES))

    contains: Text | None = Field(None, description="Plain text that a line holds.")
    regex: Text | None = Field(None, description="RE2 syntax, named captures only, repeats up to 255.")
    anywhere: Truth = Field(False, description="Need not be in the evidence's stream (contains and regex only).")
    all_: list[ConditionFile] | None = Field(None, alias="all", min_length=1)
    any_: list[ConditionFile] | None = Field(None, alias="any", min_length=1)
    none: list[ConditionFile] | None = Field(None, min_length=1, description="None of these may hold.")
    sequence: SequenceFile | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = (self.contains, self.regex, self.all_, self.any_, self.none, self.sequence)
        if sum(value is not None for value in given) != 1:
            raise ValueError(f"give exactly one of {', '.join(_SHAPES)}")
        if self.anywhere and self.contains is None and self.regex is None:
            raise ValueError("`anywhere` belongs to contains or regex")
        return self


class ScopeFile(_File):
    platform: list[Text] = Field(default=[], description="cuda, rocm, npu, cpu")
    workflow: list[Text] = []
    job: list[Text] = []
    step: list[Text] = []
    framework: list[Text] = []


class ExplainFile(_File):
    what: Text = Field(description="What happened, in one or two sentences; {capture} is filled in.")
    why: str = ""
    confirm: str = Field("", description="How to be sure.")
    not_this: str = Field("", description="What looks alike and is something else.")


class FixFile(_File):
    title: Text
    recipe: Text
    with_: dict[str, Any] = Field(default={}, alias="with", description="The recipe's arguments.")
    when: dict[str, list[Text]] = Field(
        default={}, description="Globs over platform, phase, layout, framework and setting:<knob>."
    )
    applicability: Applicability = Applicability.DISPLAY
    because: str = ""
    costs: list[Text] = []
    expires: str = ""


class ReferenceFile(_File):
    model_config = ConfigDict(json_schema_extra=_exactly_one(_TARGETS))

    role: Annotated[str, Field(pattern=r"^(fixed_by|introduced_by|not_this|tracking|seen_in|documents)$")]
    issue: Text | None = None
    pr: Text | None = None
    commit: Text | None = None
    docs: Text | None = None
    case: Text | None = None
    code: Text | None = None
    run: Text | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(getattr(self, name) is not None for name in _TARGETS) != 1:
            raise ValueError(f"give exactly one of {', '.join(_TARGETS)}")
        return self

    @property
    def target(self) -> str:
        return next(str(value) for name in _TARGETS if (value := getattr(self, name)) is not None)


class ExamplesFile(_File):
    match: list[Text] = Field(default=[], description="Lines (or a few together) that a pattern must hit.")
    no_match: list[Text] = Field(default=[], description="Text over which the condition must not hold.")


class SignatureFile(_File):
    title: Text
    owner: str = Field(description="An area word, such as rollout, infra or build.")
    family: str = Field(json_schema_extra={"enum": _FAMILIES})
    category: Category
    severity: Severity
    rank: Rank
    match: ConditionFile
    explain: ExplainFile
    status: Status = Status.EXPERIMENTAL
    scope: ScopeFile = ScopeFile()
    occurrence: Occurrence = Occurrence.FIRST
    printed_by: Printer = Field(Printer.PROGRAM, description="`command`: its script may go on; much output shows so.")
    fingerprint: list[Text] = Field(default=[], description="Captures that tell two failures apart.")
    explains: list[Text] = Field(default=[], description="Ids of the symptoms that this cause produces.")
    fixes: list[FixFile] = []
    certain: Truth = Field(True, description="Whether the evidence alone says what is wrong; else at most medium.")
    retry: Truth = Field(False, description="Whether a rerun is worth its price.")
    added: Date | None = None
    review_by: Date | None = None
    renamed_from: list[Text] = []
    references: list[ReferenceFile] = []
    examples: ExamplesFile = ExamplesFile()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a signature file, recipes included, for editors."""
    schema = SignatureFile.model_json_schema(by_alias=True)
    recipes = RECIPE.json_schema()
    definitions = {name: shape for name, shape in recipes.get("$defs", {}).items() if name not in schema["$defs"]}
    names = recipes["discriminator"]["mapping"]
    schema["$defs"] |= {name: _without_recipe(shape) for name, shape in definitions.items()}
    fix = schema["$defs"]["FixFile"]
    fix["properties"]["recipe"]["enum"] = sorted(names)
    fix["allOf"] = [
        {
            "if": {"properties": {"recipe": {"const": name}}},
            "then": {"properties": {"with": {"$ref": reference}}},
        }
        for name, reference in sorted(names.items())
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "A triage signature"}


def _without_recipe(shape: dict[str, Any]) -> dict[str, Any]:
    """The arguments alone: `recipe` itself stands beside `with`, not inside it."""
    properties = {name: value for name, value in shape["properties"].items() if name != "recipe"}
    return {**shape, "properties": properties, "required": [n for n in shape.get("required", []) if n != "recipe"]}
