"""A limit of so many seconds that the log states and that no command which can be followed is given."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import Timeout

OWN = ".github/workflows/own.yml"
SUITE = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--suite")
parser.add_argument("--timeout-per-file", type=int, default=1200)
parser.add_argument("--retry-delay", type=int, default=1200)
"""
CLICK = """
import click

DEFAULT_LIMIT = 900
DEFAULT_TIMEOUT = 900


@click.command()
@click.option("--shard")
@click.option("--file-timeout", default=DEFAULT_TIMEOUT, show_default=True)
def main(shard, file_timeout): ...
"""
DRIVER = """
import subprocess

PER_TEST_TIMEOUT = 600  # seconds
RETRIES = 600


def run(path):
    subprocess.run(["python", path], timeout=PER_TEST_TIMEOUT)
"""
MARKED = """
import pytest


@pytest.mark.timeout(120)
def test_long(): ...


@pytest.mark.timeout(60)
def test_short(): ...
"""
IN_CONTAINER = """
WORKDIR=/checkout/tests
docker exec -w "$WORKDIR" ci "$@"
"""


def repository(run: str, step: str = "", job: str = "", **files: str) -> MemoryTree:
    script = "".join(f"          {line}\n" for line in run.splitlines())
    lines = "".join(f"        {line}\n" for line in step.splitlines())
    own = "".join(f"    {line}\n" for line in job.splitlines())
    text = (
        f"on: [push]\njobs:\n  test:\n    runs-on: [gpu]\n{own}    steps:\n      - name: Test\n{lines}        run: |\n"
    )
    named = {path.replace("__", "/").replace("_py", ".py").replace("_sh", ".sh"): held for path, held in files.items()}
    return tree({OWN: text + script, **named})


@pytest.mark.parametrize(
    ("files", "seconds", "frames", "expected"),
    [
        (
            repository("cd tests\nrm -rf out\npython3 suite.py --suite gpu", tests__suite_py=SUITE),
            "1200",
            (),
            ["+python3 suite.py --suite gpu --timeout-per-file 1800"],
        ),
        (
            repository("bash ci/within.sh python3 suite.py --suite a", tests__suite_py=SUITE, ci__within_sh=IN_CONTAINER),
            "1200",
            (),
            ["+bash ci/within.sh python3 suite.py --suite a --timeout-per-file 1800"],
        ),
        (
            repository("python -m tools.shards --shard 1 | tee out.log", tools__shards_py=CLICK),
            "900",
            (),
            ["+python -m tools.shards --shard 1 --file-timeout 1350 | tee out.log"],
        ),
        (
            repository("python ci/driver.py", ci__driver_py=DRIVER),
            "600",
            (),
            ["+PER_TEST_TIMEOUT = 900  # seconds"],
        ),
        (
            repository("pytest tests/gpu", tests__gpu__test_a_py=MARKED),
            "120.0",
            ("tests/gpu/test_a.py",),
            ["+@pytest.mark.timeout(180)"],
        ),
        # What cannot be followed, and is written all the same.
        (
            repository('for one in $LIST; do\n  eval "$RUN" suite.py --file-timeout 900 ${{ inputs.more }}\ndone'),
            "900",
            (),
            ['+eval "$RUN" suite.py --file-timeout 1350 ${{ inputs.more }}'],
        ),
        (
            repository("source ./$NAME/env.sh && $RUNNER timeout -k 10 20m python a.py # timeout 20m"),
            "1200",
            (),
            ["+source ./$NAME/env.sh && $RUNNER timeout -k 10 30m python a.py # timeout 20m"],
        ),
    ],
)  # fmt: skip
def test_it_is_raised_where_it_stands_or_given_where_it_is_a_default(
    files: MemoryTree, seconds: str, frames: tuple[str, ...], expected: list[str]
) -> None:
    facts = Facts(frames=frames)
    made = patch(Timeout(), "test", OWN, step="Test", captures={"seconds": seconds}, facts=facts, repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected


@pytest.mark.parametrize(
    ("files", "seconds"),
    [
        # Another number, a number of something else, one in a comment, one that the command gives itself.
        (repository("python tests/suite.py", tests__suite_py=SUITE), "1500"),
        (repository("python tests/suite.py", tests__suite_py=SUITE.replace("1200", "900", 1)), "1200"),
        (repository("# run --file-timeout 900\n$RUN"), "900"),
        (repository("python tests/suite.py --timeout-per-file $LIMIT", tests__suite_py=SUITE), "1200"),
        # A program that nothing runs, and two that have it.
        (repository("$RUN", tests__suite_py=SUITE), "1200"),
        (repository("python a.py\npython b.py", a_py=SUITE, b_py=SUITE), "1200"),
        (repository("python ci/driver.py", ci__driver_py=DRIVER + "\nSETUP_TIMEOUT = 600\n"), "600"),
        # Many options, and no number behind them.
        (repository("$RUNNER timeout" + " -k" * 60 + " --of=a" * 60 + " $LIMIT python a.py"), "600"),
        # Its value is put together.
        (repository("python ci/driver.py", ci__driver_py="import os\nTIMEOUT = int(os.environ['T']) * 600\n"), "600"),
    ],
)
def test_what_is_not_that_very_limit_stays(files: MemoryTree, seconds: str) -> None:
    made = draft(Timeout(), "test", OWN, step="Test", captures={"seconds": seconds}, repository=files)
    assert made.state is PatchState.REFUSED, made.edits


@pytest.mark.parametrize(
    ("job", "step", "expected"),
    [
        # The step holds other files too: it may not end with the one.
        ("", "timeout-minutes: 30", ["+timeout-minutes: 40", "+python tests/suite.py --timeout-per-file 1800"]),
        ("timeout-minutes: 25", "", ["+timeout-minutes: 35", "+python tests/suite.py --timeout-per-file 1800"]),
        ("timeout-minutes: 90", "timeout-minutes: 60", ["+python tests/suite.py --timeout-per-file 1800"]),
    ],
)
def test_the_limits_around_it_leave_room(job: str, step: str, expected: list[str]) -> None:
    files = repository("python tests/suite.py", step, job, tests__suite_py=SUITE)
    made = patch(Timeout(), "test", OWN, step="Test", captures={"seconds": "1200"}, repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected
