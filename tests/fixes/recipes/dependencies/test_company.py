"""What a package imports is required where that stands which the same files import besides."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
FILE = PipInstall(module="{module}", form="file")
PROJECT = """[project]
name = "train"
dependencies = ["requests"]
[project.optional-dependencies]
serving = ["fastapi", "uvicorn"]
gpu = ["train[serving]", "torch", "einops"]
docs = ["sphinx"]
"""
IN_USE = "import fastapi\nimport uvicorn\nimport cv2\n"


def repository(source: str, install: str, folder: str = "python") -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - run: |\n          {install}\n      - run: python -m train.serve\n"
    files = {
        CI: ci,
        f"{folder}/pyproject.toml": PROJECT,
        f"{folder}/train/__init__.py": "",
        f"{folder}/train/serve.py": source,
    }
    return MemoryTree({path: text.encode() for path, text in files.items()})


def required(source: str, install: str) -> list[str]:
    facts = Facts(frames=("/work/python/train/serve.py",))
    proved = patch(FILE, "test", CI, captures={"module": "cv2"}, facts=facts, repository=repository(source, install))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("python/pyproject.toml",)
    return changed(proved)[1:]


@pytest.mark.parametrize(
    "install",
    [
        'pip install -e "python[gpu]"',
        "pip install -e python[gpu]",
        "uv pip install --system -e './python[serving]'",
        'bash -c "pip install -e "python[gpu]" --no-cache-dir"',
    ],
)
def test_in_the_chosen_list_that_has_the_rest(install: str) -> None:
    """Also where a script quotes within quotes, and where the folder is named without a dot."""
    assert required(IN_USE, install) == ['+serving = ["fastapi", "uvicorn", "opencv-python"]']


@pytest.mark.parametrize(
    ("source", "install"),
    [
        ("import fastapi\nimport cv2\n", "pip install -e ./python[gpu]"),  # one may be there for its own reason
        (IN_USE, "pip install -e ./python[docs]"),  # the job does not choose it
        (IN_USE, "pip install -e ./python"),
    ],
)
def test_where_no_chosen_list_has_clearly_more_it_is_always_required(source: str, install: str) -> None:
    assert required(source, install) == ['+dependencies = ["requests", "opencv-python"]']


def test_of_two_lists_alike_the_one_that_the_other_brings() -> None:
    source = "import fastapi\nimport torch\nimport uvicorn\nimport einops\nimport cv2\n"
    expected = ['+serving = ["fastapi", "uvicorn", "opencv-python"]']
    assert required(source, "pip install -e ./python[gpu]") == expected


AROUND = {
    "serve/api.py": "import fastapi\nimport uvicorn\n",
    "serve/more.py": "import starlette\ntry:\n    import torch\nexcept ImportError:\n    pass\n",
    "serve/deep/down/last.py": "import cv2\n",
    "other/client.py": "import requests\nimport torch\nimport einops\nimport numpy\nimport scipy\n",
}
WIDE = PROJECT.replace('"uvicorn"]', '"uvicorn", "starlette"]').replace('"einops"]', '"einops", "numpy", "scipy"]')


@pytest.mark.parametrize("last", ["serve/deep/down/last.py", "other/last.py"])
def test_where_the_file_alone_says_too_little_the_part_of_the_package_does(last: str) -> None:
    """Also below several folders that have no first file."""
    around = {**AROUND, last: "import cv2\n"}
    files = {f"python/train/{path}": text.encode() for path, text in around.items()}
    repo = repository("", "pip install -e ./python[gpu]")
    tree = MemoryTree(
        {**{path: repo.read(path) for path in repo.paths()}, **files, "python/pyproject.toml": WIDE.encode()}
    )
    facts = Facts(frames=("/work/tests/test_last.py", f"/work/python/train/{last}"))
    proved = patch(FILE, "test", CI, captures={"module": "cv2"}, facts=facts, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    held = '"starlette", "opencv-python"]' if last.startswith("serve") else '"scipy", "opencv-python"]'
    assert changed(proved)[-1].endswith(held)


def test_the_address_of_a_repository_is_no_folder() -> None:
    install = "pip install -e git+https://example.com/python#egg=train numpy"
    facts = Facts(frames=("/work/python/train/serve.py",))
    proved = patch(FILE, "test", CI, captures={"module": "cv2"}, facts=facts, repository=repository(IN_USE, install))
    assert proved.files == (CI,)
