"""What only lists of others name: it goes among what the failing job installs itself."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MISSING = {"module": "cv2"}
FILE = PipInstall(module="{module}", form="file")
PACKAGE = {"train/__init__.py": "", "train/track.py": "import cv2\n", "tests/test_track.py": "import cv2\n"}
OWN = Facts(frames=("/__w/train/train/tests/test_track.py", "/__w/train/train/train/track.py"))
TESTS = Facts(frames=OWN.frames[:1])
OTHERS = {"containers/serve/requirements.txt": "rich\nopencv-python==4.9\n"}
PROJECT = '[project]\nname = "train"\ndependencies = ["ray"]\n'


def repository(files: dict[str, str], *commands: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, "pytest tests"))
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}"
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **PACKAGE, **files}.items()})


BASE = {"requirements.txt": "ray\n"}
DEV = {**BASE, "requirements-dev.txt": "pytest\n"}
BOTH = ("pip install -r requirements.txt", "pip install -r requirements-dev.txt")


@pytest.mark.parametrize(
    ("files", "commands", "facts", "path", "line"),
    [
        (BASE, ("pip install -r requirements.txt",), TESTS, "requirements.txt", "+opencv-python"),
        (BASE, ("pip install -r requirements.txt", "pip install rich"), TESTS, "requirements.txt", "+opencv-python"),
        ({"ci/dev.txt": "ray\n"}, ("uv pip install -r ci/dev.txt",), OWN, "ci/dev.txt", "+opencv-python"),
        ({"dev-requirements.txt": "ray\n"}, ("pip install -r dev-requirements.txt",), TESTS, "dev-requirements.txt", "+opencv-python"),
        (DEV, BOTH, TESTS, "requirements-dev.txt", "+opencv-python"),
        (DEV, BOTH, OWN, "requirements.txt", "+opencv-python"),
        ({**BASE, **OTHERS}, ("pip install -r requirements.txt",), OWN, "requirements.txt", "+opencv-python"),
        ({"requirements.txt": "ray==2.40\n", **OTHERS}, ("pip install -r requirements.txt",), TESTS, "requirements.txt", "+opencv-python==4.9"),
        (OTHERS, ("pip install pytest rich",), TESTS, CI, "+- run: pip install pytest rich opencv-python"),
        ({**OTHERS, "pyproject.toml": PROJECT}, ("pip install -e .",), OWN, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
    ],
    ids=["only-list", "before-a-command", "by-uv", "called-otherwise", "list-for-tests", "list-of-the-package", "not-a-list-of-others", "exact-as-its-own", "command-before-a-list-of-others", "project-before-a-list-of-others"],
)  # fmt: skip
def test_it_goes_among_what_the_job_installs(
    files: dict[str, str], commands: tuple[str, ...], facts: Facts, path: str, line: str
) -> None:
    proved = patch(FILE, "test", CI, captures=MISSING, facts=facts, repository=repository(files, *commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (path,)
    assert line in changed(proved)


def test_a_list_that_brings_more_of_what_is_imported_is_installed_whole() -> None:
    files = {"requirements-test.txt": "opencv-python\nimageio\n", "tests/test_film.py": "import imageio\n"}
    tree = repository(files, "pip install pytest")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+pip install -r requirements-test.txt" in changed(proved)


@pytest.mark.parametrize("facts", [OWN, TESTS])
def test_a_list_beside_that_of_the_job_is_installed_whole_where_more_of_it_is_missing(facts: Facts) -> None:
    films = {"tests/test_film.py": "import imageio\n"}
    files = {"requirements.txt": "opencv-python\nimageio\n", "requirements-dev.txt": "pytest\n", **films}
    tree = repository(files, "pip install -r requirements-dev.txt")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=facts, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+pip install -r requirements.txt" in changed(proved)


def test_of_two_lists_alike_none_is_the_place() -> None:
    files = {"a/requirements.txt": "ray\n", "b/requirements.txt": "rich\n"}
    commands = ("pip install -r a/requirements.txt", "pip install -r b/requirements.txt", "pip install pytest rich")
    tree = repository(files, *commands)
    proved = patch(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=tree)
    assert proved.files == (CI,)


HASHED = {"containers/serve/requirements.txt": "opencv-python==4.9 \\\n    --hash=sha256:ab\n"}
EXACT = {"requirements.txt": "ray==2.40\n"}
WHEELS = "pip install --index-url https://example.org/whl/cpu -r requirements.txt"
OPEN = {"containers/serve/requirements.txt": "opencv-python>=${OLDEST}\n"}


@pytest.mark.parametrize(
    ("files", "commands", "path", "line"),
    [
        ({**EXACT, **HASHED}, ("pip install -r requirements.txt",), "requirements.txt", "+opencv-python==4.9"),
        (OPEN, ("pip install rich pytest",), CI, "+- run: pip install rich pytest opencv-python"),
        (BASE, (WHEELS, "pip install rich pytest"), CI, "+- run: pip install rich pytest opencv-python"),
        (BASE, ("pip install --target out -r requirements.txt", "pip install rich pytest"), CI, "+- run: pip install rich pytest opencv-python"),
    ],
    ids=["hash-of-another-list", "bound-of-the-run", "list-from-an-index-of-wheels", "list-for-elsewhere"],
)  # fmt: skip
def test_nothing_but_the_requirement_goes_where_it_is_found(
    files: dict[str, str], commands: tuple[str, ...], path: str, line: str
) -> None:
    proved = patch(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=repository(files, *commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert (proved.files, line in changed(proved)) == ((path,), True)


@pytest.mark.parametrize("held", ["ray==2.40 --hash=sha256:ab\n", "ray \\\n", "r\0a\0y\0"])
def test_a_list_with_more_than_names_gets_words(held: str) -> None:
    tree = repository({"requirements.txt": held}, "pip install -r requirements.txt")
    assert not draft(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=tree).edits


ALIKE = '[project]\nname = "train"\ndependencies = ["ray", "numpy"]\n'


@pytest.mark.parametrize(
    ("project", "path"), [(ALIKE, "pyproject.toml"), (ALIKE.replace("ray", "rich").replace("numpy", "tqdm"), CI)]
)
def test_of_two_lists_that_are_kept_alike_the_installed_one_takes_it(project: str, path: str) -> None:
    """The root's list names what the project declares as well, and what it lacks; another root's list stands alone."""
    files = {"pyproject.toml": project, "requirements.txt": "ray\nnumpy\nopencv-python\n"}
    tree = repository(files, "pip install -e .")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=OWN, repository=tree)
    assert proved.files == (path,)


@pytest.mark.parametrize(
    ("commands", "line"),
    [
        # The list beside scripts that other jobs run is theirs, whatever it names.
        (("pip install pytest rich",), "+- run: pip install pytest rich opencv-python"),
        # The job that calls one of them may have its requirement as it stands there.
        (("pip install pytest rich", "bash ci/robots/start.sh"), "+pip install --no-deps opencv-python==4.9"),
    ],
)
def test_a_list_beside_scripts_is_for_the_jobs_that_call_one(commands: tuple[str, ...], line: str) -> None:
    robots = {
        "ci/robots/requirements.txt": "ray\nopencv-python==4.9\n",
        "ci/robots/start.sh": "python -m robots.start\n",
    }
    pinned = PipInstall(module="{module}", form="pinned")
    made = patch(pinned, "test", CI, captures=MISSING, facts=TESTS, repository=repository(robots, *commands))
    assert made.state is PatchState.PATCH, made.reason
    assert line in changed(made)


LONG = "opencv-python\nimageio\nrich\nray\ntqdm\nscipy\n"
FILM = {"requirements.txt": LONG, "tests/test_film.py": "import imageio\n"}


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (("pip install pytest rich ray tqdm scipy",), "+- run: pip install pytest rich ray tqdm scipy opencv-python"),
        (("pip install pytest rich",), "+pip install -r requirements.txt"),
    ],
    ids=["picked-one-by-one", "more-of-it-is-missing"],
)
def test_a_job_that_picks_from_a_list_takes_one_more_of_it(commands: tuple[str, ...], expected: str) -> None:
    proved = patch(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=repository(FILM, *commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert expected in changed(proved)


def test_a_job_that_installs_the_published_distribution_lacks_one_alone() -> None:
    files = {**FILM, "pyproject.toml": PROJECT}
    held = repository(files, "pip install pytest", "pip install train")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=Facts(), repository=held)
    assert proved.state is PatchState.PATCH, proved.reason
    assert not any("-r requirements.txt" in line for line in changed(proved))
