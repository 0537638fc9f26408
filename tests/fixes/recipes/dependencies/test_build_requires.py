"""Modules that setup.py imports before anything is installed."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TABLES, changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import BuildRequires

CI = ".github/workflows/ci.yml"
NEEDS = BuildRequires("{module}")
SETUP = "import os\nfrom cv2.version import parse\nfrom setuptools import setup\nsetup(name='train')\n"
TORCH = "import torch\nfrom setuptools import setup\nsetup(name='train')\n"
CV2 = {"module": "cv2"}


def repository(command: str = "pip install -e .", nightly: str = "", **files: str) -> MemoryTree:
    def workflow(line: str) -> str:
        steps = f"      - run: pip install torch\n      - run: {line}\n"
        return f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"

    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    if nightly:
        named[".github/workflows/nightly.yml"] = workflow(nightly)
    return MemoryTree({path: text.encode() for path, text in {CI: workflow(command), **named}.items()})


@pytest.mark.parametrize(
    ("project", "line"),
    [
        ("[tool.isort]\nprofile = 'black'\n", '+requires = ["setuptools", "wheel", "opencv-python"]'),
        ('[build-system]\nrequires = ["setuptools>=61"]\n', '+requires = ["setuptools>=61", "opencv-python"]'),
        ('[build-system]\nrequires = [\n  "setuptools",\n  "wheel",\n]\n', '+"opencv-python",'),
    ],
)
def test_the_build_declares_what_setup_imports(project: str, line: str) -> None:
    tree = repository(setup_dot_py=SETUP, pyproject_dot_toml=project)
    proved = patch(NEEDS, "test", CI, repository=tree, captures=CV2)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


def test_torch_is_built_against_the_one_that_is_there_where_siblings_do_so() -> None:
    tree = repository(nightly="pip install --no-build-isolation -e .", setup_dot_py=TORCH)
    proved = patch(NEEDS, "test", CI, repository=tree, captures={"module": "torch"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == "+- run: pip install -e . --no-build-isolation"


@pytest.mark.parametrize(
    ("tree", "module", "words"),
    [
        (repository(setup_dot_py=TORCH), "torch", "build with `--no-build-isolation`"),
        (repository(setup_dot_py=SETUP), "cv2", "add a pyproject.toml"),
        (repository("pip install rich", setup_dot_py=SETUP), "cv2", "not of this repository"),
        (repository(setup_dot_py=SETUP, pyproject_dot_toml=""), "numpy", "not of this repository"),
        (repository(setup_dot_py="import oddity\n", pyproject_dot_toml=""), "oddity", "name what provides it"),
        (repository(setup_dot_py="try:\n    import cv2\nexcept ImportError:\n    pass\n"), "cv2", "not of this"),
        (
            repository(setup_dot_py=SETUP, pyproject_dot_toml='[build-system]\nrequires = ["opencv_python"]\n'),
            "cv2",
            "look elsewhere",
        ),
        (repository(setup_dot_py="import train\n", train_dot_py="x = 1\n"), "train", "of the repository itself"),
    ],
    ids=["torch-alone", "no-file", "not-installed", "not-imported", "unknown", "guarded", "declared", "own"],
)
def test_near_misses_change_nothing(tree: MemoryTree, module: str, words: str) -> None:
    assert "cv2" in TABLES.distributions
    found = draft(NEEDS, "test", CI, repository=tree, captures={"module": module})
    assert not found.edits
    assert words in found.reason


PKG = {"module": "pkg_resources"}


@pytest.mark.parametrize(
    ("project", "line"),
    [
        ("", '+requires = ["wheel", "setuptools<82"]'),
        ('[build-system]\nrequires = ["setuptools", "wheel"]\n', '+requires = ["setuptools<82", "wheel"]'),
        ('[build-system]\nrequires = ["setuptools>=61"]\n', '+requires = ["setuptools>=61,<82"]'),
        ('[build-system]\nrequires = ["wheel"]\n', '+requires = ["wheel", "setuptools<82"]'),
    ],
)
def test_the_build_gets_the_setuptools_that_still_has_the_module(project: str, line: str) -> None:
    tree = repository(setup_dot_py="import pkg_resources\n", pyproject_dot_toml=project)
    proved = patch(NEEDS, "test", CI, repository=tree, captures=PKG)
    assert proved.state is PatchState.PATCH, proved.reason
    assert line in changed(proved)


@pytest.mark.parametrize(
    ("requires", "state"),
    [
        ("setuptools<81", PatchState.IN_PLACE),
        ("setuptools==80.9.0", PatchState.IN_PLACE),
        ("setuptools>=82", PatchState.REFUSED),
        ("setuptools; python_version > '3.8'", PatchState.REFUSED),
    ],
)
def test_a_setuptools_that_has_it_or_must_not_is_left(requires: str, state: PatchState) -> None:
    project = f'[build-system]\nrequires = ["{requires}"]\n'
    tree = repository(setup_dot_py="import pkg_resources\n", pyproject_dot_toml=project)
    assert draft(NEEDS, "test", CI, repository=tree, captures=PKG).state is state


def test_of_another_package_it_is_said_what_the_isolated_build_needs() -> None:
    found = draft(NEEDS, "test", CI, repository=repository("pip install rich"), captures=PKG)
    assert "setuptools<82 has it, and an isolated build takes the newest" in found.reason
    assert "PIP_CONSTRAINT" in found.reason


UV = {"module": "torch", "package": "fancy-gemm"}
ASKS = (
    '[project]\nname = "train"\n[project.optional-dependencies]\nfast = ["fancy_gemm @ git+https://example.com/gemm"]\n'
)


@pytest.mark.parametrize(
    ("listed", "line"),
    [
        ('no-build-isolation-package = ["flash-attn"]', '+no-build-isolation-package = ["flash-attn", "fancy_gemm"]'),
        ('no-build-isolation-package = [\n    "flash-attn",\n]', '+"fancy_gemm",'),
    ],
)
@pytest.mark.parametrize("job", ["test", ""])
def test_uv_builds_what_its_list_names_without_isolation(job: str, listed: str, line: str) -> None:
    tree = repository("uv sync --locked --extra fast", pyproject_dot_toml=f"{ASKS}[tool.uv]\n{listed}\n")
    proved = patch(NEEDS, job, CI if job else "", repository=tree, captures=UV)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == line


@pytest.mark.parametrize(
    ("project", "state", "words"),
    [
        (ASKS, PatchState.ADVICE, '`no-build-isolation-package = ["fancy_gemm"]` to `[tool.uv]` of pyproject.toml'),
        (f'{ASKS}[tool.uv]\nno-build-isolation-package = ["fancy-gemm"]\n', PatchState.IN_PLACE, "is not there yet"),
        ('[project]\nname = "train"\n[tool.uv]\nno-build-isolation-package = ["flash-attn"]\n', PatchState.ADVICE,
         "not of this repository"),
    ],
    ids=["no-list", "listed", "asked-for-by-nobody"],
)  # fmt: skip
def test_without_a_list_or_a_place_uv_is_left(project: str, state: PatchState, words: str) -> None:
    tree = repository("uv sync --locked --extra fast", pyproject_dot_toml=project)
    found = draft(NEEDS, "test", CI, repository=tree, captures=UV)
    assert (found.state, found.edits) == (state, ())
    assert words in found.reason


CLONED = "RUN git clone https://example.com/gemm && cd gemm && pip install -v ."


@pytest.mark.parametrize("own", ['pip install -e "python[all]"', "uv pip install ./python"])
def test_in_an_image_with_the_torch_that_the_project_brought(own: str) -> None:
    text = f"FROM a\nRUN git clone https://example.com/train && cd train && {own}\n{CLONED}\n"
    project = '[project]\nname = "train"\n[project.optional-dependencies]\nall = ["torch"]\n'
    facts = Facts(build=BuildStep("Dockerfile", {3: CLONED}))
    tree = repository("docker build .", Dockerfile=text)
    tree = MemoryTree({path: tree.read(path) for path in tree.paths()} | {"python/pyproject.toml": project.encode()})
    proved = patch(NEEDS, "test", CI, repository=tree, captures={"module": "torch"}, facts=facts)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1].endswith("pip install -v . --no-build-isolation")
    plain = MemoryTree({path: tree.read(path).replace(b'"torch"', b'"rich"') for path in tree.paths()})
    assert not draft(NEEDS, "test", CI, repository=plain, captures={"module": "torch"}, facts=facts).edits
