"""A number of compilers that a script works out and does not export."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import PatchState
from triage.model.recipe import FewerJobs

CI = ".github/workflows/ci.yml"
JOBS = FewerJobs("MAX_JOBS", "4", threads="2")
NOTE = "+# The build reads it from its environment."
SHARE = "#!/bin/bash\nif [ $A = 1 ]; then\n  MAX_JOBS=$(( MEM / 8 ))\nelse\n  MAX_JOBS=2\nfi\n\npip install .\n"


def repository(run: str, **files: str) -> MemoryTree:
    head = "on: [push]\njobs:\n  wheel:\n    runs-on: [self-hosted]\n    steps:\n      - name: Build\n"
    paths = {name.replace("__", "/").replace("_sh", ".sh"): text for name, text in files.items()}
    return tree({CI: f"{head}        run: {run}\n", "setup.py": "from setuptools import setup\nsetup()\n", **paths})


def exported(run: str, **files: str) -> list[str]:
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository(run, **files))
    assert made.state is PatchState.PATCH, made.reason
    return changed(made)


@pytest.mark.parametrize(
    "run",
    ["bash ci/build.sh", "./ci/build.sh", "docker run --rm --some-flag ./ci/build.sh", "other.sh IMAGE ./ci/build.sh"],
)
def test_a_share_that_the_script_keeps_to_itself_is_exported_behind_its_block(run: str) -> None:
    assert exported(run, ci__build_sh=SHARE) == [NOTE, "+export MAX_JOBS"]


def test_all_cores_are_halved_before_they_are_exported_where_the_script_reads_them_in() -> None:
    default = '#!/bin/bash\n: "${MAX_JOBS:=$(nproc 2>/dev/null || echo 4)}"\n'
    lines = exported("bash ci/build.sh", ci__build_sh="#!/bin/bash\n. ci/used.sh\npip install .\n", ci__used_sh=default)
    assert lines == [
        '-: "${MAX_JOBS:=$(nproc 2>/dev/null || echo 4)}"',
        '+: "${MAX_JOBS:=$(( ($(nproc 2>/dev/null || echo 4) + 1) / 2 ))}"',
        NOTE,
        "+export MAX_JOBS",
    ]


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/bash\nMAX_JOBS=8\nexport MAX_JOBS\npip install .\n",
        "#!/bin/bash\nMAX_JOBS=8\nninja -j $MAX_JOBS\n",
        "#!/bin/bash\nset -a\nMAX_JOBS=8\npip install .\n",
        "#!/bin/bash\nMAX_JOBS=8 pip install .\n",
        "#!/bin/bash\nbuild() {\n  MAX_JOBS=8\n}\nbuild\npip install .\n",
    ],
)
def test_what_is_handed_on_already_or_set_inside_of_a_function_is_not_exported_again(script: str) -> None:
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository("bash ci/build.sh", ci__build_sh=script))
    assert "+export MAX_JOBS" not in changed(made)
