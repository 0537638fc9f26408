"""A job that installs its project without what it requires has its libraries from its image."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/nightly.yml"
FILE = PipInstall(module="{module}", form="file")
JOB = """
    on: push
    jobs:
      test:
        runs-on: gpu
        container: example/train-gpu:latest
        steps:
          - run: {install}
          - run: accelerate launch train.py
"""
IMAGES = """
    on: push
    jobs:
      gpu:
        runs-on: big
        steps:
          - uses: docker/build-push-action@v6
            with: {context: docker/gpu, push: true, tags: example/train-gpu}
"""
OWN = "docker/gpu/Dockerfile"
IMAGE = "FROM a\nRUN conda run -n train pip install -U torch \\\n        fast[gpu]>=1.0.2 \\\n        train[test]@git+https://example.com/train \\\n        # For quantization\n        hqq\n"


def installed(install: str, frames: tuple[str, ...] = (), images: str = IMAGES, dockerfile: str = IMAGE) -> Patch:
    files = {CI: JOB.replace("{install}", install), ".github/workflows/images.yml": images, OWN: dockerfile}
    project = "[project]\nname = 'train'\ndependencies = []\n[project.optional-dependencies]\ntest = ['pytest']\n"
    more = {"pyproject.toml": project, "train/__init__.py": "", "tests/test_a.py": "import cv2\n"}
    here = tree({**files, **more, "examples/big/requirements.txt": "opencv-python\n"})
    return patch(FILE, "test", CI, captures={"module": "cv2"}, facts=Facts(frames=frames), repository=here)


def test_it_goes_to_what_the_image_installs() -> None:
    """Into the list of the command itself, a `>=` that the shell takes for a redirection notwithstanding."""
    proved = installed("pip install -e . --no-deps && pip install pytest-reportlog")
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (OWN,)
    assert changed(proved) == ["-hqq", "+hqq opencv-python"]


def test_for_a_test_of_the_repository_the_extra_for_tests_that_the_image_installs() -> None:
    proved = installed("pip install -e . --no-deps", ("/__w/train/train/tests/test_a.py",))
    assert proved.files == ("pyproject.toml",)


@pytest.mark.parametrize(
    "install",
    ["pip install -e .", "pip install pytest", "pip install -e . --no-deps && pip install a b c d"],
    ids=["requires", "tools-alone", "a-list-of-its-own"],
)
def test_a_job_that_brings_libraries_itself_is_the_place(install: str) -> None:
    assert OWN not in installed(install).files


def test_an_image_that_is_made_elsewhere_cannot_be_mended() -> None:
    assert installed("pip install -e . --no-deps", images="on: push\njobs: {}\n", dockerfile="").files == (CI,)
