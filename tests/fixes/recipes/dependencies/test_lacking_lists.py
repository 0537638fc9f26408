"""Without a workflow, what is missing goes into the list that the log installs, else into that of what imports it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipInstall

MISSING = PipInstall(module="{module}", form="file")
SETUP = 'from setuptools import setup\nsetup(name="trainlib", install_requires=["numpy", "rich"])\n'
TESTED = SETUP.replace("])", '], extras_require={"test": ["pytest"], "bench": ["pandas"]})')
PROJECT = '[project]\nname = "trainlib"\ndependencies = [\n    "numpy",\n]\n'
PACKAGE = {"trainlib/__init__.py": "from trainlib import data\n", "trainlib/data.py": "import cv2\n"}
INNER = "/work/trainlib/trainlib/data.py"


def made(files: dict[str, str], module: str = "cv2", *frames: str, **known: object) -> Patch:
    facts = Facts(frames=frames, **known)  # type: ignore[arg-type]
    return patch(MISSING, "", "", facts=facts, captures={"module": module}, repository=tree(files))


@pytest.mark.parametrize(
    ("install", "path"),
    [
        ("cd ~/trainlib/examples/vision && pip install -r requirements_xl.txt", "examples/vision/requirements_xl.txt"),
        ("cd vision && python -m pip install -q -r requirements_xl.txt", "examples/vision/requirements_xl.txt"),
        ("uv pip install --system -r vision/requirements_xl.txt", "examples/vision/requirements_xl.txt"),
    ],
)
def test_the_list_that_the_log_installs_for_the_example_gets_it(install: str, path: str) -> None:
    files = {
        "examples/vision/train.py": "import cv2\n",
        "examples/vision/requirements.txt": "numpy\nopencv-python\n",
        "examples/vision/requirements_xl.txt": "numpy\n",
        "examples/audio/requirements_xl.txt": "numpy\n",
        "setup.py": SETUP,
    }
    if install.startswith("cd vision"):
        del files["examples/audio/requirements_xl.txt"]
    script = "/home/user/trainlib/examples/vision/train.py"
    found = made(files, "cv2", script, installs=("cd ~/trainlib && pip install -e .", install))
    assert (found.state, found.files, changed(found)) == (PatchState.PATCH, (path,), ["+opencv-python"])


def test_a_library_that_asks_for_another_is_asked_by_the_only_list_of_the_log() -> None:
    files = {
        "examples/quickstart/requirements.txt": "transformers\n",
        "examples/quickstart/a.py": "",
        "setup.py": SETUP,
    }
    found = made(files, "data_queue", "/studio/quickstart/a.py", packages=("transformers",),
                 installs=("pip install -r quickstart/requirements.txt",))  # fmt: skip
    assert (found.files, changed(found)) == (("examples/quickstart/requirements.txt",), ["+DataQueue"])


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"setup.py": SETUP}, '+setup(name="trainlib", install_requires=["numpy", "rich", "opencv-python"])'),
        ({"pyproject.toml": PROJECT}, '+"opencv-python",'),
        ({"setup.py": SETUP, "dev-requirements.txt": "opencv-python==4.1\n"},
         '+setup(name="trainlib", install_requires=["numpy", "rich", "opencv-python"])'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("install", ["pip install .", "cd /work/trainlib && uv pip install -e .", ""])
def test_the_project_declares_what_its_package_imports(files: dict[str, str], line: str, install: str) -> None:
    found = made({**PACKAGE, **files}, "cv2", INNER, installs=(install,) if install else ())
    assert (found.state, changed(found)[-1]) == (PatchState.PATCH, line)


def test_without_a_workflow_too_the_chosen_extra_that_has_what_is_beside_it() -> None:
    project = PROJECT + '[project.optional-dependencies]\nserve = ["fastapi", "uvicorn"]\ntest = ["pytest"]\n'
    files = {**PACKAGE, "trainlib/data.py": "import fastapi, uvicorn\nimport cv2\n", "pyproject.toml": project}
    found = made(files, "cv2", INNER, installs=("pip install -e '.[serve]'",))
    assert changed(found)[-1] == '+serve = ["fastapi", "uvicorn", "opencv-python"]'
    assert changed(made(files, "cv2", INNER, installs=("pip install -e .",)))[-1] == '+"opencv-python",'


def test_a_requirements_file_that_setup_reads_is_the_projects_list() -> None:
    setup = (
        'from setuptools import setup\nsetup(name="trainlib", install_requires=open("requirements.txt").readlines())\n'
    )
    files = {**PACKAGE, "setup.py": setup, "requirements.txt": "numpy\n", "dev-requirements.txt": "pytest\n"}
    found = made(files, "cv2", packages=("torch", "trainlib"), installs=("pip install .",))
    assert (found.files, changed(found)) == (("requirements.txt",), ["+opencv-python"])


def test_what_tests_import_goes_with_the_extra_for_tests_that_was_chosen() -> None:
    files = {**PACKAGE, "setup.py": TESTED, "tests/test_a.py": "import cv2\n", "requirements-ci.txt": "opencv-python\n"}
    found = made(files, "cv2", "tests/test_a.py", installs=("pip install -e .[test]",))
    assert '"test": ["pytest", "opencv-python"]' in changed(found)[-1]
    assert made(files, "cv2", "tests/test_a.py", installs=("pip install -e .",)).state is not PatchState.PATCH


def test_a_program_of_a_folder_that_builds_nothing_is_served_by_the_list_at_the_root() -> None:
    files = {"train/__init__.py": "", "train/run.py": "import cv2\n", "requirements.txt": "numpy\ntorch\n"}
    empty = '[project]\nname = "train"\ndependencies = []\n'
    for more in ({}, {"pyproject.toml": empty}):
        found = made({**files, **more}, "cv2", "/stage/train/run.py")
        assert (found.files, changed(found)) == (("requirements.txt",), ["+opencv-python"])


def test_an_example_without_a_list_of_its_own_is_served_by_none() -> None:
    files = {**PACKAGE, "setup.py": SETUP, "examples/a/train.py": "import cv2\n", "requirements.txt": "numpy\ntorch\n"}
    assert made(files, "cv2", "/w/examples/a/train.py").state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("def load():\n    import cv2\n", {}),
        ("import cv2\n", {"setup.py": SETUP.replace("])", '], extras_require={"vision": ["opencv-python"]})')}),
    ],
)
def test_what_a_feature_alone_needs_is_not_required_of_everybody(text: str, files: dict[str, str]) -> None:
    tree_files = {**PACKAGE, "setup.py": SETUP, **files, "trainlib/data.py": text}
    assert made(tree_files, "cv2", INNER, installs=("pip install .",)).state is not PatchState.PATCH


@pytest.mark.parametrize("module", ["flash_attn", "megatron", "tlmm", "trainlib"])
def test_what_is_built_unknown_or_ones_own_is_not_written(module: str) -> None:
    files = {**PACKAGE, "setup.py": SETUP, "trainlib/data.py": f"import {module}\n"}
    assert made(files, module, INNER, installs=("pip install .",)).state is not PatchState.PATCH


@pytest.mark.parametrize(
    "known",
    [
        {"installs": ("pip install -r a.txt", "pip install -r b.txt")},
        {"installs": ("pip install -r made.txt",)},
        {"installs": ("pip install -r a.txt",), "installed": {"opencv-python": "4.1"}},
    ],
)
def test_of_several_lists_made_ones_and_what_is_there_nothing_is_edited(known: dict[str, object]) -> None:
    compiled = "# This file was autogenerated by uv via the following command:\n#    uv pip compile a.in\nnumpy==1\n"
    files = {"a.txt": "numpy\n", "b.txt": "rich\n", "made.txt": compiled}
    assert made(files, "cv2", **known).state is not PatchState.PATCH  # type: ignore[arg-type]


def test_a_list_that_names_it_already_is_in_place() -> None:
    files = {"requirements.txt": "numpy\nopencv-python\n", "run.py": "import cv2\n"}
    found = made(files, "cv2", "run.py", installs=("pip install -r requirements.txt",))
    assert found.state is PatchState.IN_PLACE


FEATURES = PROJECT + '\n[project.optional-dependencies]\nvision = [\n    "timm"\n]\nall = ["rich"]\ntest = ["pytest"]\n'
IN_USE = {"trainlib/__init__.py": "", "trainlib/vision/fit.py": "def fit():\n    import cv2\n"}


@pytest.mark.parametrize(
    ("install", "lines"),
    [
        ((), ['-"timm"', '+"timm",', '+"opencv-python"']),
        (("pip install -q -e '.[all]' && trainlib fit",), ['-all = ["rich"]', '+all = ["rich", "opencv-python"]']),
        (("cd ~/trainlib && uv pip install .[all]",), ['-all = ["rich"]', '+all = ["rich", "opencv-python"]']),
        (("pip install .[test]",), []),
        (("pip install .",), []),
    ],
)
def test_a_feature_is_served_by_the_extra_that_was_chosen_or_is_called_after_it(
    install: tuple[str, ...], lines: list[str]
) -> None:
    """Below a folder without a first file of its own too."""
    files = {**IN_USE, "pyproject.toml": FEATURES}
    found = made(files, "cv2", "/opt/trainlib/trainlib/vision/fit.py", installs=install)
    assert (found.state is PatchState.PATCH, changed(found)) == (bool(lines), lines)


def test_a_feature_of_two_folders_that_extras_are_called_after_is_left_open() -> None:
    files = {**IN_USE, "trainlib/all/run.py": "", "pyproject.toml": FEATURES}
    frames = ("/opt/trainlib/trainlib/all/run.py", "/opt/trainlib/trainlib/vision/fit.py")
    assert made(files, "cv2", *frames).state is not PatchState.PATCH


@pytest.mark.parametrize(
    "install",
    [
        "pip install -r requirements.txt && python run.py --bf16",
        "pip3 install -q -r requirements.txt",
        "uv pip install -r requirements.txt",
    ],
)
def test_a_list_named_without_its_folder_is_the_one_beside_the_script_that_ran(install: str) -> None:
    files = {"examples/speech/requirements.txt": "datasets\n", "examples/text/requirements.txt": "datasets\n",
             "examples/speech/run.py": "", "examples/speech/utils.py": "", "setup.py": SETUP}  # fmt: skip
    frames = ("/root/trainlib/examples/speech/run.py", "/root/trainlib/examples/speech/utils.py")
    found = made(files, "cv2", *frames, packages=("transformers",), installs=(install,))
    assert (found.files, changed(found)) == (("examples/speech/requirements.txt",), ["+opencv-python"])


@pytest.mark.parametrize("path", ["requirements/requirements.txt", "requirements/base.txt"])
def test_a_list_in_the_folder_of_lists_serves_a_program_that_nothing_installs(path: str) -> None:
    files = {"train/__init__.py": "", "train/run.py": "import cv2\n", path: "numpy\ntorch\n",
             "requirements/requirements-dev.txt": "pytest\nruff\n"}  # fmt: skip
    found = made(files, "cv2", "./start.py", "/stage/train/run.py")
    assert (found.files, changed(found)) == ((path,), ["+opencv-python"])


FLAVOURS = (
    '[project]\nname = "trainlib"\ndependencies = []\n[project.optional-dependencies]\ncommon = ["rich"]\n'
    'cuda = ["trainlib[common]", "opencv-python>=4"]\nrocm = ["trainlib[common]", "numpy"]\nall = ["trainlib[rocm]"]\n'
)


@pytest.mark.parametrize(
    "install", ["pip install .[all]", "python -m pip --no-cache-dir install -e '.[rocm]'", "pip install -e .[common]"]
)
def test_what_one_flavour_has_and_another_lacks_goes_to_what_both_are_made_of(install: str) -> None:
    files = {**PACKAGE, "pyproject.toml": FLAVOURS}
    found = made(files, "cv2", INNER, installs=(install,))
    assert (found.state, changed(found)) == (
        PatchState.PATCH, ['-common = ["rich"]', '+common = ["rich", "opencv-python>=4"]'])  # fmt: skip


def test_an_editable_folder_without_a_dot_is_a_project_of_the_tree() -> None:
    files = {f"python/{path}": text for path, text in {**PACKAGE, "pyproject.toml": FLAVOURS}.items()}
    found = made(files, "cv2", "/s/python/trainlib/data.py", installs=("pip install -e 'python[all]'",))
    assert found.files == ("python/pyproject.toml",)


@pytest.mark.parametrize(
    "files", [{"ci/a.sh": "pip install x\n"}, {"ci/a.sh": "pip install x\n", "ci/b.sh": "pip install x\n"}]
)
@pytest.mark.parametrize("install", [".[cuda]", "numpy"])
def test_of_another_flavour_nothing_is_moved_where_none_is_common(files: dict[str, str], install: str) -> None:
    alone = FLAVOURS.replace('"trainlib[common]", ', "")
    assert made({**PACKAGE, "pyproject.toml": alone, **files}, "cv2", INNER, installs=(f"pip install {install}",)).state in (
        PatchState.REFUSED, PatchState.IN_PLACE, PatchState.ADVICE)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text", "install", "line"),
    [
        (".gitlab/stages/pre.yml", "check:\n  script:\n    - pip install gitlab-client\n    - python tests/ci/check.py\n",
         "pip install gitlab-client", "+- pip install gitlab-client opencv-python"),
        (".circleci/config.yml", "jobs:\n  a:\n    steps:\n      - run: python -m pip install --upgrade wheel\n",
         "python -m pip install --upgrade wheel", "+- run: python -m pip install --upgrade wheel opencv-python"),
        ("Makefile", "check:\n\tpip install wheel && python check.py\n",
         "conda run -p /c pip install wheel", "+pip install wheel opencv-python && python check.py"),
    ],
)  # fmt: skip
def test_without_a_list_it_joins_the_command_that_the_log_shows_and_one_file_holds(
    path: str, text: str, install: str, line: str
) -> None:
    files = {path: text, "tests/ci/check.py": "import cv2\n", "setup.py": SETUP}
    found = made(files, "cv2", "/builds/x/tests/ci/check.py", installs=(install,))
    assert (found.state, changed(found)[-1]) == (PatchState.PATCH, line), found.reason


def test_so_does_what_a_package_does_without_where_nothing_installs_the_project() -> None:
    feature = "try:\n    import cv2\nexcept ImportError:\n    pass\n"
    ci = {
        ".gitlab-ci.yml": "unit:\n  script:\n    - pip install pytest-cov\n    - pip install rich\n    - pytest tests\n"
    }
    installs = ("pip install pytest-cov", "pip install rich")
    found = made({**PACKAGE, **ci, "trainlib/data.py": feature, "setup.py": SETUP}, "cv2", INNER, installs=installs)
    assert (found.files, changed(found)[-1]) == ((".gitlab-ci.yml",), "+- pip install rich opencv-python")
    always = made({**PACKAGE, **ci, "setup.py": SETUP}, "cv2", INNER, installs=installs)
    assert ".gitlab-ci.yml" not in always.files


@pytest.mark.parametrize(("traced", "path"), [("source ci/b.sh", "ci/b.sh"), ("make build", "")])
def test_of_several_files_with_the_command_it_is_the_script_that_ran(traced: str, path: str) -> None:
    files = {"ci/a.sh": "$RUN pip install wheel\n", "ci/b.sh": "$RUN pip install wheel\n", "setup.py": SETUP}
    found = made(files, "cv2", packages=("torch",), traced=(traced,), installs=("conda run -p /c pip install wheel",))
    assert found.files == ((path,) if path else ())


def test_what_a_library_asks_for_in_the_use_of_the_package_is_the_projects_where_tests_have_no_list() -> None:
    files = {**PACKAGE, "setup.py": SETUP, "tests/test_data.py": "import trainlib\n"}
    facts: dict[str, object] = {"packages": ("torch", "trainlib"), "installs": ("pip install .",)}
    found = made(files, "cv2", "/work/tests/test_data.py", **facts)
    assert changed(found)[-1].endswith('install_requires=["numpy", "rich", "opencv-python"])')
    elsewhere = made(files, "cv2", "/work/tests/test_data.py", **{**facts, "packages": ("torch",)})
    assert elsewhere.state is not PatchState.PATCH
