"""What a script lacks is installed before its command as at least two scripts beside it do."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.fixes.whereabouts.typed import JOB, typed_path, typed_workflow
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipInstall
from triage.model.trail import Announced

SCRIPT = "qa/L1_export/test.sh"
TEST = "set -e\nmkdir -p /logs\nMODE=1 python3 -m pytest -v tests/test_export.py\n"
PINNED = "pip3 install pytest==8.2.1 || exit 1\npython3 -m pytest tests\n"


def made(files: dict[str, str], script: str = SCRIPT, recipe: PipInstall = PipInstall(module="{module}"),
         facts: Facts = Facts(), **captures: str) -> Patch:  # fmt: skip
    path = typed_path("example")
    typed = typed_workflow((Announced("shell", (f"bash {script}",)),)).decode()
    given = captures or {"module": "pytest"}
    return patch(recipe, JOB, path, facts=facts, captures=given, repository=tree({path: typed, **files}))


def test_scripts_of_the_same_name_in_folders_beside_it_say_how() -> None:
    old = PINNED.replace("8.2.1", "8.1.1")
    files = {SCRIPT: TEST, "qa/L0_unit/test.sh": PINNED, "qa/L2_jax/test.sh": PINNED, "qa/L3_old/test.sh": old}
    found = made(files)
    assert (found.state, found.reason, changed(found)) == (PatchState.PATCH, "", ["+pip3 install pytest==8.2.1"])


def test_scripts_of_its_folder_say_how() -> None:
    others = {f"examples/run_{at}.sh": "uv pip install -q 'DataQueue>=0.2' rich\nqueue-server &\n" for at in "bc"}
    files = {"examples/run_a.sh": "sleep 1\nqueue-server --port 1\n", **others}
    found = made(files, "examples/run_a.sh", PipInstall(program="{command}", form="pinned"), command="queue-server")
    assert changed(found) == ["+uv pip install 'DataQueue>=0.2'"]


def test_the_script_that_the_traceback_begins_in_gets_what_its_program_imports() -> None:
    others = {f"examples/run_{at}.sh": "pip install opencv-python\npython examples/b.py\n" for at in "bc"}
    files = {"examples/run_a.sh": "python examples/a.py\n", "examples/a.py": "import cv2\n", **others}
    found = made(files, "examples/run_a.sh", facts=Facts(frames=("/w/examples/a.py",)), module="cv2")
    assert changed(found) == ["+pip install opencv-python"]


@pytest.mark.parametrize(
    ("own", "beside", "facts"),
    [
        (TEST, {"qa/L0_unit/test.sh": PINNED}, Facts()),
        (TEST, {"qa/L0_unit/test.sh": PINNED, "other/L0_unit/test.sh": PINNED}, Facts()),
        (f"{PINNED}{TEST}", {"qa/L0_unit/test.sh": PINNED, "qa/L2_jax/test.sh": PINNED}, Facts()),
        (TEST, {"qa/L0_unit/test.sh": PINNED, "qa/L2_jax/test.sh": PINNED}, Facts(installed={"pytest": "8.2.1"})),
    ],
)
def test_one_script_others_elsewhere_and_what_is_there_are_no_evidence(
    own: str, beside: dict[str, str], facts: Facts
) -> None:
    assert made({SCRIPT: own, **beside}, facts=facts).state is not PatchState.PATCH
