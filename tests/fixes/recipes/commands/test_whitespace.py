"""Blanks that a hook, a linter or git found at the ends of lines and of files."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import draft, patch
from triage.fixes.document import splice
from triage.model.diagnosis import Facts, Spaced
from triage.model.patch import PatchState
from triage.model.recipe import FixWhitespace

RECIPE = FixWhitespace("{hook}")
HOOKS = ".pre-commit-config.yaml"
CONFIG = (
    b"repos:\n  - repo: https://example.com/hooks\n    hooks:\n      - id: trailing-whitespace\n        args: [%s]\n"
)


def repository(data: bytes, path: str = "run.sh", arguments: bytes = b"") -> MemoryTree:
    return MemoryTree({path: data, HOOKS: CONFIG % arguments})


@pytest.mark.parametrize(
    ("rule", "line", "before", "after"),
    [
        ("trailing-whitespace", 0, b"python a.py \\\n  --lr 1  \n\t\n", b"python a.py \\\n  --lr 1\n\n"),
        ("trailing-whitespace", 0, b"make \r\nmake test\t\r\n", b"make\r\nmake test\r\n"),
        ("end-of-file-fixer", 0, b"make", b"make\n"),
        ("end-of-file-fixer", 0, b"make\n\n\n", b"make\n"),
        ("end-of-file-fixer", 0, b"make\r\n\r\n", b"make\r\n"),
        # Only the line that a linter or git names.
        ("W291", 2, b"a = 1 \nb = 2 \n", b"a = 1 \nb = 2\n"),
        ("trailing whitespace", 1, b"a \nb \n", b"a\nb \n"),
        ("W391", 1, b"a\n\n", b"a\n"),
    ],
)
def test_only_blanks_go(rule: str, line: int, before: bytes, after: bytes) -> None:
    facts = Facts(spaced=(Spaced("run.sh", rule, line), Spaced("other.sh", "another", 0)))
    # No workflow and no job need be known.
    captures = {"hook": rule}
    made = patch(RECIPE, "", "", facts=facts, captures=captures, repository=repository(before))
    assert made.state is PatchState.PATCH, (made.reason, made.gates)
    edits = draft(RECIPE, "", "", facts=facts, captures=captures, repository=repository(before)).edits
    assert splice(before, edits) == after
    again = draft(RECIPE, "", "", facts=facts, captures=captures, repository=repository(after))
    assert again.state is PatchState.IN_PLACE


def test_a_line_break_of_markdown_stays_where_the_hook_is_told_so() -> None:
    facts, captures = Facts(spaced=(Spaced("a.md", "trailing-whitespace"),)), {"hook": "trailing-whitespace"}
    there = repository(b"one   \ntwo \n", "a.md", b"--markdown-linebreak-ext=md")
    (first, second) = draft(RECIPE, "", "", facts=facts, captures=captures, repository=there).edits
    assert (first.start, first.end, second.start, second.end) == (5, 6, 10, 11)


@pytest.mark.parametrize(
    ("rule", "path", "arguments", "state"),
    [
        ("ruff-format", "run.sh", b"", PatchState.REFUSED),  # what it would write is not known
        ("trailing-whitespace", "gone.sh", b"", PatchState.REFUSED),
        ("trailing-whitespace", "run.sh", b"--chars=x", PatchState.ADVICE),
    ],
)
def test_what_a_tool_would_write_is_not_guessed(rule: str, path: str, arguments: bytes, state: PatchState) -> None:
    facts = Facts(spaced=(Spaced(path, rule),))
    there = repository(b"make \n", arguments=arguments)
    assert draft(RECIPE, "", "", facts=facts, captures={"hook": rule}, repository=there).state is state


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        (
            b"a:\n  - b:\n      c: 1\n    # - d:\n    #   e: 1\nf: 1\n",
            4,
            b"a:\n  - b:\n      c: 1\n      # - d:\n      #   e: 1\nf: 1\n",
        ),
        (b"a: 1\n # b\nc: 1\n", 2, b"a: 1\n# b\nc: 1\n"),
    ],
)
def test_a_comment_goes_into_the_column_of_its_content(before: bytes, line: int, after: bytes) -> None:
    facts, captures = Facts(spaced=(Spaced("a.yaml", "comments-indentation", line),)), {"hook": "comments-indentation"}
    made = draft(RECIPE, "", "", facts=facts, captures=captures, repository=repository(before, "a.yaml"))
    assert splice(before, made.edits) == after
    assert patch(RECIPE, "", "", facts=facts, captures=captures, repository=repository(before, "a.yaml")).files


def test_a_comment_as_near_to_both_columns_is_left() -> None:
    facts, captures = Facts(spaced=(Spaced("a.yaml", "comments-indentation", 2),)), {"hook": "comments-indentation"}
    there = repository(b"a:\n    # b\n    c: 1\n", "a.yaml")
    assert draft(RECIPE, "", "", facts=facts, captures=captures, repository=there).state is not PatchState.PATCH
