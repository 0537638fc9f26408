"""Names that fit a job by its id, and names that lead to one job through several calls."""

from __future__ import annotations

import time

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import find_job

CI, CALLED = ".github/workflows/ci.yml", ".github/workflows/called.yml"
STEPS = "    runs-on: gpu-8\n    steps:\n      - run: pytest\n"


def found(here: MemoryTree, name: str) -> Job | Refusal:
    workflow = load_workflow(here, CI)
    assert not isinstance(workflow, Refusal)
    return find_job(here, workflow, name)


def test_a_job_of_a_matrix_is_found_by_its_id_and_a_cell_too() -> None:
    matrix = "    strategy:\n      matrix:\n        os: [a, b]\n"
    text = f"on: push\njobs:\n  build:\n    name: build and release\n{matrix}{STEPS}  lint:\n    name: tidy\n{STEPS}"
    job = found(tree({CI: text}), "build (b, 3.11)")
    assert not isinstance(job, Refusal)
    assert job.id == "build"
    assert isinstance(found(tree({CI: text}), "lint (b, 3.11)"), Refusal)


@pytest.mark.parametrize("ends", [True, False])
def test_calls_that_multiply_are_followed_up_to_a_bound(ends: bool) -> None:
    """Ten levels of six calls each are sixty million jobs."""
    paths = [CI, *(f".github/workflows/r{level}.yml" for level in range(1, 10))]
    calls = {
        path: "on: workflow_call\njobs:\n" + "".join(f"  j{at}:\n    uses: ./{below}\n" for at in range(6))
        for path, below in zip(paths, [*paths[1:], CALLED], strict=True)
    }
    here = tree(calls | ({CALLED: f"on: workflow_call\njobs:\n  e2e:\n{STEPS}"} if ends else {}))
    started = time.process_time()
    refused = found(here, "train")
    assert isinstance(refused, Refusal)
    assert "calls more than 1000 workflows" in refused.reason
    assert time.process_time() - started < 15


def test_what_several_calls_hand_to_one_job_is_known_where_they_agree() -> None:
    call = "    name: single\n    uses: ./.github/workflows/called.yml\n    with:\n      image: a\n      runner: "
    called = f"on:\n  workflow_call:\n    inputs:\n      image: {{type: string}}\n      runner: {{type: string}}\njobs:\n  e2e:\n    name: ${{{{ github.actor }}}}\n{STEPS}"
    here = tree({CI: f"on: push\njobs:\n  first:\n{call}one\n  second:\n{call}two\n", CALLED: called})
    job = found(here, "single / somebody")
    assert not isinstance(job, Refusal)
    assert (job.id, job.path) == ("e2e", CALLED)
    assert (job.inputs["image"].text, job.inputs["runner"].text) == ("a", None)


def test_different_jobs_stay_several() -> None:
    jobs = "".join(f"  {name}:\n    name: ${{{{ github.actor }}}} - latest\n{STEPS}" for name in ("a", "b"))
    assert isinstance(found(tree({CI: f"on: push\njobs:\n{jobs}"}), "somebody - latest"), Refusal)


def test_an_empty_value_of_the_matrix_may_be_shown_or_not() -> None:
    matrix = "    strategy:\n      matrix:\n        include:\n          - {name: CPU, spec: torch==2.2.2, arch: ''}\n"
    text = f"on: push\njobs:\n  test:\n{matrix}    uses: pytorch/test-infra/.github/workflows/linux_job.yml@main\n    with:\n      script: |\n        pytest\n"
    for shown in ("test (CPU, torch==2.2.2) / linux-job", "test (CPU, torch==2.2.2, ) / linux-job"):
        job = found(tree({CI: text}), shown)
        assert not isinstance(job, Refusal), job
        assert job.id == "test"


@pytest.mark.parametrize("body", ["", " 5", " [a]", " null"])
def test_a_job_that_is_none_is_not_said_to_be_missing_and_there_at_once(body: str) -> None:
    there = tree({".github/workflows/a.yml": f"on: push\njobs:\n  train:{body}\n"})
    workflow = load_workflow(there, ".github/workflows/a.yml")
    assert not isinstance(workflow, Refusal)
    found = find_job(there, workflow, "train")
    assert isinstance(found, Refusal)
    assert found.reason == "the job `train` holds nothing that runs"


FORMATTED = """\
on: push
jobs:
  unit:
    name: ${{ inputs.name }}
    strategy: {matrix: {part: [0, 1]}}
    runs-on: gpu-8
    steps: [{run: pytest unit}]
  large:
    name: ${{ format('large-amd (linux-{0}-8gpu, {1})', inputs.arch || 'mi300', matrix.part) }}
    strategy: {matrix: {part: [0, 1]}}
    runs-on: gpu-8
    steps: [{run: pytest large}]
"""


@pytest.mark.parametrize("name", ["large-amd (linux-mi325-8gpu, 1)", "large (mi300, 1)"])
def test_what_format_leaves_known_of_a_name_tells_it_from_names_that_are_unknown_as_a_whole(name: str) -> None:
    job = found(tree({CI: FORMATTED}), name)
    assert not isinstance(job, Refusal), job
    assert job.id == "large"


def test_a_name_that_nothing_is_known_of_fits_what_no_other_does() -> None:
    job = found(tree({CI: FORMATTED}), "Anything")
    assert not isinstance(job, Refusal), job
    assert job.id == "unit"
