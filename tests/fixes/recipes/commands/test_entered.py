"""The folder that a script means, where the one that it changes to is gone."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.commands.entered import entered
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

TREE = tree(
    {
        "tests/ray_gpu/test_meet.py": "",
        "tests/ray_gpu/test_worker.py": "",
        "tests/ray_cpu/test_worker.py": "",
        "other/old/test_worker.py": "",
        "other/new/test_worker.py": "",
    }
)


@pytest.mark.parametrize(
    ("script", "folder", "expected"),
    [
        ("cd tests/ray\npytest test_meet.py\n", "tests/ray", "tests/ray_gpu"),
        ("cd tests/ray/ && pytest -x ./test_meet.py", "tests/ray", "tests/ray_gpu"),
        ("cd tests/ray\npytest test_meet.py test_worker.py", "tests/ray", "tests/ray_gpu"),
        # Several hold it, and none of them alone is beside the old one.
        ("cd tests/ray\npytest test_worker.py", "tests/ray", ""),
        # Of another folder, written by the script, or nothing that the tree holds.
        ("cd tests/ray\ncd ..\npytest test_meet.py", "tests/ray", ""),
        ("cd tests/ray\necho 1 > test_meet.py", "tests/ray", ""),
        ("cd tests/ray\npytest test_gone.py", "tests/ray", ""),
        ("cd tests/ray\npytest tests/ray_gpu/*.py", "tests/ray", ""),
        ("pytest test_meet.py", "tests/ray", ""),
    ],
)
def test_the_folder_holds_what_the_script_names_behind_it(script: str, folder: str, expected: str) -> None:
    assert entered(TREE, script, folder) == expected


OWN = ".github/workflows/own.yml"


@pytest.mark.parametrize(
    ("name", "state"), [("test_meet.py", PatchState.PATCH), ("test_worker.py", PatchState.REFUSED)]
)
def test_the_step_enters_it(name: str, state: PatchState) -> None:
    files = dict.fromkeys(TREE.paths(), "")
    script = f"        run: |\n          cd tests/ray\n          pytest {name}\n"
    files[OWN] = f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Test\n{script}"
    recipe = RepairWorkflow(path="{path}")
    given = {"step": "Test", "captures": {"path": "tests/ray"}, "repository": tree(files)}
    assert draft(recipe, "unit", OWN, **given).state is state  # type: ignore[arg-type]
    if state is PatchState.PATCH:
        assert "+cd tests/ray_gpu" in changed(patch(recipe, "unit", OWN, **given))  # type: ignore[arg-type]
