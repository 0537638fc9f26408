"""What no file names yet, in the list from which the job's install takes what is needed."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MISSING = {"module": "cv2"}
FILE = PipInstall(module="{module}", form="file")
PROJECT = '[project]\nname = "train"\ndependencies = ["ray"]\n[project.optional-dependencies]\ntest = ["pytest"]\n'
FROM_FILE = "from setuptools import setup\nsetup(name='train', install_requires=open('requirements.txt').readlines())\n"
ADDED = "from setuptools import setup\nextras = {}\nextras['dev'] = ['ruff']\nextras['test'] = extras['dev'] + [\n    'pytest',\n]\nsetup(name='train', extras_require=extras)\n"
PACKAGE = {"train/__init__.py": "", "train/track.py": "import os\nimport cv2\n", "tests/test_track.py": "import cv2\n"}
OWN = Facts(frames=("/__w/train/train/tests/test_track.py", "/__w/train/train/train/track.py"))
THROUGH = Facts(frames=OWN.frames, packages=("torch",))
TESTS = Facts(frames=OWN.frames[:1])


def repository(files: dict[str, str], *commands: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, "pytest tests"))
    ci = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **PACKAGE, **files}.items()})


@pytest.mark.parametrize(
    ("files", "command", "facts", "path", "line"),
    [
        ({"pyproject.toml": PROJECT}, "pip install -e .", OWN, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
        ({"pyproject.toml": PROJECT}, "pip install -e . rich", OWN, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
        ({"pyproject.toml": PROJECT}, "pip install -e .", THROUGH, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
        ({"setup.py": FROM_FILE, "requirements.txt": "ray\n"}, "pip install .", OWN, "requirements.txt", "+opencv-python"),
        ({"requirements.txt": "ray\n"}, "pip install -r requirements.txt", OWN, "requirements.txt", "+opencv-python"),
        ({"pyproject.toml": PROJECT}, "pip install -e .[test]", TESTS, "pyproject.toml", '+test = ["pytest", "opencv-python"]'),
        ({"pyproject.toml": PROJECT}, "pip install -e .[test]", THROUGH, "pyproject.toml", '+test = ["pytest", "opencv-python"]'),
        ({"setup.py": ADDED}, "pip install -e .[test]", TESTS, "setup.py", "+'opencv-python',"),
        ({"pyproject.toml": PROJECT}, "pip install -e .[test] rich", TESTS, "pyproject.toml", '+test = ["pytest", "opencv-python"]'),
        ({"requirements-test.txt": "ray\n"}, "pip install -r requirements-test.txt rich", TESTS, "requirements-test.txt", "+opencv-python"),
        ({"setup.py": "from setuptools import setup\nsetup(name='train')\n", "requirements.txt": "ray\n"}, "pip install rich -e . -r requirements.txt", OWN, "requirements.txt", "+opencv-python"),
        ({"pyproject.toml": PROJECT}, "uv sync", OWN, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
        ({"pyproject.toml": PROJECT, "uv.lock": ""}, "uv sync", OWN, "pyproject.toml", '+dependencies = ["ray", "opencv-python"]'),
    ],
    ids=["imports", "imports-beside-names", "through-another", "file", "file-alone", "extra", "extra-through", "sum", "extra-beside-names", "tests-list-beside-names", "declares-nothing", "uv", "uv-lock"],
)  # fmt: skip
def test_it_is_required_where_the_install_takes_it_from(
    files: dict[str, str], command: str, facts: Facts, path: str, line: str
) -> None:
    """Behind a command that brings build tools alone, which is no place for what tests need."""
    tree = repository(files, "pip install setuptools wheel", command)
    proved = patch(FILE, "test", CI, captures=MISSING, facts=facts, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (path,)
    assert line in changed(proved)


def test_the_importer_that_the_error_names_counts_where_no_traceback_was_read() -> None:
    tree = repository({"requirements.txt": "ray\n"}, "pip install -r requirements.txt rich")
    captures = {**MISSING, "importer": "train/track.py"}
    proved = patch(FILE, "test", CI, captures=captures, repository=tree)
    assert (proved.state, proved.files) == (PatchState.PATCH, ("requirements.txt",))


@pytest.mark.parametrize(("package", "path"), [("train", "pyproject.toml"), ("torch", CI)])
def test_an_installed_package_of_the_repository_is_its_own_too(package: str, path: str) -> None:
    captures = {**MISSING, "importer": f"/venv/lib/python3.12/site-packages/{package}/track.py"}
    tree = repository({"pyproject.toml": PROJECT}, "pip install .", "pip install rich")
    proved = patch(FILE, "test", CI, captures=captures, facts=Facts(packages=(package,)), repository=tree)
    assert (proved.state, proved.files) == (PatchState.PATCH, (path,))


def test_of_two_extras_for_tests_none_is_the_list() -> None:
    project = PROJECT + 'test_trackers = ["wandb"]\n'
    tree = repository({"pyproject.toml": project}, "pip install -e .[test,test_trackers]", "pip install rich")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=TESTS, repository=tree)
    assert (proved.state, proved.files) == (PatchState.PATCH, (CI,))


def test_what_is_built_for_a_library_of_the_system_is_no_matter_of_pip_alone() -> None:
    facts, tree = Facts(packages=("deepspeed",)), repository({}, "pip install rich")
    found = draft(FILE, "test", CI, captures={"module": "mpi4py"}, facts=facts, repository=tree)
    assert found.state is PatchState.ADVICE, found.reason


@pytest.mark.parametrize(
    ("files", "command", "facts"),
    [
        ({"pyproject.toml": PROJECT}, "pip install -e . rich", THROUGH),
        ({"pyproject.toml": PROJECT}, "pip install rich", OWN),
        ({"pyproject.toml": PROJECT, "train/track.py": "def draw():\n    import cv2\n"}, "pip install -e . rich", OWN),
        ({"requirements-docs.txt": "ray\n"}, "pip install -r requirements-docs.txt", OWN),
        ({"pyproject.toml": PROJECT}, "pip install -e .", TESTS),
        ({"pyproject.toml": PROJECT.replace("test", "plots")}, "pip install -e .[plots]", TESTS),
    ],
    ids=[
        "named-beside",
        "not-installed",
        "only-sometimes",
        "file-for-documents",
        "test-alone",
        "no-extra-for-tests",
    ],
)
def test_elsewhere_the_job_alone_installs_it(files: dict[str, str], command: str, facts: Facts) -> None:
    proved = patch(FILE, "test", CI, captures=MISSING, facts=facts, repository=repository(files, command))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (CI,)


@pytest.mark.parametrize(
    ("command", "facts", "added"),
    [
        ("uv sync --frozen", OWN, "uv add opencv-python"),
        ("uv sync --locked --extra test", TESTS, "uv add --optional test opencv-python"),
        ("uv run --frozen pytest", OWN, "uv add opencv-python"),
    ],
)
def test_a_lock_that_the_job_holds_to_gets_the_command_that_renews_it(command: str, facts: Facts, added: str) -> None:
    tree = repository({"pyproject.toml": PROJECT, "uv.lock": ""}, command)
    found = draft(FILE, "test", CI, captures=MISSING, facts=facts, repository=tree)
    assert found.state is PatchState.ADVICE
    assert f"`{added}`" in found.reason


def test_a_file_that_a_command_writes_is_not_written_by_hand() -> None:
    made = "# This file was autogenerated by uv\n#    uv pip compile requirements.in -o requirements.txt\nray==1\n"
    tree = repository({"setup.py": FROM_FILE, "requirements.txt": made}, "pip install .")
    found = draft(FILE, "test", CI, captures=MISSING, facts=OWN, repository=tree)
    assert found.state is PatchState.ADVICE
    assert "uv pip compile requirements.in" in found.reason


@pytest.mark.parametrize(
    ("extra", "others", "chosen"),
    [("offline", 3, True), ("offline", 4, False), ("test", 9, True), ("opencv", 9, True), ("vision", 9, False)],
)
def test_a_large_extra_is_chosen_only_where_it_is_meant_for_it(extra: str, others: int, chosen: bool) -> None:
    """Nine requirements of another purpose are no answer to one missing module."""
    more = "".join(f'"other{number}", ' for number in range(others))
    project = PROJECT.split("test =")[0] + f'{extra} = [{more}"opencv-python"]\n'
    tree = repository({"pyproject.toml": project}, "pip install -e .")
    made = patch(
        PipInstall(module="{module}", form="extra"), "test", CI, captures=MISSING, facts=TESTS, repository=tree
    )
    assert (made.state is PatchState.PATCH) is chosen, made.reason
    if chosen:
        assert changed(made)[1] == f'+- run: pip install -e ".[{extra}]"'
    else:
        assert f"brings {others} other requirements" in made.reason


@pytest.mark.parametrize("form", ["file", "pinned"])
@pytest.mark.parametrize("more", ["rich", "-r requirements.txt"])
def test_what_is_built_with_torch_is_no_line_of_a_list(form: Literal["file", "pinned"], more: str) -> None:
    """Neither one more word of a command: an isolated build does not see torch."""
    package = {"requirements.txt": "ray\n", "train/track.py": "import flash_attn\n"}
    tree = repository(package, "pip install torch==2.9", f"python -m pip install {more}")
    recipe = PipInstall(module="{module}", form=form)
    found = draft(recipe, "test", CI, captures={"module": "flash_attn"}, facts=OWN, repository=tree)
    assert found.state is PatchState.ADVICE
    assert f"`pip install --no-build-isolation flash-attn` behind {CI}:6 (`pip install torch==2.9`)" in found.reason


def test_what_is_built_with_torch_and_named_by_the_repository_is_installed_as_it_says() -> None:
    tree = repository({"requirements.txt": "flash-attn==2.8.3\n"}, "pip install rich")
    proved = patch(FILE, "test", CI, captures={"module": "flash_attn"}, facts=OWN, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason


@pytest.mark.parametrize("command", ["pip install -e . rich", "pip install --no-deps -e ."])
@pytest.mark.parametrize("form", ["file", "pinned"])
def test_what_the_table_alone_names_moves_other_packages_and_says_so(
    command: str, form: Literal["file", "pinned"]
) -> None:
    tree = repository({"pyproject.toml": PROJECT}, command)
    recipe = PipInstall(module="{module}", form=form)
    proved = patch(recipe, "test", CI, captures=MISSING, facts=TESTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "pip may move other packages" in proved.because
    assert "unpinned, as nothing names a release" in proved.because
    assert "stays as it is" not in proved.because
    other = draft(
        PipInstall(module="{module}", form="extra"), "test", CI, captures=MISSING, facts=TESTS, repository=tree
    )
    assert other.state is PatchState.REFUSED
    assert "does not install" not in other.reason


def test_alone_without_its_dependencies_it_moves_nothing() -> None:
    tree = repository({"requirements.txt": "torch\nopencv-python==4.9\n"}, "pip install rich")
    recipe = PipInstall(module="{module}", form="pinned")
    proved = patch(recipe, "test", CI, captures=MISSING, facts=TESTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.because.endswith("everything else that the image holds stays as it is")


@pytest.mark.parametrize(
    ("imported", "held", "added"),
    [
        ("megatron.energon", "", "megatron-energon"),
        ("megatron.energon.flavors", "megatron-core", "megatron-energon"),
        ("megatron.unknown", "", ""),
        ("", "", ""),
    ],
)
def test_of_a_shared_namespace_the_part_decides_that_is_imported(imported: str, held: str, added: str) -> None:
    """Never the distribution that has the namespace's own name in the table."""
    tree = repository({"requirements.txt": f"ray\n{held}\n"}, "pip install -r requirements.txt rich")
    facts = Facts(frames=TESTS.frames, imported=imported)
    found = draft(FILE, "test", CI, captures={"module": "megatron"}, facts=facts, repository=tree)
    assert found.state is (PatchState.PATCH if added else PatchState.ADVICE), found.reason
    assert [one.new.decode().strip() for one in found.edits] == ([added] if added else [])
    if not added:
        assert "several distributions share the namespace `megatron`" in found.reason


