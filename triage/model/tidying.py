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


class NeedsNoJob:
    """What is worked out from the files and the log alone, whether or not the job can be evaluated."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FixWhitespace(NeedsNoJob):
    """The blanks at the ends of lines, or of files, that the check `rule` (a capture: a hook's id, a linter's code,
    git's words) found in the files that the log names. The tree alone says what they become."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    rule: str
    recipe: Literal["fix_whitespace"] = "fix_whitespace"
