"""A tag of a repository of hooks that pre-commit cannot install is raised to the first that it can."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import HookRevision

CI = ".github/workflows/lint.yml"
LINT = "on: push\njobs:\n  lint:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pre-commit run --all-files\n"
CONFIGURATION = """
ci:
  autofix_prs: true
repos:
  - repo: https://code.example/checks/checks
    rev: {checks}
    hooks:
      - id: check-yaml
      - id: end-of-file-fixer
  - repo: {address}
    rev: {sorter}
    hooks: [{{id: sorter}}]
  - repo: local
    hooks:
      - {{id: own, name: own, entry: make own, language: system}}
"""


def repository(
    checks: str = "v4.5.0", sorter: str = "5.10.1", address: str = "https://code.example/Sorters/sorter"
) -> MemoryTree:
    text = CONFIGURATION.format(checks=checks, sorter=sorter, address=address)
    return tree({CI: LINT, ".pre-commit-config.yaml": text})


def made(files: MemoryTree, named: str, job: str = "lint") -> Patch:
    place = (job, CI) if job else ("", "")
    return patch(HookRevision("{repository}"), *place, captures={"repository": named}, repository=files)


@pytest.mark.parametrize(
    ("files", "named", "job", "lines"),
    [
        (repository(), "https://code.example/Sorters/sorter", "lint", ["-rev: 5.10.1", "+rev: 5.12.0"]),
        (repository(), "https://code.example/sorters/sorter.git", "", ["-rev: 5.10.1", "+rev: 5.12.0"]),
        (
            repository(address="git@code.example:sorters/sorter.git", sorter="'5.11.4'"),
            "git@code.example:sorters/sorter.git",
            "lint",
            ["-rev: '5.11.4'", "+rev: '5.12.0'"],
        ),
        (repository(checks='"v0.6.1"'), "https://code.example/checks/checks", "", ['-rev: "v0.6.1"', '+rev: "v4.6.0"']),
    ],
)  # fmt: skip
def test_the_tag_is_raised_as_it_is_written(files: MemoryTree, named: str, job: str, lines: list[str]) -> None:
    found = made(files, named, job)
    assert (found.state, changed(found)) == (PatchState.PATCH, lines), found.reason


@pytest.mark.parametrize(
    ("files", "named", "state"),
    [
        (repository(sorter="5.12.0"), "https://code.example/sorters/sorter", PatchState.IN_PLACE),
        (repository(sorter="6.0.1"), "https://code.example/sorters/sorter", PatchState.IN_PLACE),
        (repository(sorter="3f1c9a7"), "https://code.example/sorters/sorter", PatchState.ADVICE),
        (repository(address="https://code.example/a/b"), "https://code.example/a/b", PatchState.ADVICE),
        (repository(), "https://code.example/else/where", PatchState.REFUSED),
        (repository(address="https://code.example/checks/checks"), "https://code.example/checks/checks", PatchState.REFUSED),
    ],
)  # fmt: skip
def test_what_is_new_enough_unknown_or_not_configured_is_left(files: MemoryTree, named: str, state: PatchState) -> None:
    assert made(files, named).state is state
