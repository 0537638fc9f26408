"""A program that other jobs set up by a step of their own."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import SystemPackage

CI = ".github/workflows/ci.yml"
RECIPE = SystemPackage(needed="{what}")
JOB = """
    on: push
    jobs:
      wheel:
        runs-on: ubuntu-24.04
        steps:
          - uses: actions/checkout@v4
          - name: Tools
            run: pip install build
          - name: Build
            run: python -m build
"""


def made(steps: str, job: str = JOB, what: str = "ffmpeg", **more: str) -> Patch:
    other = (
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v4\n{steps}"
    )
    here = tree({CI: job, ".github/workflows/test.yml": other, "ci/utils/install_ffmpeg.sh": "curl x\n", **more})
    return patch(RECIPE, "wheel", CI, step="Build", captures={"what": what}, repository=here)


@pytest.mark.parametrize(
    ("steps", "added"),
    [
        (
            "      - name: Install it\n        run: sudo bash ci/utils/install_ffmpeg.sh\n",
            ["+- name: Install it", "+run: sudo bash ci/utils/install_ffmpeg.sh"],
        ),
        ("      - run: ./ci/utils/install_ffmpeg.sh --small\n", ["+- run: ./ci/utils/install_ffmpeg.sh --small"]),
        (
            "      - uses: someone/setup-ffmpeg@v3\n        with: {version: 7}\n",
            ["+- uses: someone/setup-ffmpeg@v3", "+with: {version: 7}"],
        ),
    ],
)
def test_their_step_is_copied_before_the_failed_one(steps: str, added: list[str]) -> None:
    proved = made(steps)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == added
    assert proved.diff.index(added[0][3:]) < proved.diff.index("name: Build")


@pytest.mark.parametrize(
    "steps",
    [
        "      - run: bash ci/utils/install_other.sh\n",
        "      - run: bash gone/install_ffmpeg.sh\n",
        "      - run: |\n          bash ci/utils/install_ffmpeg.sh\n          python train.py\n",
        "      - if: matrix.os == 'a'\n        run: bash ci/utils/install_ffmpeg.sh\n",
        "      - run: bash ci/utils/install_ffmpeg.sh\n      - run: bash ./ci/utils/install_ffmpeg.sh --other\n",
    ],
    ids=["another-program", "no-such-file", "does-more", "on-a-condition", "two-ways"],
)
def test_what_is_no_such_step_leaves_the_package_of_the_system(steps: str) -> None:
    proved = made(steps)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "apt-get install -y ffmpeg" in proved.diff


def test_a_script_needs_a_checkout() -> None:
    job = JOB.replace("          - uses: actions/checkout@v4\n", "          - run: echo\n")
    assert "apt-get install -y ffmpeg" in made("      - run: bash ci/utils/install_ffmpeg.sh\n", job).diff


def test_a_job_that_has_the_step_is_told_so() -> None:
    job = JOB.replace("run: pip install build", "run: bash ci/utils/install_ffmpeg.sh")
    assert made("      - run: bash ci/utils/install_ffmpeg.sh\n", job).state is PatchState.IN_PLACE
