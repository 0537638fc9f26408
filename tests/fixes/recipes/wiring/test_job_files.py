"""A variable for what a step submits to a cluster is set in the job file, which alone reaches the machines."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import SetEnv

PATH = ".github/workflows/e2e.yml"
NAMED = SetEnv(name="{name}", value="{value}", level="program")
GIVEN = {"name": "RAY_OVERRIDE_JOB_RUNTIME_ENV", "value": "1"}
ANYSCALE = (
    "entrypoint: bash ci/run.sh\nenv_vars:\n  # of the workflow\n  HF_TOKEN: $HF_TOKEN # a secret\nmax_retries: 0\n"
)
SKY = "resources: {accelerators: H100}\nenvs:\n    MODE: fast\nrun: |\n  python train.py\n"


def made(script: str, **files: str) -> Patch:
    lines = "\n".join(f"          {line}" for line in script.splitlines())
    job = f"on: push\njobs:\n  e2e:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Test\n        run: |\n{lines}\n"
    return patch(NAMED, "e2e", PATH, step="Test", captures=GIVEN, repository=tree({PATH: job, **files}))


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("envsubst < ci/job.yaml > ci/filled.yaml\nanyscale job submit -f ci/filled.yaml --name x", ANYSCALE),
        ("pip install anyscale\nanyscale job submit --config-file=ci/job.yaml", ANYSCALE),
        ("sky jobs launch -y ci/job.yaml", SKY),
    ],
)
def test_the_job_file_gets_it(script: str, text: str) -> None:
    found = made(script, **{"ci/job.yaml": text})
    assert (found.state, found.reason, found.files) == (PatchState.PATCH, "", ("ci/job.yaml",))
    assert changed(found) == ['+RAY_OVERRIDE_JOB_RUNTIME_ENV: "1"']


def test_another_value_there_is_replaced_and_the_same_is_in_place() -> None:
    script = "sky launch ci/job.yaml"
    other = SKY.replace("MODE: fast", 'RAY_OVERRIDE_JOB_RUNTIME_ENV: "0"')
    assert changed(made(script, **{"ci/job.yaml": other}))[-1] == '+RAY_OVERRIDE_JOB_RUNTIME_ENV: "1"'
    same = other.replace('"0"', '"1"')
    assert made(script, **{"ci/job.yaml": same}).state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("sky launch ci/a.yaml\nsky launch ci/b.yaml", {"ci/a.yaml": SKY, "ci/b.yaml": SKY}),
        ("anyscale job submit -f ci/job.yaml", {"ci/job.yaml": ANYSCALE.replace("\n  # of the workflow\n  HF_TOKEN: $HF_TOKEN # a secret", " {A: b}")}),
    ],
)  # fmt: skip
def test_of_several_files_and_unclear_ones_none_is_edited(script: str, files: dict[str, str]) -> None:
    assert not set(made(script, **files).files) & {*files}
