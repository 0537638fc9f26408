"""What a command lacks that makes its own environment: in the list of tox, nox or hatch from which it makes that."""

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
TOX = "[tox]\nenvlist = unit, lint\n\n[testenv]\ndeps =\n    pytest\n    numpy  # arrays\ncommands = pytest {posargs}\n"
NOX = """\
import nox

LINT = ["ruff", "mypy"]


@nox.session(python=["3.11"])
def tests(session):
    session.install(%s)
    session.run("pytest")


@nox.session
def lint(session):
    session.install(*LINT)
"""


def repository(command: str, **files: str) -> MemoryTree:
    steps = f"      - run: pip install tox nox hatch\n      - name: Test\n        run: {command}\n"
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n{steps}"
    named = {path.replace("__", "/").replace("_dot_", "."): text for path, text in files.items()}
    every = {CI: ci, "tests/test_a.py": "import cv2\n", **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("there", "path", "new"),
    [
        (repository("tox -e unit", tox_dot_ini=TOX), "tox.ini", ["+opencv-python"]),
        (repository("python -m tox run -e py311", tox_dot_ini=TOX), "tox.ini", ["+opencv-python"]),
        (repository("uv run tox", tox_dot_ini=TOX), "tox.ini", ["+opencv-python"]),
        (
            repository("tox -e unit", tox_dot_ini=TOX + "\n[testenv:unit]\ndeps =\n    pytest\n    tqdm\n"),
            "tox.ini",
            ["+opencv-python"],
        ),
        (
            repository("tox -e unit", tox_dot_ini="[testenv:unit]\ndeps = pytest\ncommands = pytest\n"),
            "tox.ini",
            ["-deps = pytest", "+deps =", "+pytest", "+opencv-python"],
        ),
        (
            repository(
                "tox -e unit",
                tox_dot_ini="[testenv]\ndeps = -r{toxinidir}/ci/needs.txt\n",
                ci__needs_dot_txt="pytest\n",
            ),
            "ci/needs.txt",
            ["+opencv-python"],
        ),
        (
            repository(
                "tox -e unit",
                tox_dot_ini="[testenv]\nextras = test\n",
                pyproject_dot_toml='[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\n',
            ),
            "pyproject.toml",
            ['-test = ["pytest"]', '+test = ["pytest", "opencv-python"]'],
        ),
        (
            repository(
                "tox -e unit",
                pyproject_dot_toml='[tool.tox.env_run_base]\ndeps = [\n  "pytest",\n]\ncommands = [["pytest"]]\n',
            ),
            "pyproject.toml",
            ['+"opencv-python",'],
        ),
        (
            repository("nox -s tests", noxfile_dot_py=NOX % '"pytest", "numpy"'),
            "noxfile.py",
            ['-session.install("pytest", "numpy")', '+session.install("pytest", "numpy", "opencv-python")'],
        ),
        (
            repository("nox --session=tests-3.11", noxfile_dot_py=NOX % '\n        "pytest",\n        "numpy",\n    '),
            "noxfile.py",
            ['+"opencv-python",'],
        ),
        (
            repository("nox -s tests", noxfile_dot_py=NOX % '"-r", "ci/needs.txt"', ci__needs_dot_txt="pytest\n"),
            "ci/needs.txt",
            ["+opencv-python"],
        ),
        (
            repository(
                "hatch run unit:pytest",
                pyproject_dot_toml='[tool.hatch.envs.unit]\ndependencies = [\n  "pytest",\n]\n',
            ),
            "pyproject.toml",
            ['+"opencv-python",'],
        ),
        (
            repository("hatch test", hatch_dot_toml='[envs.hatch-test]\nextra-dependencies = ["tqdm"]\n'),
            "hatch.toml",
            ['-extra-dependencies = ["tqdm"]', '+extra-dependencies = ["tqdm", "opencv-python"]'],
        ),
    ],
)
def test_it_goes_into_the_list_of_the_environment(there: MemoryTree, path: str, new: list[str]) -> None:
    proved = patch(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff, [str(gate) for gate in proved.gates])
    assert proved.files == (path,)
    assert changed(proved) == new


@pytest.mark.parametrize(
    "there",
    [
        repository("tox -e unit", tox_dot_ini=TOX.replace("numpy ", "opencv-python ")),
        repository("nox -s tests", noxfile_dot_py=NOX % '"pytest", "opencv-python"'),
    ],
)
def test_what_the_environment_has_is_not_added(there: MemoryTree) -> None:
    assert (
        draft(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there).state is PatchState.IN_PLACE
    )


@pytest.mark.parametrize(
    "there",
    [
        # Which of two sessions ran is not said.
        repository("nox", noxfile_dot_py=NOX % '"pytest"'),
        # Two lists, and none for tests.
        repository(
            "tox -e unit",
            tox_dot_ini="[testenv]\ndeps =\n    -r a/one.txt\n    -r a/two.txt\n",
            a__one_dot_txt="numpy\n",
            a__two_dot_txt="tqdm\n",
        ),
        # What a program is given is worked out.
        repository("nox -s tests", noxfile_dot_py=NOX % "*needs()"),
        # A file that configparser reads otherwise.
        repository("tox -e unit", tox_dot_ini="[testenv]\ndeps =\n    pytest\n[testenv]\ndeps = tqdm\n"),
    ],
)
def test_a_list_that_is_not_clear_is_left(there: MemoryTree) -> None:
    assert draft(MODULE, "test", CI, step="Test", facts=FACTS, captures=CV, repository=there).state is PatchState.ADVICE


FACTORS = "[testenv]\ndeps =\n    pytest\n    gpu: torch\n    !gpu: torch-cpu\n"


@pytest.mark.parametrize(
    ("there", "path"),
    [
        (repository("tox -e py311-gpu", tox_dot_ini=FACTORS), "tox.ini"),
        (repository("tox -e py311", tox_dot_ini=FACTORS + "    gpu: opencv-python\n"), "tox.ini"),
        (repository("tox -c ci/tox.ini", tox_dot_ini=TOX, ci__tox_dot_ini=TOX), "ci/tox.ini"),
        (repository("tox --root ci -e unit", tox_dot_ini=TOX, ci__tox_dot_ini=TOX), "ci/tox.ini"),
        (repository("nox -f ci/nox.py -s tests", noxfile_dot_py=NOX % '"a"', ci__nox_dot_py=NOX % '"a"'), "ci/nox.py"),
    ],
)  # fmt: skip
def test_the_line_is_for_every_environment_of_the_file_that_the_command_names(there: MemoryTree, path: str) -> None:
    made = patch(MODULE, "test", CI, step="Test", captures=CV, facts=FACTS, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert made.files == (path,)
    assert path.endswith(".py") or changed(made) == ["+opencv-python"]


def test_what_the_environment_has_by_its_factor_is_there() -> None:
    there = repository("tox -e py311-gpu", tox_dot_ini=FACTORS + "    gpu: opencv-python\n")
    made = draft(MODULE, "test", CI, step="Test", captures=CV, facts=FACTS, repository=there)
    assert made.state is PatchState.IN_PLACE


def test_of_a_session_that_installs_behind_a_condition_no_list_is_chosen() -> None:
    file = "import nox\n@nox.session\ndef tests(session):\n    if session.python == '3.9':\n        session.install('old')\n    else:\n        session.install('pytest')\n"
    there = repository("nox -s tests", noxfile_dot_py=file)
    assert draft(MODULE, "test", CI, step="Test", captures=CV, facts=FACTS, repository=there).state is PatchState.ADVICE
