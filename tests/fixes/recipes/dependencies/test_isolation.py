"""What a build without isolation lacks: before the command that builds, never behind it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
AHEAD = PipInstall(module="{module}", form="pinned", ahead=True)
CV = {"module": "cv2"}


def job(script: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    return tree(
        {CI: f"on: push\njobs:\n  test:\n    runs-on: gpu-8\n    steps:\n      - name: Install\n        run: |\n{body}"}
    )


@pytest.mark.parametrize(
    ("script", "new"),
    [
        ("pip install a b\npip install --no-build-isolation ./x\npip install c", "+pip install a b opencv-python"),
        ("pip install -r r.txt\npip install --no-build-isolation ./x\npip install c", "+pip install opencv-python"),
    ],
)
def test_it_comes_before_the_build(script: str, new: str) -> None:
    proved = patch(AHEAD, "test", CI, step="Install", captures=CV, repository=job(script))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == new


@pytest.mark.parametrize(
    "script",
    [
        "pip install a b\npip install ./x",
        "pip install --no-build-isolation ./x\npip install a b",
        "pip install opencv-python\npip install --no-build-isolation ./x",
    ],
    ids=["isolated", "nothing-before", "there"],
)
def test_near_misses_change_nothing(script: str) -> None:
    assert not draft(AHEAD, "test", CI, step="Install", captures=CV, repository=job(script)).edits


WHEEL = PipInstall(distribution="wheel", ahead=True, reviewed=True)
IMAGE = tree({CI: "on: push\njobs:\n  test:\n    runs-on: gpu-8\n    steps:\n      - run: docker build .\n"})


@pytest.mark.parametrize(
    ("above", "new"),
    [
        ("RUN python3 -m pip install -U pip", "+RUN python3 -m pip install -U pip wheel"),
        ("RUN uv pip install torch==2.8.0", "+RUN uv pip install torch==2.8.0 wheel"),
        ("RUN apt-get update", ""),
    ],
)
def test_of_the_instruction_that_failed_what_stands_above_it(above: str, new: str) -> None:
    """The command that failed brought nothing, and yet says that it built without isolation."""
    text = f"FROM a\n{above}\nCOPY . .\nRUN pip install -e . --no-build-isolation\n"
    shown = BuildStep("Dockerfile", {4: "RUN pip install -e . --no-build-isolation"})
    repository = tree({CI: IMAGE.read(CI).decode(), "Dockerfile": text})
    made = draft(WHEEL, "test", CI, repository=repository, facts=Facts(build=shown))
    if not new:
        assert not made.edits
        return
    proved = patch(WHEEL, "test", CI, repository=repository, facts=Facts(build=shown))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == new


def test_what_a_build_asks_for_by_its_distribution_comes_ahead_of_it_too() -> None:
    steps = "      - run: pip install a b\n      - name: Build\n        run: pip install --no-build-isolation .\n"
    ci = f"on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n{steps}"
    files = {CI: ci, "docs/requirements.txt": "speller\n", "setup.py": "from setuptools import setup\nsetup()\n"}
    asked = PipInstall(distribution="{distribution}", form="file")
    proved = patch(asked, "test", CI, step="Build", captures={"distribution": "speller"}, repository=tree(files))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.diff.index("+") < proved.diff.index("no-build-isolation")


TOLD = "RUN if ls /in/*.whl; then \\\n    pip install /in/*.whl; \\\nfi\n"
SETS = "RUN cd train \\\n    && python3 setup.py clean --all \\\n    && python3 setup.py bdist_wheel\n"


@pytest.mark.parametrize(
    ("frame", "setup"),
    [("/app/train/setup.py", "setup.py"), ("/app/train/a.py", "setup.py"), ("setup.py", "x/setup.py")],
)
def test_what_setup_of_the_image_imports_comes_right_before_it_runs(frame: str, setup: str) -> None:
    text = f"FROM a\n{TOLD}{SETS}"
    files = {"Dockerfile": text, "requirements-build.txt": "opencv-python\nninja\n", setup: "import cv2\n"}
    files[CI] = "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: docker build .\n"
    facts = Facts(build=BuildStep("Dockerfile", {5: "RUN cd train \\"}), frames=(frame,))
    module = PipInstall(module="{module}", form="file")
    proved = patch(module, "test", CI, captures=CV, facts=facts, repository=tree(files))
    if (frame, setup) != ("/app/train/setup.py", "setup.py"):
        assert proved.state is not PatchState.PATCH
        return
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == "+&& python3 -m pip install -r requirements-build.txt && \\"
