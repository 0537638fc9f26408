from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, RunBefore

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
    done = HOSTED + "    steps:\n      - run: rm -rf /opt/ghc /usr/share/dotnet\n"
    repository = replaced(UNIT, JOB + "    steps:\n", done)
    assert draft(FREE, "unit", UNIT, repository=repository).state is PatchState.IN_PLACE


COPIED = AddStep("Free*disk*", copy_from_sibling=True, after="first")
CLEANING = """      - name: Free up disk space
        run: |
          sudo rm -rf /opt/ghc || true
"""
FILLING = "      - name: Install\n        run: pip install -e .\n"
HEAD = "on: [push]\njobs:\n  unit:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n"
LAST = "      - name: Lint\n        run: ruff check .\n"


def with_steps(*steps: str) -> MemoryTree:
    return tree({UNIT: HEAD + "".join(steps), "setup.py": "from setuptools import setup\nsetup()\n"})


def test_a_step_that_frees_the_disk_too_late_is_moved_before_the_one_that_fills_it() -> None:
    moved = patch(COPIED, "unit", UNIT, step="Install", repository=with_steps(FILLING, CLEANING, LAST))
    assert moved.state is PatchState.PATCH, moved.reason
    assert sorted(changed(moved)) == sorted(
        line for text in FILLING.splitlines() for line in (f"-{text.strip()}", f"+{text.strip()}")
    )
    in_time = draft(COPIED, "unit", UNIT, step="Lint", repository=with_steps(FILLING, CLEANING, LAST))
    assert in_time.state is PatchState.IN_PLACE


def test_a_step_that_clears_up_at_the_end_or_reads_others_stays_there() -> None:
    """Moved, it would remove what the job made, or find nothing."""
    conditions = ("if: always()", "if: ${{ failure() }}", "if: steps.a.outputs.full == 'true'", "if: env.FULL == '1'")
    for line in conditions:
        late = CLEANING.replace("        run:", f"        {line}\n        run:")
        kept = draft(COPIED, "unit", UNIT, step="Install", repository=with_steps(FILLING, late, LAST))
        assert kept.state is PatchState.REFUSED, line


def test_a_script_of_the_repository_is_not_run_before_the_checkout() -> None:
    late = "      - name: Free up disk space\n        run: bash ci/free.sh\n"
    files = {
        UNIT: HEAD.replace("      - uses", FILLING + "      - uses") + late,
        "ci/free.sh": "sudo rm -rf /opt/ghc\n",
        "setup.py": "",
    }
    kept = draft(COPIED, "unit", UNIT, step="Install", repository=tree(files))
    assert kept.state is PatchState.REFUSED
    assert "checked out" in kept.reason


PRUNE = RunBefore("docker system prune -af", ("docker build", "docker pull"), outside=True)
BUILD = "      - name: Image\n        run: docker build -t a .\n"


def test_old_images_go_before_the_build_that_finds_no_room() -> None:
    files = {UNIT: (HEAD + BUILD).replace("ubuntu-latest", "[gpu]"), "Dockerfile": "FROM base:1\nRUN pip install a\n"}
    facts = Facts(build=BuildStep("Dockerfile", {2: "RUN pip install a"}))
    made = patch(PRUNE, "unit", UNIT, step="Image", facts=facts, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[-2:] == ["+docker system prune -af", "+docker build -t a ."]


def test_what_an_earlier_step_pulled_is_not_taken_from_it() -> None:
    pulled = "      - name: Get\n        run: docker pull example/train:1\n"
    made = draft(PRUNE, "unit", UNIT, step="Image", repository=with_steps(pulled, BUILD))
    assert made.state is PatchState.REFUSED
    assert "would remove" in made.reason


OWN_JOB = "  own:\n    runs-on: {}\n{}    steps:\n      - uses: actions/checkout@v4\n      - run: make\n"
MATRIX = "    strategy:\n      matrix:\n        os: [{}]\n"


@pytest.mark.parametrize(
    ("own", "matrix", "theirs", "state"),
    [
        ("ubuntu-22.04", "", "ubuntu-latest", PatchState.PATCH),
        ("[gpu-8]", "", "ubuntu-latest", PatchState.ADVICE),
        ("ubuntu-latest", "", "[gpu-8]", PatchState.ADVICE),
        ("[gpu-8]", "", "[gpu-8]", PatchState.PATCH),
        ("${{ matrix.os }}", "ubuntu-latest, ubuntu-24.04-arm", "ubuntu-latest", PatchState.PATCH),
        ("${{ matrix.os }}", "gpu-8", "ubuntu-latest", PatchState.ADVICE),
        ("${{ inputs.runner }}", "", "ubuntu-latest", PatchState.ADVICE),
        ("${{ inputs.runner }}", "", "${{ inputs.runner }}", PatchState.ADVICE),
    ],
)
def test_what_makes_room_on_another_kind_of_machine_is_not_copied(
    own: str, matrix: str, theirs: str, state: PatchState
) -> None:
    job = OWN_JOB.format(own, MATRIX.format(matrix) if matrix else "")
    files = {UNIT: HEAD.replace("ubuntu-latest", theirs) + CLEANING + job}
    assert draft(COPIED, "own", UNIT, repository=tree(files)).state is state


@pytest.mark.parametrize("run", ["docker image prune -f", "docker volume prune -f --filter until=12h"])
def test_a_job_that_prunes_already_does_so_more_thoroughly_there(run: str) -> None:
    step = f"      - name: Free\n        run: |\n          df -h\n          {run}\n          df -h\n"
    text = (HEAD + step + BUILD).replace("ubuntu-latest", "[gpu]")
    made = patch(PRUNE, "unit", UNIT, step="Image", repository=tree({UNIT: text, "Dockerfile": "FROM base:1\n"}))
    assert made.state is PatchState.PATCH, made.reason
    assert f"{run}\n+          docker system prune -af\n" in made.diff
    done = text.replace(run, PRUNE.run)
    there = tree({UNIT: done, "Dockerfile": "FROM base:1\n"})
    assert draft(PRUNE, "unit", UNIT, step="Image", repository=there).state is PatchState.IN_PLACE
