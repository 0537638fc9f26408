"""A distribution that no index has, one slip away from what the tree imports and knows."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.fixes.recipes.dependencies.misnamed import is_slip
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipRelease

CI = ".github/workflows/ci.yml"
RELEASE = PipRelease("{requirement}", "{listed}")
CODE = {"trainlib/__init__.py": "", "trainlib/text.py": "def words():\n    import cv2\n    import numpy\n"}
SETUP = 'from setuptools import setup\nsetup(name="trainlib", install_requires=["rich", "opencv-pyhton>=4"])\n'
EXTRA = '[project]\nname = "trainlib"\n[project.optional-dependencies]\nvision = ["opencv-pyton", "rich"]\n'


def made(files: dict[str, str], asked: str, listed: str = "none", command: str = "") -> Patch:
    job = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {command}\n"
    captures = {"requirement": asked, "listed": listed}
    held = {CI: job, **CODE, **files} if command else {**CODE, **files}
    facts = Facts() if command else Facts(installs=('pip install -e ".[vision]"',))
    where = ("test", CI) if command else ("", "")
    return patch(RELEASE, *where, captures=captures, facts=facts, repository=tree(held))


@pytest.mark.parametrize(
    ("files", "asked", "command", "lines"),
    [
        (
            {"pyproject.toml": EXTRA},
            'opencv-pyton; extra == "vision"',
            "",
            ['-vision = ["opencv-pyton", "rich"]', '+vision = ["opencv-python", "rich"]'],
        ),
        ({"setup.py": SETUP}, "opencv-pyhton>=4", "pip install .", None),
        ({"requirements.txt": "rich\nnumppy==2.1  # arrays\nnumpy<3\n"}, "numppy==2.1", "pip install -r requirements.txt",
         ["-numppy==2.1  # arrays", "+numpy==2.1  # arrays"]),
        ({"requirements-dev.txt": "numpy\n"}, "nunpy", "uv pip install nunpy rich",
         ["-- run: uv pip install nunpy rich", "+- run: uv pip install numpy rich"]),
    ],
)  # fmt: skip
def test_it_is_named_as_the_code_imports_it(
    files: dict[str, str], asked: str, command: str, lines: list[str] | None
) -> None:
    found = made(files, asked, command=command)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == (lines or [line for line in changed(found) if "opencv-py" in line])
    assert "opencv-python>=4" in found.diff or lines


@pytest.mark.parametrize(
    ("files", "asked", "listed"),
    [
        ({"requirements.txt": "numppy\n"}, "numppy", "1.0, 1.1"),  # the index has it, though none that fits
        ({"requirements.txt": "numppy\n", "a.py": "import numppy\n"}, "numppy", "none"),  # it is meant so
        ({"requirements.txt": "numpypy\n"}, "numpypy", "none"),
        ({"requirements.txt": "pandsa\n"}, "pandsa", "none"),  # nothing imports what it resembles
    ],
)
def test_what_may_be_meant_so_is_left(files: dict[str, str], asked: str, listed: str) -> None:
    known = {"requirements-dev.txt": "numpy\n"}
    found = made({**known, **files}, asked, listed, command="pip install -r requirements.txt")
    assert found.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("written", "meant", "is_one"),
    [
        ("jeiba", "jieba", True),
        ("numppy", "numpy", True),
        ("nmpy", "numpy", True),
        ("nunpy", "numpy", True),
        ("dataset", "datasets", False),
        ("torch", "torchao", False),
        ("cudnn-cu11", "cudnn-cu12", False),
        ("tensorboard", "tensorboardx", False),
        ("numpy", "numpy", False),
    ],
)
def test_one_slip_inside_of_the_name(written: str, meant: str, is_one: bool) -> None:
    assert is_slip(written, meant) is is_one


def test_a_name_that_is_a_key_is_not_overwritten_by_its_bounds() -> None:
    poetry = '[tool.poetry]\nname = "trainlib"\n[tool.poetry.dependencies]\nopencv-pyhton = "4.1"\n'
    found = made({"pyproject.toml": poetry}, "opencv-pyhton==4.1", command="pip install .")
    assert found.state in (PatchState.REFUSED, PatchState.ADVICE)
    assert "opencv-python: rename the key" in found.reason, found.reason
    assert not found.diff
