"""Packages inside of the project's own that its manifest leaves out, and a keyword that setuptools passes over."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import MendFile

LISTED, SPELLED = MendFile("unlisted-package"), MendFile("setup-keyword")
CODE = {f"lib/{one}__init__.py": "" for one in ("", "ops/", "ops/fast/", "loss/", "tests/")}
SETUP = "from setuptools import setup\nsetup(name='lib', packages=['lib', 'lib.loss'])\n"
TABLE = '[project]\nname = "lib"\n[tool.setuptools]\npackages = [\n    "lib",\n    "lib.loss",\n]\n'


@pytest.mark.parametrize(
    ("files", "module", "expected"),
    [
        (
            {"setup.py": SETUP},
            "lib.ops",
            ["+setup(name='lib', packages=['lib', 'lib.loss', 'lib.ops', 'lib.ops.fast'])"],
        ),
        ({"pyproject.toml": TABLE}, "lib.ops.fast", ['+"lib.ops.fast",', '+"lib.ops",']),
        ({"pyproject.toml": TABLE}, "lib.tests", ['+"lib.tests",', '+"lib.ops",', '+"lib.ops.fast",']),
        ({"pyproject.toml": TABLE}, "lib.loss", []),  # it is listed
        ({"pyproject.toml": TABLE}, "lib.gone", []),
        ({"pyproject.toml": TABLE}, "other.ops", []),
        ({"pyproject.toml": TABLE, "setup.py": SETUP}, "lib.ops", []),
        ({"setup.py": SETUP.replace("['lib', 'lib.loss']", "find_packages()")}, "lib.ops", []),
        ({"setup.py": SETUP.replace("['lib', 'lib.loss']", "['lib', NAME]")}, "lib.ops", []),
    ],
)
def test_a_package_is_listed_with_the_others_that_lack(files: dict[str, str], module: str, expected: list[str]) -> None:
    made = patch(LISTED, "", "", captures={"module": module}, repository=tree({**CODE, **files}), facts=Facts())
    assert [line for line in changed(made) if line.startswith("+")] == expected, (made.state, made.reason)
    assert not expected or made.state is PatchState.PATCH


def test_a_package_that_is_listed_is_in_place() -> None:
    there = tree({**CODE, "setup.py": SETUP})
    made = draft(LISTED, "", "", captures={"module": "lib.loss"}, repository=there, facts=Facts())
    assert made.state is PatchState.IN_PLACE, made.reason


WRITTEN = "from setuptools import setup\nsetup(\n    name='lib',\n    insatll_requires=['brotli>=1', 'numpy'],\n)\n"


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (tree({"setup.py": WRITTEN}), "+install_requires=['brotli>=1', 'numpy'],"),
        (
            tree(
                {
                    "setup.py": WRITTEN.replace("['brotli>=1', 'numpy']", "open('needs.txt').readlines()"),
                    "needs.txt": "Brotli\n",
                }
            ),
            "+install_requires=open('needs.txt').readlines(),",
        ),
        (tree({"setup.py": WRITTEN.replace("brotli", "zstd")}), ""),
        (tree({"setup.py": WRITTEN.replace("    name", "    install_requires=[],\n    name")}), ""),
        (tree({"setup.py": WRITTEN.replace("insatll_requires", "test_requires")}), ""),
        (tree({"setup.py": WRITTEN, "sub/setup.py": WRITTEN}), ""),
    ],
)
def test_a_misspelt_keyword_that_requires_what_lacks(there: MemoryTree, expected: str) -> None:
    made = patch(SPELLED, "", "", captures={"module": "brotli"}, repository=there, facts=Facts())
    assert (made.state is PatchState.PATCH) == bool(expected), (made.state, made.reason)
    assert not expected or changed(made)[-1] == expected
