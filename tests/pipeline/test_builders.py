"""setuptools without pkg_resources: held where the build that failed takes it from, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.test_places import first, header, job_log
from triage.model.patch import PatchState

WORKFLOW = """\
on: push
jobs:
  eval:
    runs-on: gpu-8
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: |
          bash scripts/install.sh
          cd tools
          pip install -e . --no-build-isolation
"""
# What it asks of the machine doubles the ways through it at every line.
UNSURE = "".join(f'if [ -e "$D{at}" ]; then X{at}="$D{at}"; fi\n' for at in range(14))
SCRIPT = f"python3 -m pip install --upgrade pip\n{UNSURE}pip install -e .\n"
FILES = {
    ".github/workflows/ci.yml": WORKFLOW,
    "scripts/install.sh": SCRIPT,
    "pyproject.toml": "[project]\nname = 'x'\n",
}
FAILED = (
    "  Preparing editable metadata (pyproject.toml): finished with status 'error'",
    "  error: subprocess-exited-with-error",
    "      Traceback (most recent call last):",
    '        File "{}/setuptools/build_meta.py", line 317, in run_setup',
    "      ModuleNotFoundError: No module named 'pkg_resources'",
)
PLAIN, ISOLATED = (
    "/opt/venv/lib/python3.12/site-packages",
    "/tmp/pip-build-env-ab12cd/overlay/lib/python3.12/site-packages",
)


def log(folder: str) -> str:
    script = "\n".join(line.strip() for line in WORKFLOW.splitlines()[-3:])
    return job_log(*header(script), *(line.format(folder) for line in FAILED), job="eval")


def test_it_is_held_right_before_the_build_though_a_script_before_it_is_too_much_to_follow(tmp_path: Path) -> None:
    made = first(log(PLAIN), FILES, tmp_path, workflow=".github/workflows/ci.yml", job="eval")
    assert made.state is PatchState.PATCH, made.reason
    lines = made.diff.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("+ "))
    assert lines[at : at + 2] == [
        '+          pip install "setuptools<82"',
        "           pip install -e . --no-build-isolation",
    ]


@pytest.mark.parametrize("folder", [ISOLATED, "/root/.cache/uv/builds-v0/.tmpAb12/lib/python3.12/site-packages"])
def test_a_build_that_is_isolated_sees_nothing_of_the_job_and_gets_words(tmp_path: Path, folder: str) -> None:
    made = first(log(folder), FILES, tmp_path, workflow=".github/workflows/ci.yml", job="eval")
    assert made.state is PatchState.ADVICE
    assert "PIP_CONSTRAINT" in made.reason
    assert not made.diff
