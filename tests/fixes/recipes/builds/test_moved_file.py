"""Files that a setup.py opens at a place where they are no longer."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.recipes.builds.moved_file import open_where_it_is
from triage.fixes.recipes.outcome import Edited

GONE = {"message": "[Errno 2] No such file or directory: '/home/runner/work/train/train/package_info.py'"}
SETUP = "VERSION = read('package_info.py')\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"setup.py": SETUP, "trainlib/package_info.py": ""}, ["trainlib/package_info.py"]),
        ({"setup.py": SETUP, "trainlib/package_info.py": "", "old/package_info.py": ""}, []),
        ({"setup.py": "VERSION = read('trainlib/package_info.py')\n", "trainlib/package_info.py": ""}, []),
        ({"lib/setup.py": SETUP, "trainlib/package_info.py": ""}, []),  # beyond the folder that is built
    ],
)
def test_the_file_is_opened_where_the_repository_has_it(files: dict[str, str], expected: list[str]) -> None:
    made = open_where_it_is(tree(files), "", GONE)
    assert ([edit.new.decode() for edit in made.edits] if isinstance(made, Edited) else []) == expected, made
