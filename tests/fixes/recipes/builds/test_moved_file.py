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


RUN = """FROM example/base:1
WORKDIR /workspace
RUN --mount=type=bind,source=setup.py,target=/workspace/setup.py \\
    --mount=type=bind,source=trainlib/package_info.py,target=/workspace/package_info.py \\
    pip install .
"""
MOUNTED = {"message": "[Errno 2] No such file or directory: '/workspace/trainlib/package_info.py'"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RUN, "/workspace/trainlib/package_info.py"),
        (RUN.replace("/workspace/setup.py", "/elsewhere/setup.py"), ""),  # nothing says where the files lie
        (RUN.replace("/workspace/package", "/workspace/trainlib/package"), ""),
    ],
)
def test_a_mount_lies_where_the_build_looks_for_it(text: str, expected: str) -> None:
    there = tree({"Dockerfile": text, "setup.py": "open('trainlib/package_info.py')\n", "trainlib/package_info.py": ""})
    made = open_where_it_is(there, "", MOUNTED)
    assert (made.edits[0].new.decode() if isinstance(made, Edited) else "") == expected, made


def test_of_two_dockerfiles_that_mount_it_otherwise_none_is_chosen() -> None:
    there = tree({"Dockerfile": RUN, "docker/Dockerfile": RUN, "setup.py": "", "trainlib/package_info.py": ""})
    assert not isinstance(open_where_it_is(there, "", MOUNTED), Edited)
