from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow()
UNIT_JOB = "  unit:\n    runs-on: [gpu-8]\n"
REPORT = "  report:\n    needs: [unit.x]\n    runs-on: [cpu]\n    steps:\n"
FIND = "  find:\n    runs-on: [cpu]\n    steps:\n      - id: find one\n        run: make one\n"


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        (
            "    env:\n      TOKEN: {{ secrets.TOKEN }}\n",
            ["-TOKEN: {{ secrets.TOKEN }}", "+TOKEN: ${{ secrets.TOKEN }}"],
        ),
        ("    timeout-minutes: {{ inputs.minutes }} # more\n", ["+timeout-minutes: ${{ inputs.minutes }} # more"]),
        (
            "    strategy:\n      matrix:\n        python: [{{ inputs.python }}]\n",
            ['+python: ["${{ inputs.python }}"]'],
        ),
        ("    name: {{ matrix.model }}-unit\n", ["+name: ${{ matrix.model }}-unit"]),
    ],
)
def test_an_expression_gets_the_dollar_that_it_lacks(new: str, wanted: list[str]) -> None:
    proved = patch(REPAIR, "unit", UNIT, repository=replaced(UNIT, UNIT_JOB, UNIT_JOB + new))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[-len(wanted) :] == wanted


def test_braces_in_a_script_are_its_own() -> None:
    held = replaced(UNIT, UNIT_JOB, UNIT_JOB + "    env:\n      FORMAT: '{{ .Names }}'\n")
    assert draft(REPAIR, "unit", UNIT, repository=held).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("  unit:\n", "  unit.2.4:\n", ["-unit.2.4:", "+unit-2-4:"]),
        ("  unit:\n", "  3rd-unit:\n", ["-3rd-unit:", "+_3rd-unit:"]),
        ("  unit:\n", "  'unit (cuda)':\n", ["-'unit (cuda)':", "+'unit-cuda-':"]),
        (
            "  unit:\n",
            REPORT + "      - run: echo ${{ needs['unit.x'].result }}\n  unit.x:\n",
            [
                *("-needs: [unit.x]", "-- run: echo ${{ needs['unit.x'].result }}", "-unit.x:"),
                *("+needs: [unit-x]", "+- run: echo ${{ needs['unit-x'].result }}", "+unit-x:"),
            ],
        ),
        (
            "  unit:\n",
            FIND + "      - run: echo ${{ steps['find one'].outcome }}\n  unit:\n",
            [
                *("-- id: find one", "-- run: echo ${{ steps['find one'].outcome }}"),
                *("+- id: find-one", "+- run: echo ${{ steps['find-one'].outcome }}"),
            ],
        ),
    ],
)
def test_a_name_that_is_no_identifier_becomes_one_wherever_it_is_named(old: str, new: str, wanted: list[str]) -> None:
    proved = patch(REPAIR, "unit", UNIT, repository=replaced(UNIT, old, new))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert sorted(changed(proved)) == sorted(wanted)


def test_a_name_whose_new_form_is_taken_is_refused() -> None:
    broken = replaced(UNIT, "  unit:\n", "  unit-2:\n    runs-on: [cpu]\n    steps: [{run: make}]\n  unit.2:\n")
    assert draft(REPAIR, "unit-2", UNIT, repository=broken).state is PatchState.REFUSED


STRATEGY = "    strategy:\n      matrix:\n        python: ['3.10']\n"


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        (STRATEGY + "        fail-fast: false\n", ["-fail-fast: false", "+fail-fast: false"]),
        (STRATEGY + "        max-parallel: 2\n        os: [a, b]\n", ["-max-parallel: 2", "+max-parallel: 2"]),
        (STRATEGY + "      timeout-minutes: 20\n", ["-timeout-minutes: 20", "+timeout-minutes: 20"]),
        (
            "    container:\n      image: example/train:1\n      defaults:\n        run:\n          shell: bash\n",
            ["-defaults:", "-run:", "-shell: bash", "+defaults:", "+run:", "+shell: bash"],
        ),
    ],
)
def test_a_key_that_stands_too_deep_moves_to_the_mapping_that_knows_it(new: str, wanted: list[str]) -> None:
    proved = patch(REPAIR, "unit", UNIT, repository=replaced(UNIT, UNIT_JOB, UNIT_JOB + new))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == wanted


@pytest.mark.parametrize(
    "new",
    [
        # An axis of the matrix may have that name; the outer mapping has the key; nothing else stands beside it.
        STRATEGY + "        fail-fast: [true, false]\n",
        STRATEGY + "        fail-fast: true\n      fail-fast: false\n",
        "    strategy:\n      matrix:\n        fail-fast: false\n",
    ],
)
def test_a_key_that_may_be_meant_stays(new: str) -> None:
    held = replaced(UNIT, UNIT_JOB, UNIT_JOB + new)
    assert draft(REPAIR, "unit", UNIT, repository=held).state is PatchState.REFUSED
