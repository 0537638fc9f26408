"""`env` in keys that do not know it."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow()
UNIT_JOB = "  unit:\n    runs-on: [gpu-8]\n"
ENV = "env:\n  PUBLISH: {}\n\njobs:\n"


@pytest.mark.parametrize(
    ("value", "key", "wanted"),
    [
        (
            "${{ github.ref == 'a' || github.actor == 'b' }}",
            "    if: env.PUBLISH && always()",
            "+if: (github.ref == 'a' || github.actor == 'b') && always()",
        ),
        ("fast", "    name: ${{ env.PUBLISH }}", "+name: fast"),
        ("fast", "    name: unit ${{ env.PUBLISH }}", "+name: unit fast"),
        ("fast", "    name: ${{ format('{0}', env.PUBLISH) }}", "+name: ${{ format('{0}', 'fast') }}"),
        ("'3'", "    concurrency: {group: '${{ env.PUBLISH }}'}", "+concurrency: {group: '3'}"),
    ],
)
def test_the_value_stands_where_the_name_means_nothing(value: str, key: str, wanted: str) -> None:
    held = replaced(UNIT, UNIT_JOB, f"{UNIT_JOB}{key}\n")
    held = type(held)({**held.files, UNIT: held.read(UNIT).replace(b"jobs:\n", ENV.format(value).encode(), 1)})
    proved = patch(REPAIR, "unit", UNIT, repository=held)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[-1] == wanted


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("${{ secrets.A }}", "    if: env.PUBLISH"),
        ("a", "    if: env.OTHER == 'a'"),
        ("a", "    if: github.event.env.PUBLISH == 'env.PUBLISH'"),
        ("a", "    env:\n      A: env.PUBLISH"),
    ],
)
def test_what_is_no_plain_value_of_the_workflow_is_left(value: str, key: str) -> None:
    held = replaced(UNIT, UNIT_JOB, f"{UNIT_JOB}{key}\n")
    held = type(held)({**held.files, UNIT: held.read(UNIT).replace(b"jobs:\n", ENV.format(value).encode(), 1)})
    assert draft(REPAIR, "unit", UNIT, repository=held).state is not PatchState.PATCH
