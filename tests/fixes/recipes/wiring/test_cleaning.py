from __future__ import annotations

from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.patch import PatchState
from triage.model.recipe import AddStep

FREE = AddStep("Free disk space", run="sudo rm -rf /usr/share/dotnet\ndf -h /", after="first", hosted=True)
JOB = "  unit:\n    runs-on: [gpu-8]\n"
HOSTED = JOB.replace("[gpu-8]", "ubuntu-latest")


def test_a_machine_of_githubs_own_is_cleaned_first() -> None:
    proved = patch(FREE, "unit", UNIT, repository=replaced(UNIT, JOB, HOSTED))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert "+sudo rm -rf /usr/share/dotnet" in changed(proved)


def test_other_machines_and_containers_are_left_alone() -> None:
    assert draft(FREE, "unit", UNIT).state is PatchState.REFUSED
    inside = replaced(UNIT, JOB, HOSTED + "    container: example/train:1\n")
    assert draft(FREE, "unit", UNIT, repository=inside).state is PatchState.REFUSED


def test_a_job_that_makes_room_already_is_in_place() -> None:
    done = HOSTED + "    steps:\n      - run: rm -rf /opt/ghc\n"
    repository = replaced(UNIT, JOB + "    steps:\n", done)
    assert draft(FREE, "unit", UNIT, repository=repository).state is PatchState.IN_PLACE
