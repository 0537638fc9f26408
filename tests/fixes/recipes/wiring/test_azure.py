"""The limit of a job that Azure Pipelines runs, in the pipeline's file."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import Timeout

RAISED = Timeout(level="azure")
REACHED = {"limit": "60 minutes"}


def repository(path: str = ".azure-pipelines/gpu.yml", gpu: str = "60", cpu: str = "60") -> MemoryTree:
    return tree(
        {
            path: f"""\
trigger: [main]
jobs:
  - job: cpu
    timeoutInMinutes: {cpu}
    steps:
      - bash: pytest tests/unit
        displayName: Unit tests
  - job: gpu
    displayName: On GPUs
    timeoutInMinutes: {gpu}
    steps:
      - bash: pytest tests/gpu
        displayName: Device tests
"""
        }
    )


@pytest.mark.parametrize("path", ["azure-pipelines.yml", ".azure/ci/gpu.yaml", ".azure-pipelines/a/b.yml"])
def test_the_one_job_with_that_limit_gets_half_as_much_again(path: str) -> None:
    made = patch(RAISED, "", "", captures=REACHED, repository=repository(path, cpu="20"))
    assert (made.state, made.files) == (PatchState.PATCH, (path,)), made.reason
    assert changed(made) == ["-timeoutInMinutes: 60", "+timeoutInMinutes: 90"]


@pytest.mark.parametrize(
    ("job", "started"), [("On GPUs", ()), ("gpu", ()), ("", ("Checkout", "Device tests")), ("other", ("Device tests",))]
)
def test_of_several_the_one_whose_name_or_tasks_the_log_shows(job: str, started: tuple[str, ...]) -> None:
    facts = Facts(started=started)
    made = patch(RAISED, job, "", captures=REACHED, facts=facts, repository=repository(gpu='"60"'))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ['-timeoutInMinutes: "60"', '+timeoutInMinutes: "90"']


@pytest.mark.parametrize(
    ("here", "limit", "reason"),
    [
        (repository(), "60 minutes", "several jobs have it"),
        (repository(), "45 minutes", "no timeoutInMinutes of the repository is the limit"),
        (repository("ci/gpu.yml", cpu="20"), "60 minutes", "no timeoutInMinutes of the repository is the limit"),
        (repository(gpu="${{ parameters.limit }}", cpu="20"), "60 minutes", "no timeoutInMinutes of the repository"),
    ],
)
def test_a_limit_that_the_log_does_not_tell_apart_is_left_alone(here: MemoryTree, limit: str, reason: str) -> None:
    made = draft(RAISED, "", "", captures={"limit": limit}, repository=here)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


@pytest.mark.parametrize(("job", "started"), [("gpu", ()), ("On GPUs", ()), ("", ("Device tests",))])
@pytest.mark.parametrize("limit", ["", "    timeoutInMinutes: ${{ parameters.limit }}\n"])
def test_the_limit_of_another_job_is_left_where_the_log_is_of_one_without(
    job: str, started: tuple[str, ...], limit: str
) -> None:
    text = repository().read(".azure-pipelines/gpu.yml").decode()
    there = text[::-1].replace("    timeoutInMinutes: 60\n"[::-1], limit[::-1], 1)[::-1]
    made = draft(
        RAISED, job, "", captures=REACHED, facts=Facts(started=started), repository=tree({"azure-pipelines.yml": there})
    )
    assert made.state is PatchState.REFUSED
    assert "of another job" in made.reason


def test_the_limit_of_a_task_or_of_somebody_elses_pipeline_is_not_the_jobs() -> None:
    text = repository(cpu="20", gpu="30").read(".azure-pipelines/gpu.yml").decode()
    task = text.replace("displayName: Device tests", "displayName: Device tests\n        timeoutInMinutes: 60")
    files = {"azure-pipelines.yml": task, "third_party/a/azure-pipelines.yml": text.replace("30", "60")}
    made = draft(RAISED, "", "", captures=REACHED, repository=tree(files))
    assert made.state is PatchState.REFUSED


def of_tasks(name: str, limit: str, other: str) -> MemoryTree:
    text = f"""\
jobs:
  - job: gpu
    displayName: Benchmarks
    timeoutInMinutes: 90
    steps:
      - bash: pytest tests/unit
        displayName: Unit tests
        timeoutInMinutes: 30
      - script: python bench.py
        displayName: "{name}"
        timeoutInMinutes: {limit}
      - bash: pytest tests/gpu
        displayName: "{other}"
        timeoutInMinutes: 30
"""
    return tree({".azure/gpu.yml": text.replace("        timeoutInMinutes: \n", "")})


@pytest.mark.parametrize("name", ["Device tests", "Testing: regular", "Sweep (2 GPUs)"])
def test_a_task_that_was_ended_gets_more_by_its_own_limit(name: str) -> None:
    made = patch(RAISED, "", "", captures={"task": name}, repository=of_tasks(name, '"30"', "Others"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ['-timeoutInMinutes: "30"', '+timeoutInMinutes: "45"']


@pytest.mark.parametrize(
    ("here", "task", "reason"),
    [
        (of_tasks("Sweep", "30", "Sweep"), "Sweep", "several tasks are called Sweep: .azure/gpu.yml"),
        (of_tasks("Sweep", "", "Others"), "Sweep", "no task that is called Sweep has a timeoutInMinutes"),
        (of_tasks("Sweep", "30", "Others"), "Bench", "no task that is called Bench has"),
        (of_tasks("Sweep", "30", "Others"), "Benchmarks", "no task that is called Benchmarks has"),
        (of_tasks("$(title)", "30", "Others"), "Sweep", "no task that is called Sweep has"),
        (of_tasks("Sweep", "${{ parameters.limit }}", "Others"), "Sweep", ""),
    ],
)
def test_a_task_that_the_pipeline_does_not_tell_apart_is_left_alone(here: MemoryTree, task: str, reason: str) -> None:
    made = draft(RAISED, "", "", captures={"task": task}, repository=here)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason
