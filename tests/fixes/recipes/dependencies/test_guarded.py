"""A name that an import was to bring which is allowed to fail."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
GUARDED = PipInstall(module="{module}", guarded=True)
USE = "cv2.imread('a')\n"
TRY = "try:\n    import cv2\nexcept ImportError:\n    pass\n"


def repository(source: str, install: str = "pip install -r requirements.txt") -> MemoryTree:
    job = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - run: {install}\n      - run: python tools/a.py\n"
    return tree({CI: job, "tools/a.py": source + USE, "requirements.txt": "numpy\n", "pkg/__init__.py": ""})


def facts(path: str = "tools/a.py") -> Facts:
    return Facts(frames=(path,))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (TRY, "cv2"),
        ("try:\n    import cv2 as vision\n    HAS = True\nexcept (ImportError, OSError):\n    HAS = False\n", "vision"),
        ("try:\n    from cv2 import imread\nexcept Exception as error:\n    print(error)\n", "imread"),
        ("def load():\n    global cv2\n    try:\n        import cv2.data\n    except:\n        pass\n", "cv2"),
    ],
)
def test_what_it_comes_from_is_installed(source: str, name: str) -> None:
    here = repository(source, "pip install numpy pillow")
    proved = patch(GUARDED, "test", CI, captures={"module": name}, facts=facts(), repository=here)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1].strip("+ ") == "- run: pip install numpy pillow opencv-python"


def test_without_a_workflow_in_the_list_that_the_log_installs() -> None:
    log = Facts(frames=("tools/a.py",), installs=("pip install -r requirements.txt",))
    proved = patch(GUARDED, "job", "", captures={"module": "cv2"}, facts=log, repository=repository(TRY))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+opencv-python"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import cv2\n", "cv2"),  # it would have failed there
        ("try:\n    import cv2\nexcept ImportError:\n    cv2 = None\n", "cv2"),
        ("try:\n    import cv2\nexcept ImportError:\n    raise\n", "cv2"),
        ("try:\n    import cv2\nexcept ImportError:\n    import fake as cv2\n", "cv2"),
        ("try:\n    import cv2\nexcept ValueError:\n    pass\n", "cv2"),
        (TRY, "other"),
        ("try:\n    from .cv2 import imread\nexcept ImportError:\n    pass\n", "imread"),
        ("broken (\n", "cv2"),
    ],
)
def test_a_name_that_no_guarded_import_was_to_bring_is_left(source: str, name: str) -> None:
    for workflow in (CI, ""):
        made = draft(GUARDED, "test", workflow, captures={"module": name}, facts=facts(), repository=repository(source))
        assert made.state is PatchState.REFUSED


def test_the_file_that_misses_the_name_has_to_be_one_of_the_repository() -> None:
    log = facts("/opt/env/lib/python3.11/site-packages/other/a.py")
    made = draft(GUARDED, "test", CI, captures={"module": "cv2"}, facts=log, repository=repository(TRY))
    assert made.state is PatchState.REFUSED
