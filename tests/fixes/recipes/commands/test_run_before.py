from __future__ import annotations

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import TRAIN, changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RunBefore

STOP = RunBefore("ray stop --force")


def test_without_commands_it_is_the_first_of_the_failed_step() -> None:
    proved = patch(STOP, "rocm_small", TRAIN, step="Merge")
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert "+ray stop --force" in changed(proved)


def test_a_step_that_runs_it_already_is_in_place_and_an_unknown_step_is_refused() -> None:
    assert draft(STOP, "rocm_small", TRAIN, step="Train").state is PatchState.IN_PLACE
    assert draft(STOP, "rocm_small", TRAIN).state is PatchState.REFUSED


def test_a_step_that_the_log_calls_by_its_first_command_is_found_again_behind_the_new_one() -> None:
    proved = patch(STOP, "rocm_small", TRAIN, step="Run python -m pkg.merge --dir out")
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)


def test_once_is_before_the_first_of_them_alone() -> None:
    script = "          brew install libomp\n          make\n          brew install openmpi\n"
    text = f"on: [push]\njobs:\n  mac:\n    runs-on: macos-13\n    steps:\n      - name: Get\n        run: |\n{script}"
    recipe = RunBefore("brew update", ("brew install",), once=True)
    path = ".github/workflows/own.yml"
    proved = patch(recipe, "mac", path, step="Get", repository=tree({path: text}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+brew update"]
    done = text.replace("brew install libomp", "brew update\n          brew install libomp")
    assert draft(recipe, "mac", path, step="Get", repository=tree({path: done})).state is PatchState.IN_PLACE
    quiet = text.replace("brew install libomp", "brew update --quiet\n          brew install libomp")
    assert draft(recipe, "mac", path, step="Get", repository=tree({path: quiet})).state is PatchState.IN_PLACE
    earlier = text.replace("      - name: Get", "      - run: brew update\n      - name: Get")
    assert draft(recipe, "mac", path, step="Get", repository=tree({path: earlier})).state is PatchState.IN_PLACE
