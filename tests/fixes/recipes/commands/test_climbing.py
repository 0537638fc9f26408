"""Scripts that climb from their own folder to another one than they mean."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

RECIPE = RepairWorkflow(path="{path}")
OWN = ".ci/scripts/bench.sh"
FACTS = Facts(commands=("cd /work/.ci", "bash scripts/bench.sh"))
MISSING = "/work/.ci/benchmarks/latency.py"
DIRECT = 'cd "$(dirname "${BASH_SOURCE[0]}")/.."'


def repository(climb: str, *lines: str, **files: str) -> MemoryTree:
    script = "\n".join(("#!/bin/bash", "set -ex", climb, "", *(lines or ("python3 benchmarks/latency.py",)), ""))
    held = {"README.md": "x\n", ".ci/pipeline.yml": "a: b\n", "benchmarks/latency.py": "", **files}
    return tree({OWN: script, **held})


@pytest.mark.parametrize(
    ("climb", "new"),
    [
        (DIRECT, 'cd "$(dirname "${BASH_SOURCE[0]}")/../.."'),
        ("cd $(dirname $0)/..", "cd $(dirname $0)/../.."),
        ('pushd "${0%/*}/.." > /dev/null', 'pushd "${0%/*}/../.." > /dev/null'),
        ('ROOT="$(cd "$(dirname "$0")/.." && pwd)" && cd "$ROOT"', 'ROOT="$(cd "$(dirname "$0")/../.." && pwd)" && cd "$ROOT"'),
        ("cd `dirname $0`/..", "cd `dirname $0`/../.."),
    ],
)  # fmt: skip
def test_a_script_that_lies_deeper_than_it_believes_climbs_further(climb: str, new: str) -> None:
    made = patch(RECIPE, "", "", captures={"path": MISSING}, repository=repository(climb), facts=FACTS)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{climb}", f"+{new}"]


def test_a_script_that_climbs_out_of_the_repository_stays_in_it() -> None:
    given = repository('cd "$(dirname "$0")/../../.."')
    made = patch(RECIPE, "", "", captures={"path": "/srv/benchmarks/latency.py"}, repository=given, facts=FACTS)
    assert changed(made)[1] == '+cd "$(dirname "$0")/../.."'


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        # Two folders above hold it: nothing says which one is meant.
        (repository(DIRECT, **{".ci/scripts/benchmarks/latency.py": ""}), MISSING),
        # What else the script names is in the folder that it climbs to.
        (
            repository(DIRECT, "bash tools/setup.sh", "python3 benchmarks/latency.py", **{".ci/tools/setup.sh": ""}),
            MISSING,
        ),
        # A remark, or several climbs.
        (repository(f"# {DIRECT}"), MISSING),
        (repository(DIRECT, DIRECT, "python3 benchmarks/latency.py"), MISSING),
        # Another folder was looked in than the script climbs to, and another file.
        (repository(DIRECT), "/work/other/benchmarks/latency.py"),
        (repository(DIRECT), "/work/.ci/benchmarks/throughput.py"),
        # Nothing of the name anywhere.
        (repository(DIRECT, "python3 results/latency.json"), "/work/.ci/results/latency.json"),
    ],
)
def test_otherwise_the_script_stays(given: MemoryTree, missing: str) -> None:
    made = draft(RECIPE, "", "", captures={"path": missing}, repository=given, facts=FACTS)
    assert OWN not in {edit.path for edit in made.edits}, made.reason


def test_of_two_scripts_the_one_that_ran_is_mended() -> None:
    other = f"{DIRECT}\npython3 benchmarks/latency.py\n"
    given = repository(DIRECT, **{".ci/nightly/other.sh": other})
    made = patch(RECIPE, "", "", captures={"path": MISSING}, repository=given, facts=FACTS)
    assert made.files == (OWN,)
    silent = draft(RECIPE, "", "", captures={"path": MISSING}, repository=given, facts=Facts())
    assert silent.state is not PatchState.PATCH, silent.title
