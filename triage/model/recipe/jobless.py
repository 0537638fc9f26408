"""Recipes that need no job: what stands in files of the repository whoever reads them, and words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}

# Checks whose findings are blanks and nothing else: hooks of pre-commit-hooks, pycodestyle's codes, yamllint's
# rules, git's words.
ENDS_OF_LINES = ("trailing-whitespace", "W291", "W293", "trailing whitespace", "trailing-spaces")
ENDS_OF_FILES = ("end-of-file-fixer", "W292", "W391", "new blank line at EOF", "new-line-at-end-of-file")
# yamllint's: comments stand in the column of what is before or behind them.
COLUMNS_OF_COMMENTS = ("comments-indentation",)


@dataclass(frozen=True, slots=True)
class Advise:
    """Words only: what a person should do where no edit of the repository can be proved right.

    `knobs`: what they are set to in this job, and where, is added; `find`: so are the lines that hold this text.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    text: str
    recipe: Literal["advise"] = "advise"
    knobs: tuple[str, ...] = ()
    find: str = ""


@dataclass(frozen=True, slots=True)
class MarkMachine:
    """Ask for `package` only on machines other than `machine` (captures), for which it has no wheel, where one
    pyproject.toml asks for it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    package: str
    machine: str
    recipe: Literal["mark_machine"] = "mark_machine"


@dataclass(frozen=True, slots=True)
class RepairWorkflow:
    """Repair what makes the workflow invalid: its YAML, a misspelt key, a step without `run:`, `needs` of no job, a
    stale path. Captures: `path` is one that the log says is not there, `file` the workflow that it calls invalid.
    `copied`: a command works on `path`, which another one may have to make first. `refused`: the input, or the secret
    (`kind`), that the workflow which is called does not define."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["repair_workflow"] = "repair_workflow"
    path: str = ""
    file: str = ""
    copied: bool = False
    refused: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class RepairLine:
    """What a shell says of the line `line` of `script`, about `subject`; all are captures. `fault`, "unset": a variable
    that a test asks for; "foreign": one that a script of the machine reads, which is read in; "arithmetic": a number
    with letters behind it; "called": a command that is there under another name, or through another program. Without
    `script`, in the failed step: "absent": what is to be taken away is not there; "answer": the query `subject`, by its
    first words, finds nothing, which the lines below allow for; "test": a false test ends it; "freeze": a list of
    requirements with addresses; "repeated": an earlier step has taken the file `subject` away. With or without one,
    "continued": the argument `subject` was run as a command; "redirected": the version `subject` was read as a file."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal[
        "unset",
        "foreign",
        "arithmetic",
        "called",
        "absent",
        "answer",
        "test",
        "freeze",
        "repeated",
        "continued",
        "redirected",
    ]
    script: str = ""
    line: str = ""
    subject: str = ""
    recipe: Literal["repair_line"] = "repair_line"


@dataclass(frozen=True, slots=True)
class Rerun:
    """Words: run the job again. Where the job's own files set the address that failed, they are named first.

    `index`: the address is that of an index of packages, wherever the installers have it from.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["rerun"] = "rerun"
    index: bool = False


@dataclass(frozen=True, slots=True)
class DropItem:
    """The one entry of a list, in a configuration of the repository, that is `item`: a capture."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    item: str
    recipe: Literal["drop_item"] = "drop_item"
    settled: bool = False


@dataclass(frozen=True, slots=True)
class MendFile:
    """Mend what a build or a test reads and cannot use, in a file of the tree, whatever job reads it:

    `backend`: pyproject.toml names an object that its build backend does not have (`backend`, and `project` where pip
    says it); `coverage`: several processes write one file of coverage's data; `encoding`: a file is read without its
    encoding (`file` and `line` of the traceback, `source` where it prints it); `entry-point`: a command that the
    repository installs leads to a `module` that is not there; `extra`: uv is given the name of an extra, or of a group,
    as an option (`argument`); `match-runtime`: uv builds `package` in an environment with a torch of its own, while the
    project has other packages built against the torch that it installs; `misspelt-package`: a dotted path begins with
    what is nearly a package of the repository (`module`); `moved-file`: a setup.py opens a file
    (`message`) where it is no longer; `package-data`: the wheel lacks files (`installed`); `setup-keyword`: a misspelt
    keyword of `setup()` requires the `module`; `test-name`: a command names a `test` that its file (`path`) has not;
    `undeclared`: a `program` of the tree is given options (`argument`) that it does not declare; `unlisted-package`: a
    list of what goes into the wheel lacks a package (`module`); `warning`: pytest's settings make an error of a
    package's warning (`category`, `message`).
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    fault: Literal[
        "backend",
        "coverage",
        "encoding",
        "entry-point",
        "extra",
        "match-runtime",
        "misspelt-package",
        "moved-file",
        "package-data",
        "setup-keyword",
        "test-name",
        "undeclared",
        "unlisted-package",
        "warning",
    ]
    recipe: Literal["mend_file"] = "mend_file"
    # What was mended, once it is.
    settled: str = ""


@dataclass(frozen=True, slots=True)
class CorrectTarget:
    """The path of a class or function, `target` (a capture), which configurations name and at which the repository has
    none: the path by which other configurations or its own programs have it. `settled`: that path, once chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    target: str
    recipe: Literal["correct_target"] = "correct_target"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class NameModel:
    """The path of somebody's own folder, `path` (a capture), from which configurations load a model: the name under
    which the repository has that model on the Hub. `settled`: that name, once chosen."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    path: str
    recipe: Literal["name_model"] = "name_model"
    settled: str = ""


@dataclass(frozen=True, slots=True)
class FitType:
    """A value of the configuration that the commands name, right but for its type: `kind` (a capture) is what the
    program wants, "list", "string" or "literal", of which `choices` then lists the words; `key` is its dotted path."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    key: str
    kind: str
    choices: str = ""
    recipe: Literal["fit_type"] = "fit_type"


@dataclass(frozen=True, slots=True)
class QuoteVersion:
    """The quotes of a version such as 3.10 that YAML reads as the number `version` (a capture)."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    version: str
    recipe: Literal["quote_version"] = "quote_version"


@dataclass(frozen=True, slots=True)
class FixWhitespace:
    """The blanks at the ends of lines, or of files, that the check `rule` (a capture: a hook's id, a linter's code,
    git's words) found in the files that the log names. The tree alone says what they become."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    rule: str
    recipe: Literal["fix_whitespace"] = "fix_whitespace"


Jobless = (
    Advise
    | CorrectTarget
    | DropItem
    | FitType
    | FixWhitespace
    | MarkMachine
    | MendFile
    | NameModel
    | QuoteVersion
    | RepairLine
    | RepairWorkflow
    | Rerun
)
