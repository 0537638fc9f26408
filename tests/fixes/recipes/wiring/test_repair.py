from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow()


def test_a_command_that_became_part_of_the_name_gets_its_run_back() -> None:
    broken = replaced(UNIT, "- name: Test\n        run: pytest tests", "- name: Test\n          pytest tests")
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == ["+run: |"]


def test_needs_of_a_misspelt_job() -> None:
    broken = replaced(UNIT, "  other:\n", "  other:\n    needs: [units]\n")
    proved = patch(REPAIR, "other", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-needs: [units]", "+needs: [unit]"]


def test_a_script_that_moved() -> None:
    broken = replaced(UNIT, "run: pytest tests", "run: bash old/place/async.sh")
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+run: bash tests/async.sh" in changed(proved)


def test_what_has_no_mechanical_repair_is_refused() -> None:
    empty = replaced(UNIT, "- name: Test\n        run: pytest tests", "- name: Test")
    assert draft(REPAIR, "unit", UNIT, repository=empty).state is PatchState.REFUSED
    unlike = replaced(UNIT, "  other:\n", "  other:\n    needs: [setup]\n")
    assert draft(REPAIR, "unit", UNIT, repository=unlike).state is PatchState.REFUSED
    assert draft(REPAIR, "unit", UNIT).state is PatchState.REFUSED


def test_lines_commented_out_at_the_first_column_get_their_blocks_indentation() -> None:
    broken = replaced(
        UNIT,
        "          pip3 install --no-deps -e .\n",
        "#          pip3 install torch\n          pip3 install --no-deps -e .\n",
    )
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == ["-#          pip3 install torch", "+#          pip3 install torch"]


@pytest.mark.parametrize(
    "listed", ["[unit, other, gone]", "[gone, unit, other]", "\n      - unit\n      - gone\n      - other"]
)
def test_a_job_that_resembles_none_leaves_the_list(listed: str) -> None:
    broken = replaced(UNIT, "  bare:\n", f"  bare:\n    needs: {listed}\n")
    proved = patch(REPAIR, "bare", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[-1] in ("+needs: [unit, other]", "-- gone")


def test_a_job_whose_outputs_are_read_stays_in_the_list() -> None:
    read = "    needs: [unit, other, gone]\n    if: needs.gone.outputs.ready\n"
    broken = replaced(UNIT, "  bare:\n", f"  bare:\n{read}")
    assert draft(REPAIR, "bare", UNIT, repository=broken).state is PatchState.REFUSED


def test_what_reads_the_outputs_of_a_renamed_job_is_renamed_too() -> None:
    read = "    needs: units\n    if: needs.units.outputs.ready == '1'\n"
    proved = patch(REPAIR, "other", UNIT, repository=replaced(UNIT, "  other:\n", f"  other:\n{read}"))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[2:] == ["+needs: unit", "+if: needs.unit.outputs.ready == '1'"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("\n    outputs: {changed: x}", True),
        ("\n    outputs: {other: x}", False),
        ("", False),
    ],
)
def test_the_one_job_that_gives_what_is_read_is_meant(given: str, meant: bool) -> None:
    read = "    needs: check-for-setup\n    if: needs.check-for-setup.outputs.changed == '1'\n"
    there = replaced(
        UNIT, "  other:\n", f"  check-for-source:{given}\n    runs-on: x\n    steps: [{{run: x}}]\n  other:\n{read}"
    )
    proved = patch(REPAIR, "other", UNIT, repository=there)
    assert (proved.state is PatchState.PATCH) == meant, (proved.reason, proved.diff)
    assert not meant or changed(proved)[2:] == [
        "+needs: check-for-source",
        "+if: needs.check-for-source.outputs.changed == '1'",
    ]


def test_of_two_jobs_that_give_what_is_read_none_is_chosen() -> None:
    read = "    needs: check-for-setup\n    if: needs.check-for-setup.outputs.changed == '1'\n"
    jobs = "".join(
        f"  check-for-{one}:\n    outputs: {{changed: x}}\n    runs-on: x\n    steps: [{{run: x}}]\n"
        for one in ("source", "docs")
    )
    there = replaced(UNIT, "  other:\n", f"{jobs}  other:\n{read}")
    assert draft(REPAIR, "other", UNIT, repository=there).state is PatchState.REFUSED


def test_a_path_is_not_what_makes_a_workflow_invalid() -> None:
    moved = replaced(UNIT, "run: pytest tests", "run: bash old/place/async.sh")
    invalid = RepairWorkflow(file="{file}")
    assert draft(invalid, "unit", UNIT, repository=moved, captures={"file": UNIT}).state is PatchState.REFUSED


def test_steps_that_became_a_job_of_that_name_go_back_to_theirs() -> None:
    broken = replaced(UNIT, "  unit:\n    runs-on: [gpu-8]\n    steps:", "  unit:\n    runs-on: [gpu-8]\n  steps:")
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == ["-steps:", "+steps:"]


def test_the_one_job_that_a_list_of_all_others_lacks() -> None:
    broken = replaced(UNIT, "  bare:\n", "  bare:\n    needs: [unit, other, renamed_line]\n")
    proved = patch(REPAIR, "bare", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[1] == "+needs: [unit, other, one_line]"


@pytest.mark.parametrize(
    ("permissions", "changes"),
    [
        ("\n  contents: {}\n", ["-permissions:", "-contents: {}", "+permissions: {}"]),
        (" {contents: {}}\n", ["-permissions: {contents: {}}", "+permissions: {}"]),
        ("\n  contents: {}\n  issues: write\n", ["-contents: {}", "+contents: none"]),
        ("\n  # nothing\n  contents: []\n", ["-contents: []", "+contents: none"]),
    ],
)
def test_an_empty_scope_of_the_permissions_grants_nothing(permissions: str, changes: list[str]) -> None:
    broken = replaced(UNIT, "on: push\n", f"on: push\npermissions:{permissions}")
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == changes


def test_a_scope_of_a_job_and_one_with_another_value() -> None:
    broken = replaced(UNIT, "  unit:\n", "  unit:\n    permissions:\n      contents: {}\n")
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == ["-permissions:", "-contents: {}", "+permissions: {}"]
    admin = replaced(UNIT, "  unit:\n", "  unit:\n    permissions:\n      contents: admin\n")
    assert draft(REPAIR, "unit", UNIT, repository=admin).state is PatchState.REFUSED


NOTICE = "on: push\njobs:\n{0}  notice:\n    needs: release\n{1}    runs-on: gpu\n    steps:\n      - run: {2}\n"
BUILD = "  {0}:\n    runs-on: gpu\n    steps:\n      - run: make\n"


def needing(jobs: str, condition: str = "", run: str = "date") -> MemoryTree:
    return tree({".github/workflows/own.yml": NOTICE.format(jobs, condition, run)})


def test_the_one_job_that_there_is_to_wait_for() -> None:
    made = patch(REPAIR, "notice", ".github/workflows/own.yml", repository=needing(BUILD.format("build-n-publish")))
    assert changed(made) == ["-needs: release", "+needs: build-n-publish"], made.reason


def test_what_runs_last_whatever_happens_waits_for_all_that_end() -> None:
    jobs = BUILD.format("one_gpu") + BUILD.format("many_gpus")
    there = needing(jobs, "    if: always()\n")
    made = patch(REPAIR, "notice", ".github/workflows/own.yml", repository=there)
    assert changed(made) == ["-needs: release", "+needs: [one_gpu, many_gpus]"], made.reason
    # It might wait for one of them only, or read what it gave.
    for condition, run in (("", "date"), ("    if: always()\n", "echo ${{ needs.release.result }}")):
        held = needing(jobs, condition, run)
        assert draft(REPAIR, "notice", ".github/workflows/own.yml", repository=held).state is PatchState.REFUSED
