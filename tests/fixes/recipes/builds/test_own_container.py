"""What is missing in a container of the image that the job builds itself belongs into that image's Dockerfile."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}")
FACTS = Facts(frames=("/app/tests/test_a.py",))
IMAGE = "FROM python:3.11\nRUN pip install pytest numpy\nCOPY . /app\n"
RUN = "docker run --rm unit pytest tests"
BUILD = "- run: docker build -t unit -f ci/Dockerfile .\n"
ACTION = (
    "- uses: docker/build-push-action@v6\n  with:\n    file: ci/Dockerfile\n    load: true\n    tags: unit:latest\n"
)


def repository(build: str, run: str = RUN, image: str = IMAGE, **files: str) -> MemoryTree:
    listed = "".join(f"      {line}\n" for line in f"{build}- name: Test\n  run: {run}\n".splitlines())
    ci = (
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n{listed}"
    )
    named = {path.replace("__", "/").replace("_dot_", "."): text for path, text in files.items()}
    every = {CI: ci, "ci/Dockerfile": image, "tests/test_a.py": "import cv2\n", **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("there", "path", "new"),
    [
        (
            repository(BUILD),
            "ci/Dockerfile",
            ["-RUN pip install pytest numpy", "+RUN pip install pytest numpy opencv-python"],
        ),
        (
            repository(ACTION),
            "ci/Dockerfile",
            ["-RUN pip install pytest numpy", "+RUN pip install pytest numpy opencv-python"],
        ),
        # Lists of others that name it are for others.
        (
            repository(BUILD, docs__requirements_dot_txt="sphinx\nopencv-python==4.9\n"),
            "ci/Dockerfile",
            ["-RUN pip install pytest numpy", "+RUN pip install pytest numpy opencv-python"],
        ),
        (
            repository(
                BUILD,
                image="FROM python:3.11\nCOPY ci/needs.txt ci/needs.txt\nRUN pip install -r ci/needs.txt\n",
                ci__needs_dot_txt="pytest\n",
            ),
            "ci/needs.txt",
            ["+opencv-python"],
        ),
    ],
    ids=["command", "action", "named-for-others", "list"],
)
def test_it_goes_into_what_the_image_is_made_with(there: MemoryTree, path: str, new: list[str]) -> None:
    proved = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures={"module": "cv2"}, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff, [str(gate) for gate in proved.gates])
    assert proved.files == (path,)
    assert changed(proved) == new


@pytest.mark.parametrize(
    "there",
    [
        repository(BUILD, "docker run --rm other pytest tests"),
        repository(BUILD, "docker run --rm unit bash -c 'pip install tqdm && pytest tests'"),
    ],
    ids=["another-image", "installs-inside"],
)
def test_other_containers_leave_the_dockerfile_alone(there: MemoryTree) -> None:
    proved = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures={"module": "cv2"}, repository=there)
    assert "ci/Dockerfile" not in proved.files
