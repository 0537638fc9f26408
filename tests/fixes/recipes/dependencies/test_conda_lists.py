"""What a job lacks whose environment conda alone makes: in the file that conda makes it from."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}")
CV = {"module": "cv2"}
FACTS = Facts(frames=("tests/test_a.py",))
BY_PIP = "name: a\ndependencies:\n  - python=3.11\n  - pip\n  - pip:\n      - pytest\n"
OWN = "name: a\ndependencies:\n  - python=3.11\n  - pytest\n"
CREATE = "- run: conda env create -f environment.yml\n"
MICROMAMBA = "- uses: mamba-org/setup-micromamba@v2\n  with:\n    environment-file: environment.yml\n"


def repository(*steps: str, **files: str) -> MemoryTree:
    every = [*steps, "- name: Test\n  run: conda run -n a pytest tests\n"]
    listed = "".join(f"      {line}\n" for step in every for line in step.splitlines())
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{listed}"
    named = {path.replace("__", "/").replace("_dot_", "."): text for path, text in files.items()}
    every_file = {CI: ci, "tests/test_a.py": "import cv2\n", **named}
    return MemoryTree({path: text.encode() for path, text in every_file.items()})


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (repository(CREATE, environment_dot_yml=BY_PIP), ["+- opencv-python"]),
        (repository(MICROMAMBA, environment_dot_yml=BY_PIP), ["+- opencv-python"]),
        (repository(CREATE, environment_dot_yml=OWN), ["+- pip", "+- pip:", "+- opencv-python"]),
        (repository(CREATE, environment_dot_yml=OWN + "  - pip\n"), ["+- pip:", "+- opencv-python"]),
        (
            repository(CREATE, environment_dot_yml=OWN, docs__env_dot_yml=f"{OWN}  - opencv-python\n"),
            ["+- opencv-python"],
        ),
        (
            repository(CREATE, "- run: conda run -n a pip install --no-deps -e .\n", environment_dot_yml=BY_PIP),
            ["+- opencv-python"],
        ),
    ],
    ids=["pip", "micromamba", "own", "own-with-pip", "known-to-conda", "project-alone"],
)
def test_it_goes_into_the_environment_file(there: MemoryTree, new: list[str]) -> None:
    proved = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff, [str(gate) for gate in proved.gates])
    assert proved.files == ("environment.yml",)
    assert changed(proved) == new


def test_what_conda_has_is_not_added() -> None:
    there = repository(CREATE, environment_dot_yml=f"{OWN}  - opencv-python\n")
    found = draft(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert found.state is PatchState.IN_PLACE


def test_of_two_environments_none_is_chosen() -> None:
    other = CREATE.replace("environment", "other")
    there = repository(CREATE, other, environment_dot_yml=BY_PIP, other_dot_yml=BY_PIP)
    found = draft(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert found.state is PatchState.ADVICE
