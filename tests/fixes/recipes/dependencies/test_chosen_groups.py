"""What a test lacks goes into the one group for tests that the job's installer brings."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}")
CV = {"module": "cv2"}
FACTS = Facts(frames=("tests/test_a.py",))
PROJECT = '[project]\nname = "a"\nversion = "1"\ndependencies = []\n\n'
GROUP = PROJECT + '[dependency-groups]\ntest = [\n  "pytest",\n]\ndocs = ["sphinx"]\n'
POETRY = '[tool.poetry]\nname = "a"\n\n[tool.poetry.group.test.dependencies]\npytest = "^8"\n\n[tool.poetry.group.docs.dependencies]\nsphinx = "*"\n'
PDM = PROJECT + '[tool.pdm.dev-dependencies]\nunit = ["pytest", "tqdm"]\n'


def repository(install: str, test: str, project: str, **files: str) -> MemoryTree:
    steps = f"      - run: {install}\n      - name: Test\n        run: {test}\n"
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    every = {CI: ci, "pyproject.toml": project, "tests/test_a.py": "import cv2\n", **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (repository("uv sync --group test", "uv run pytest tests", GROUP), ['+"opencv-python",']),
        (repository("pip install uv", "uv run --group test pytest tests", GROUP), ['+"opencv-python",']),
        (repository("pip install --group test", "pytest tests", GROUP), ['+"opencv-python",']),
        (repository("uv sync", "uv run pytest tests", GROUP.replace("test = [", "dev = [")), ['+"opencv-python",']),
        (repository("poetry install", "poetry run pytest tests", POETRY), ['+opencv-python = "*"']),
        (repository("poetry install --only test", "poetry run pytest tests", POETRY), ['+opencv-python = "*"']),
        (
            repository("pdm install -G unit", "pdm run pytest tests", PDM),
            ['-unit = ["pytest", "tqdm"]', '+unit = ["pytest", "tqdm", "opencv-python"]'],
        ),
        # Groups that it includes are items of the list, too.
        (
            repository("uv sync --group test", "uv run pytest", PROJECT + '[dependency-groups]\ntest = [{include-group = "a"}, "pytest"]\na = ["x"]\n'),
            ['-test = [{include-group = "a"}, "pytest"]', '+test = [{include-group = "a"}, "pytest", "opencv-python"]'],
        ),
        (
            repository("uv sync --group test", "uv run pytest", PROJECT + '[dependency-groups]\ntest = ["pytest", {include-group = "a"}]\na = ["x"]\n'),
            ['-test = ["pytest", {include-group = "a"}]', '+test = ["pytest", "opencv-python", {include-group = "a"}]'],
        ),
        # What a list of others names is for others.
        (
            repository("uv sync --group test", "uv run pytest tests", GROUP, requirements_dot_txt="opencv-python==4\n"),
            ['+"opencv-python",'],
        ),
    ],
)  # fmt: skip
def test_it_goes_into_the_group(there: MemoryTree, new: list[str]) -> None:
    proved = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff, [str(gate) for gate in proved.gates])
    assert proved.files == ("pyproject.toml",)
    assert "extra" not in proved.title
    assert changed(proved) == new


@pytest.mark.parametrize(
    "there",
    [
        repository("uv sync --frozen --group test", "uv run --frozen pytest tests", GROUP, uv_dot_lock="version = 1\n"),
        repository("uv sync --group docs", "uv run pytest tests", GROUP),
        repository("uv sync --all-groups", "uv run pytest tests", GROUP.replace("sphinx", "pytest-cov")),
    ],
    ids=["locked", "another-group", "two-groups"],
)
def test_what_the_group_does_not_decide_is_left(there: MemoryTree) -> None:
    found = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert found.state is not PatchState.PATCH or "pyproject.toml" not in found.files
