"""Limits whose length the log says with its unit: handed to a workflow elsewhere, held in variables and settings."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import Timeout

OWN = ".github/workflows/own.yml"


def calling(inputs: str, name: str = "", more: str = "") -> MemoryTree:
    """A job that a workflow of another repository runs."""
    given = "".join(f"      {line}\n" for line in inputs.splitlines())
    called = f"    uses: example/ci/.github/workflows/gpu.yml@v1\n    with:\n{given}"
    named = f"    name: {name}\n" if name else ""
    return tree({OWN: f"on: [push]\njobs:\n  gpu:\n{named}{called}{more}"})


@pytest.mark.parametrize(
    ("repository", "job", "lasting", "expected"),
    [
        (calling("cloud-timeout: 3600\ndeps: all"), "gpu", "3600.0 seconds", "+cloud-timeout: 5400"),
        (calling("time_limit: '40'"), "gpu / test", "40 minutes", "+time_limit: '60'"),
        (calling("max-duration: 2", "${{ matrix.name }}"), "gpu-2.3 / test", "2 hours", "+max-duration: 3"),
    ],
)
def test_what_a_workflow_elsewhere_is_handed_grows(
    repository: MemoryTree, job: str, lasting: str, expected: str
) -> None:
    made = patch(Timeout(), job, OWN, captures={"lasting": lasting}, repository=repository)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [expected]


@pytest.mark.parametrize(
    ("repository", "job", "lasting"),
    [
        (calling("cloud-timeout: 1800"), "gpu", "3600.0 seconds"),  # another limit
        (calling("batch: 3600"), "gpu", "3600 seconds"),  # no limit
        (calling("cloud-timeout: 3600\nwait_timeout: 3600"), "gpu", "3600 seconds"),  # nothing tells which
        (calling("cloud-timeout: 3600"), "cpu", "3600 seconds"),  # another job
        (calling("cloud-timeout: ${{ vars.LIMIT }}"), "gpu", "3600 seconds"),
    ],
)
def test_another_number_stays(repository: MemoryTree, job: str, lasting: str) -> None:
    made = draft(Timeout(), job, OWN, captures={"lasting": lasting}, repository=repository)
    assert made.state is PatchState.REFUSED


def held(env: str = "", run: str = "bash tests/run.sh", **files: str) -> MemoryTree:
    own = f"    env:\n      {env}\n" if env else ""
    text = (
        f"on: [push]\njobs:\n  test:\n    runs-on: [gpu-8]\n{own}    steps:\n      - name: Test\n        run: {run}\n"
    )
    return tree({OWN: text, "tests/run.sh": "python -m pytest tests\n", **files})


@pytest.mark.parametrize(
    ("repository", "lasting", "expected"),
    [
        (held("RUN_TIMEOUT: 3600"), "1h", "+RUN_TIMEOUT: 5400"),
        (held("RUN_TIMEOUT_MINUTES: '20'"), "1200 s", "+RUN_TIMEOUT_MINUTES: '30'"),
        (held("", "submit -f cloud/run.yaml", **{"cloud/run.yaml": "name: a\nscheduling:\n  max_duration: 2h\n"}), "2 hours", "+max_duration: 3h"),
        (held("", "submit --file=cloud/run.json", **{"cloud/run.json": '{\n  "timeout_seconds": 600,\n  "gpus": 8\n}\n'}), "10 minutes", '+"timeout_seconds": 900,'),
        (held("", "docker exec a python run.py --suite b --timeout-per-file 3600 --max-run-time 90"), "3600 seconds", "+run: docker exec a python run.py --suite b --timeout-per-file 5400 --max-run-time 90"),
        (held("", "mcli run --timeout 3600"), "3600.0 seconds", "+run: mcli run --timeout 5400"),
    ],
)  # fmt: skip
def test_a_variable_or_a_setting_grows(repository: MemoryTree, lasting: str, expected: str) -> None:
    made = patch(Timeout(), "test", OWN, step="Test", captures={"lasting": lasting}, repository=repository)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [expected]


@pytest.mark.parametrize(
    "repository",
    [
        held("RUN_TIMEOUT: 7200"),
        held("UV_HTTP_TIMEOUT: 3600"),  # of a download
        held("", "submit -f a.yaml", **{"a.yaml": "timeout_ms: 3600\n"}),  # another unit
        held("", "pytest", **{"pyproject.toml": "[tool.other]\ntimeout = 3600\n"}),  # another program's
        held("", "pytest", **{"setup.cfg": "[other]\ntimeout = 3600\n[tool:pytest]\naddopts = -q\n"}),
        held("STEPS: 3600"),
        held("", "submit -f a.yaml", **{"b.yaml": "timeout: 3600\n"}),  # no command reads it
        held("A_TIMEOUT: 3600", "submit -f a.yaml", **{"a.yaml": "timeout: 3600\n"}),  # two
    ],
)
def test_a_variable_of_another_length_stays(repository: MemoryTree) -> None:
    made = draft(Timeout(), "test", OWN, step="Test", captures={"lasting": "3600 seconds"}, repository=repository)
    assert made.state is PatchState.REFUSED


@pytest.mark.parametrize("path", ["pyproject.toml", "setup.cfg", "pytest.ini"])
def test_the_limit_of_pytests_own_section_grows(path: str) -> None:
    name = {"pyproject.toml": "tool.pytest.ini_options", "setup.cfg": "tool:pytest"}.get(path, "pytest")
    there = held("", "pytest", **{path: f"[other]\ntimeout = 3600\n[{name}]\ntimeout = 3600\n"})
    made = patch(Timeout(), "test", OWN, step="Test", captures={"lasting": "3600 seconds"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert made.diff.index(f"[{name}]") < made.diff.index("+timeout = 5400")


@pytest.mark.parametrize(
    ("matrix", "new"),
    [
        ("t: [30, 60]", ["-t: [30, 60]", "+t: [30, 90]"]),
        ("include: [{n: a, t: 60}, {n: b, t: 30}]", ["-include: [{n: a, t: 60}, {n: b, t: 30}]", "+include: [{n: a, t: 90}, {n: b, t: 30}]"]),
    ],
)  # fmt: skip
def test_of_a_matrixs_limits_the_one_that_the_log_names(matrix: str, new: list[str]) -> None:
    head = f"on: [push]\njobs:\n  test:\n    runs-on: gpu\n    strategy:\n      matrix:\n        {matrix}\n"
    there = tree({OWN: f"{head}    timeout-minutes: ${{{{ matrix.t }}}}\n    steps:\n      - run: make\n"})
    made = patch(Timeout(), "test", OWN, captures={"limit": "60 minutes"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == new
    other = draft(Timeout(), "test", OWN, captures={"limit": "45 minutes"}, repository=there)
    assert other.state is not PatchState.PATCH
