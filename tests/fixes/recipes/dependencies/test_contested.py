"""Where several lists could carry a missing distribution: the one that it belongs to, or their names."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.dependencies.test_lacking_lists import made
from tests.fixes.recipes.repository import changed
from triage.model.patch import PatchState

CODE = {"trainlib/__init__.py": "", "trainlib/data.py": "import cv2\n"}
INNER = "/work/trainlib/trainlib/data.py"
BESIDE = {"requirements/common.txt": "numpy\nrich\n", "requirements/tpu.txt": "-r common.txt\nxla-tools\n",
          "requirements/cuda.txt": "-r common.txt\nray-tools\n"}  # fmt: skip


def test_what_code_for_one_device_imports_goes_into_the_list_for_that_device() -> None:
    files = {**CODE, **BESIDE, "trainlib/platforms/tpu.py": "import cv2\n"}
    found = made(files, "cv2", "/work/trainlib/trainlib/platforms/tpu.py")
    assert (found.state, found.files, changed(found)) == (
        PatchState.PATCH, ("requirements/tpu.txt",), ["+opencv-python"]
    )  # fmt: skip


def test_what_code_for_everybody_imports_goes_into_the_list_for_everybody() -> None:
    found = made({**CODE, **BESIDE}, "cv2", INNER)
    assert (found.state, found.files) == (PatchState.PATCH, ("requirements/common.txt",))


def test_what_the_list_of_another_device_has_is_a_guess() -> None:
    held = {**BESIDE, "requirements/cuda.txt": "-r common.txt\nopencv-python\n"}
    found = made({**CODE, **held}, "cv2", INNER)
    assert found.state is PatchState.ADVICE
    assert "requirements/tpu.txt, requirements/common.txt" in found.reason


@pytest.mark.parametrize(
    ("lists", "path"),
    [
        ({"requirements/runtime.txt": "numpy\n", "requirements/serve.txt": "rich\n"}, "requirements/runtime.txt"),
        ({"requirements/data.txt": "numpy\n", "requirements/serve.txt": "rich\n"}, ""),
    ],
)
def test_a_list_that_only_includes_others_holds_nothing_itself(lists: dict[str, str], path: str) -> None:
    whole = "".join(f"-r {one}\n" for one in lists)
    found = made({**CODE, **lists, "requirements.txt": whole}, "cv2", INNER)
    assert found.files == ((path,) if path else ())
    assert found.state is (PatchState.PATCH if path else PatchState.ADVICE)


def test_a_part_of_the_package_has_the_list_of_its_name() -> None:
    lists = {"requirements/runtime.txt": "numpy\n", "requirements/serve.txt": "rich\n",
             "requirements.txt": "-r requirements/runtime.txt\n-r requirements/serve.txt\n"}  # fmt: skip
    found = made(
        {**CODE, **lists, "trainlib/serve/chat.py": "import cv2\n"}, "cv2", "/work/trainlib/trainlib/serve/chat.py"
    )
    assert found.files == ("requirements/serve.txt",)
