from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import WidenVersion

OWN = ".github/workflows/own.yml"
WIDEN = WidenVersion("{version}")
GONE = {"version": "3.10.0"}
READ = "${{ matrix.python-version }}"


def job(version: str, matrix: str = "", rest: str = "", action: str = "python") -> MemoryTree:
    strategy = f"    strategy:\n      matrix:\n        {matrix}\n" if matrix else ""
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  build:\n    runs-on: ubuntu-24.04\n{strategy}    steps:\n"
            f"      - uses: actions/checkout@v4\n      - name: Set up {version.strip(chr(39))}\n        uses: actions/setup-{action}@v5\n"
            f"        with:\n          {action}-version: {version}\n{rest}      - run: make\n"
        }
    )


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (job("3.10.0"), ["-python-version: 3.10.0", "+python-version: '3.10'"]),
        (job("'3.10.0'"), ["-python-version: '3.10.0'", "+python-version: '3.10'"]),
        (job('"3.10.0"'), ['-python-version: "3.10.0"', '+python-version: "3.10"']),
        (
            job(READ, "python-version: ['3.10.0', 3.11.4]"),
            ["-python-version: ['3.10.0', 3.11.4]", "+python-version: ['3.10', 3.11.4]"],
        ),
        (
            job(READ, "include:\n          - python-version: 3.10.0\n            arch: a"),
            ["-- python-version: 3.10.0", "+- python-version: '3.10'"],
        ),
    ],
)
def test_an_exact_release_becomes_its_series(there: MemoryTree, new: list[str]) -> None:
    made = patch(WIDEN, "build", OWN, captures=GONE, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == new


def test_of_node_the_series_is_the_first_number() -> None:
    made = patch(WIDEN, "build", OWN, captures={"version": "18.0.1"}, repository=job("18.0.1", action="node"))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == ["-node-version: 18.0.1", "+node-version: '18'"]


@pytest.mark.parametrize(
    ("version", "there"),
    [
        ("3.10.0", job("${{ inputs.python }}")),
        ("3.10.0", job("${{ format('{0}.0', matrix.python-version) }}", "python-version: ['3.10']")),
        ("3.10.0", job(READ, "python-version: ${{ fromJSON(needs.plan.outputs.versions) }}")),
        ("3.10.0", job(READ, "python-version: [3.10.0]", f"      - run: conda install python={READ}\n")),
        ("3.10.0", job(READ, "python-version: [3.10.0]", "      - run: echo '${{ toJSON(matrix) }}'\n")),
        ("3.10.0", job(READ, "python-version: [3.10.0]", "      - run: make ${{ matrix['python-version'] }}\n")),
        ("3.6.15", job("3.6.15")),
        ("3.99.0", job("3.99.0")),
        ("3.14t", job("3.14t")),
        ("3.10", job("3.10")),
    ],
)
def test_what_is_decided_elsewhere_read_elsewhere_or_no_exact_release_is_refused(
    version: str, there: MemoryTree
) -> None:
    made = draft(WIDEN, "build", OWN, captures={"version": version}, repository=there)
    assert made.state is PatchState.REFUSED, made.diff


def test_a_job_that_asks_for_another_release_is_left() -> None:
    assert draft(WIDEN, "build", OWN, captures=GONE, repository=job("'3.10'")).state is PatchState.IN_PLACE
