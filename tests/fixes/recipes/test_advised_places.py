"""Words of advice show the place in the files that the log's message names."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import draft
from triage.model.recipe import Advise

FILES = {
    "pyproject.toml": "[tool.pytest]\n[tool.pytest.ini_options]\naddopts = 'a'\n",
    "tasks/small/a/one.yaml": "make: !function ../parts.make_targets\n",
    "tasks/large/a/one.yaml": "make: !function ../parts.make_targets\n",
}


def said(find: str, **captures: str) -> str:
    return draft(Advise("Mend it.", find=find), "", "", captures=captures, repository=tree(FILES)).reason


@pytest.mark.parametrize("told", ["pyproject.toml", "/home/runner/work/pyproject.toml"])
def test_the_line_of_the_file_that_the_message_names(told: str) -> None:
    place = "pyproject.toml:2 (`[tool.pytest.ini_options]`)"
    assert (place in said("[tool.pytest.ini_options]", file=told)) is (told == "pyproject.toml")


def test_the_lines_of_the_folder_that_the_message_names() -> None:
    words = said("{function}", function="make_targets", folder="/opt/train/tasks/small/a")
    assert "tasks/small/a/one.yaml:1" in words
    assert "large" not in words


@pytest.mark.parametrize("folder", ["/a", "tasks/small/a", "/opt/train/tasks/none/b", ""])
def test_no_line_of_another_folder(folder: str) -> None:
    assert "In the repository" not in said("{function}", function="make_targets", folder=folder)
