"""A name in small letters, an answer that uv does not take, a package that cmake or coverage is told of."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.commands.test_mend_command import job, mended
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import PatchState
from triage.model.recipe import MendCommand

OWN = ".github/workflows/own.yml"
IMAGE = """on: push
env:
  IMAGE_NAME: {value}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Build
        uses: docker/build-push-action@v6
        with:
          tags: ghcr.io/${{{{ env.IMAGE_NAME }}}}:latest
"""
CAPITALS = {"image": "ghcr.io/Example/Train:latest"}


@pytest.mark.parametrize(
    ("value", "captures", "expected"),
    [
        ("${{ github.repository }}", CAPITALS, ['+- name: Write IMAGE_NAME in small letters', '+run: echo "IMAGE_NAME=${IMAGE_NAME,,}" >> "$GITHUB_ENV"']),
        ("${{ github.repository_owner }}/train", CAPITALS, ['+- name: Write IMAGE_NAME in small letters', '+run: echo "IMAGE_NAME=${IMAGE_NAME,,}" >> "$GITHUB_ENV"']),
        ("example/train", CAPITALS, []),
        ("${{ github.repository }}", {"image": "ghcr.io/example/train:MAIN"}, []),
    ],
)  # fmt: skip
def test_a_name_that_github_fills_in_is_written_in_small_letters(
    value: str, captures: dict[str, str], expected: list[str]
) -> None:
    files = tree({OWN: IMAGE.format(value=value)})
    made = patch(MendCommand("lower-case"), "build", OWN, step="Build", repository=files, captures=captures)
    assert (made.state is PatchState.PATCH, changed(made)) == (bool(expected), expected), made.reason


@pytest.mark.parametrize(
    ("command", "new"),
    [
        ("uv pip uninstall trainlib -y", "uv pip uninstall trainlib"),
        ("python -m uv pip uninstall --yes trainlib", "python -m uv pip uninstall trainlib"),
        ("pip uninstall -y trainlib", ""),
        ("uv pip install -y trainlib", ""),
    ],
)
def test_uv_gets_no_answer_beforehand(command: str, new: str) -> None:
    made = mended("asks-nothing", job(f"{command}\nmake"))
    assert changed(made) == ([f"-{command}", f"+{new}"] if new else []), made.reason


CONFIGURE = "cmake -S . -B build -G Ninja"


@pytest.mark.parametrize(
    ("script", "what", "expected"),
    [
        (f"python -m pip install torch\n{CONFIGURE}\ncmake --build build", "Torch", f"+{CONFIGURE} -DCMAKE_PREFIX_PATH=\"$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')\""),
        (f"pip install pybind11\n{CONFIGURE}", "pybind11", f"+{CONFIGURE} -Dpybind11_DIR=\"$(python -c 'import pybind11; print(pybind11.get_cmake_dir())')\""),
        (CONFIGURE, "Torch", ""),  # nothing installs it
        (f"pip install torch\n{CONFIGURE} -DCMAKE_PREFIX_PATH=/opt/torch", "Torch", ""),
        (f"pip install eigen\n{CONFIGURE}", "Eigen3", ""),
    ],
)  # fmt: skip
def test_cmake_is_told_where_pip_installed_it(script: str, what: str, expected: str) -> None:
    made = mended("cmake-prefix", job(script), {"what": what})
    assert changed(made)[1:] == ([expected] if expected else []), made.reason


PACKAGE = {"steering/__init__.py": "", "tests/__init__.py": "", "docs/__init__.py": ""}


@pytest.mark.parametrize(
    ("command", "files", "new"),
    [
        ("coverage run --source trainlib -m pytest tests", PACKAGE, "coverage run --source steering -m pytest tests"),
        ("coverage run --source=trainlib -m pytest tests", PACKAGE, "coverage run --source=steering -m pytest tests"),
        ("coverage run --source trainlib -m pytest tests", {**PACKAGE, "other/__init__.py": ""}, ""),
        ("coverage run --source trainlib -m pytest tests", {**PACKAGE, "trainlib/__init__.py": ""}, ""),
        ("coverage run --source lib -m pytest trainlib", PACKAGE, ""),
    ],
)
def test_the_one_package_is_measured(command: str, files: dict[str, str], new: str) -> None:
    step = f"      - name: Build\n        run: {command}\n"
    held = tree({OWN: f"on: push\njobs:\n  build:\n    runs-on: x\n    steps:\n{step}", **files})
    made = mended("coverage-source", held, {"module": "trainlib"})
    assert changed(made) == ([f"-run: {command}", f"+run: {new}"] if new else []), made.reason