def test_a_part_that_the_repositorys_own_package_lacks_is_said_to_be_missing() -> None:
    tree = repository({}, "pip install rich")
    lacking = draft(FILE, "test", CI, captures={"module": "train.utils"}, repository=tree)
    assert "the repository has the package `train`, but no `train/utils`" in lacking.reason
    there = draft(FILE, "test", CI, captures={"module": "train.track"}, repository=tree)
    assert "a path or an editable install is wrong" in there.reason


def test_an_install_behind_the_failed_step_is_a_matter_of_order() -> None:
    tree = repository({"requirements.txt": "opencv-python\n"}, "bash build.sh", "pip install -r requirements.txt")
    found = draft(FILE, "test", CI, step="Run bash build.sh", captures=MISSING, repository=tree)
    assert found.state is PatchState.ADVICE
    assert "but only after the failed step" in found.reason


LISTS = {
    "requirements-test.txt": "pytest\npre-commit\n",
    "pyproject.toml": PROJECT.replace('"pytest"', '"spy", "pytest"'),
}
ONLY_TESTS = ("pip3 install -r requirements-test.txt", "pip3 install --no-deps -e .", "pip3 install --no-deps rich==1")


@pytest.mark.parametrize(
    ("recipe", "captures", "facts", "line"),
    [
        (FILE, {"module": "spy"}, TESTS, "+spy"),
        (FILE, {"module": "cv2"}, TESTS, "+opencv-python"),
        (PipInstall(program="{program}", form="pinned"), {"program": "spy"}, Facts(), "+spy"),
        (PipInstall(plugin="{argument}"), {"argument": "--cov"}, Facts(), "+pytest-cov"),
    ],
    ids=["extra-for-tests-has-it", "a-test-imports-it", "program", "plugin"],
)
def test_the_list_for_tests_that_several_jobs_install_gets_what_it_lacks(
    recipe: PipInstall, captures: dict[str, str], facts: Facts, line: str
) -> None:
    tables = {**LISTS, "tox.ini": "[pytest]\naddopts = --cov\ndeps = pytest-cov\n"}
    proved = patch(recipe, "test", CI, captures=captures, facts=facts, repository=repository(tables, *ONLY_TESTS))
    assert (proved.state, proved.files) == (PatchState.PATCH, ("requirements-test.txt",)), proved.reason
    assert changed(proved) == [line]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("accelerate\ndatasets\npandas\nray\n", [" datasets", "+opencv-python", " pandas"]),
        ("accelerate\ndatasets>=2\nhydra-core\nnumpy\n", [" numpy", "+opencv-python"]),
        ("datasets\naccelerate\nray\npandas\n", [" pandas", "+opencv-python"]),
        ("# all\naccelerate\ndatasets\nray\n", [" ray", "+opencv-python"]),
    ],
)
def test_a_line_stands_in_the_order_of_the_list(text: str, lines: list[str]) -> None:
    tree = repository({"requirements.txt": text}, "pip install -r requirements.txt")
    proved = patch(FILE, "test", CI, captures=MISSING, facts=OWN, repository=tree)
    assert "\n".join(lines) in proved.diff
