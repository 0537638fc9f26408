"""What the catalogue says: a signature, its scope, its condition, its explanation and its ladder of fixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from triage.model.recipe import Recipe


class Category(StrEnum):
    DETERMINISTIC = "deterministic"
    FLAKY = "flaky"
    INFRA = "infra"


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Rank(StrEnum):
    """Root causes come before their symptoms, and both before what merely wraps or ends them."""

    ROOT = "root"
    SYMPTOM = "symptom"
    WRAPPER = "wrapper"


class Status(StrEnum):
    EXPERIMENTAL = "experimental"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class Applicability(StrEnum):
    """`safe` cannot change what the test proves; `unsafe` is likely right, a reviewer decides; `display` is advice."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Printer(StrEnum):
    """Who prints the evidence: a program that ends with it, or a command of a script, which ends the script only where
    the shell is told so (`-e`) and nothing catches it."""

    PROGRAM = "program"
    COMMAND = "command"


class Occurrence(StrEnum):
    """Which hit is the evidence when a condition holds more than once."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Contains:
    """`anywhere`: need not be in the evidence's stream."""

    text: str
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Regex:
    """RE2 syntax, named captures only."""

    pattern: str
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """`lines` in this order, in one stream, the last at most `within_lines` raw lines after the first.

    `evidence`: which of them says what went wrong, the last one or the first.
    """

    lines: tuple[Contains | Regex, ...]
    within_lines: int
    evidence: Occurrence = Occurrence.LAST


# `all`: every one holds somewhere in the log (in one stream: that of the evidence). The evidence is the line of the
# first leaf that is not under `none`; of a sequence it is its last line, or its first where the sequence says so. Under
# `any` a line that stands within a sequence gives way to that sequence's evidence.
Condition = Contains | Regex | AllOf | AnyOf | NoneOf | Sequence


@dataclass(frozen=True, slots=True)
class Scope:
    """Globs. An empty tuple allows everything; what is unknown of a job passes; facts from its log may still veto."""

    platform: tuple[str, ...] = ()
    workflow: tuple[str, ...] = ()
    job: tuple[str, ...] = ()
    step: tuple[str, ...] = ()
    framework: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explain:
    what: str
    why: str = ""
    confirm: str = ""
    not_this: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    role: str
    target: str


@dataclass(frozen=True, slots=True)
class FixStep:
    """One rung of the ladder: a recipe, when it applies, and what it costs.

    `when` holds globs over facts ("platform", "phase", "layout", "setting:<knob>"); a fact that is unknown passes
    unless the glob list holds "known", and `!glob` excludes.
    """

    title: str
    recipe: Recipe
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    applicability: Applicability = Applicability.DISPLAY
    because: str = ""
    costs: tuple[str, ...] = ()
    expires: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    id: str
    title: str
    owner: str
    family: str
    category: Category
    severity: Severity
    rank: Rank
    status: Status
    condition: Condition
    explain: Explain
    scope: Scope = Scope()
    occurrence: Occurrence = Occurrence.FIRST
    printed_by: Printer = Printer.PROGRAM
    fingerprint: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    fixes: tuple[FixStep, ...] = ()
    retry: bool = False
    # Whether the evidence alone says which of the things that it speaks of is wrong: else it is never named for sure.
    certain: bool = True
    added: str = ""
    review_by: str = ""
    renamed_from: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    examples_match: tuple[str, ...] = ()
    examples_no_match: tuple[str, ...] = ()
    # Where it was read from: "signatures/<area>/<id>.yaml", for messages.
    source: str = ""


@dataclass(frozen=True, slots=True)
class Tables:
    """`signatures/tables/`: what the repository under triage cannot tell.

    `knobs`: logical name -> dialect ("hydra", "hydra:vllm", "vllm", "sglang", "env") -> keys or flags, best first.
    `distributions`: import name -> distribution names. `models`: model name -> {"heads", "kv_heads", "layers"}.
    `plugins`: option or fixture of pytest -> the distribution of the plugin that has it. `companions`: distribution ->
    its release -> the releases of others that are built for it. `programs`: program -> distribution names. `packages`:
    program, library, header or what CMake looks for -> "apt", "dnf" or "apk" -> names of packages. `switches`: knob ->
    the knobs that decide whether anything reads it -> what they must hold ("True"), or must not be known to ("!True").
    `hooks`: repository of pre-commit hooks ("owner/name") -> the tag of its first release that can be used.
    `images`: image -> a release of what it holds -> its last patch, whose tags the registry keeps.
    `names`: distribution -> "gone" or "since" -> a dotted name of it -> the release that first lacks it, or has it.
    `exports`: the same, read from the sources of its releases: "gone" or "since" -> release -> names, with blanks
    between them.
    """

    knobs: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    distributions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    plugins: Mapping[str, str] = field(default_factory=dict)
    companions: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    packages: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    switches: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    exports: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All signatures that decoded, by id, and what was left out and why."""

    signatures: Mapping[str, Signature]
    tables: Tables = Tables()
    left_out: tuple[str, ...] = ()
    version: str = ""

    def of_family(self, family: str) -> tuple[Signature, ...]:
        return tuple(one for one in self.signatures.values() if one.family == family)
