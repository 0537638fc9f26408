"""A public name that is gone went with the first release of its series: the bound lies below that."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
PIN = PipPin(module="{package}", spec="<{installed}")


def bound(requirement: str, release: str, *, package: str = "cv2", name: str = "imread") -> str:
    ci = (
        "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: pip install -r r.txt\n      - run: pytest\n"
    )
    tree = MemoryTree({CI: ci.encode(), "r.txt": f"{requirement}\n".encode()})
    told = {"package": package, **({"name": name} if name else {})}
    facts = Facts(installed={"opencv-python": release}, brought=frozenset({"opencv-python"}))
    made = patch(PIN, "test", CI, step="Run pytest", captures=told, facts=facts, repository=tree)
    assert made.state is PatchState.PATCH, made.reason
    return changed(made)[-1]


@pytest.mark.parametrize(
    ("requirement", "release", "told", "new"),
    [
        ("opencv-python", "4.9.2", {}, "+opencv-python<4.9"),
        ("opencv-python>=4.5", "4.9.2", {}, "+opencv-python>=4.5,<4.9"),
        ("opencv-python>=4.9", "4.9.2", {}, "+opencv-python>=4.9,<4.9.2"),
        ("opencv-python", "4.9.0", {}, "+opencv-python<4.9.0"),
        ("opencv-python", "0.9.2", {}, "+opencv-python<0.9.2"),
        ("opencv-python", "4.9.2", {"name": ""}, "+opencv-python<4.9.2"),
        ("opencv-python", "4.9.2", {"name": "_read"}, "+opencv-python<4.9.2"),
        ("opencv-python", "4.9.2", {"package": "cv2._core"}, "+opencv-python<4.9.2"),
    ],
    ids=["open", "from", "asked-for", "first", "before-one", "no-name", "private-name", "private-module"],
)
def test_the_bound_lies_below_the_series_where_that_took_the_name_away(
    requirement: str, release: str, told: dict[str, str], new: str
) -> None:
    assert bound(requirement, release, **told) == new


def test_a_release_of_the_series_that_a_list_of_the_repository_holds_is_not_kept_out() -> None:
    ci = (
        "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: pip install -r r.txt\n      - run: pytest\n"
    )
    lists = {"r.txt": b"opencv-python\n", "requirements/docs.txt": b"opencv-python==4.9.1\n"}
    facts = Facts(installed={"opencv-python": "4.9.2"}, brought=frozenset({"opencv-python"}))
    made = patch(PIN, "test", CI, step="Run pytest", captures={"package": "cv2", "name": "imread"}, facts=facts,
                 repository=MemoryTree({CI: ci.encode(), **lists}))  # fmt: skip
    assert changed(made)[-1] == "+opencv-python<4.9.2"


@pytest.mark.parametrize(
    ("requirement", "spec", "new"),
    [
        ("opencv-python>=4.9", "<4.9", ""),
        ("opencv-python~=4.9.1", "<4.9", ""),
        ("opencv-python>4.9", "<=4.9", ""),
        ("opencv-python>=4.5", "<4.9", "+opencv-python>=4.5,<4.9"),
        ("opencv-python==4.10", "<4.9", "+opencv-python<4.9"),
    ],
)
def test_a_bound_that_leaves_no_release_is_none(requirement: str, spec: str, new: str) -> None:
    ci = (
        "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: pip install -r r.txt\n      - run: pytest\n"
    )
    tree = MemoryTree({CI: ci.encode(), "r.txt": f"{requirement}\n".encode()})
    made = patch(PipPin("opencv-python", spec), "test", CI, step="Run pytest", repository=tree)
    assert (made.state is PatchState.PATCH) is bool(new), made.reason
    assert not new or changed(made)[-1] == new
    assert new or "leaves no release of it" in made.reason
