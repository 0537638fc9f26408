"""Steps that read nothing in which two cells differ are evaluated once, and nothing shows that they were."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.evaluate import job as evaluation
from triage.fixes.evaluate.cells import Shared
from triage.fixes.evaluate.invocation import Evaluation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Job, Step, Workflow
from triage.fixes.workflow.names import find_job

PATH = ".github/workflows/ci.yml"
HEAD = """on: push
jobs:
  test:
    name: test (${{ matrix.part }}, ${{ matrix.size }})
    runs-on: ubuntu-latest
    strategy:
      matrix:
        part: [0, 1, 2]
        size: [small, large]
"""
STEPS = {
    "nothing of the cell": "      - run: bash prepare.sh\n",
    "its own script": "      - run: python -m train part=${{ matrix.part }}\n",
    "its environment": "      - run: python -m train $SIZE\n        env:\n          SIZE: ${{ matrix.size }}\n",
    "its condition": "      - if: matrix.size == 'large'\n        run: python -m big\n",
    "its name": "      - name: Part ${{matrix.part}}\n        run: python -m named\n",
    "what an earlier step exports": '      - run: echo "PART=${{ matrix.part }}" >> $GITHUB_ENV\n      - run: python -m later $PART\n',
    "every key": "      - run: echo '${{ toJSON(matrix) }}' && python -m whole ${{ matrix['part'] }}\n",
    "a program of the tree": "      - uses: ./tools/run\n        with:\n          size: ${{ matrix.size }}\n",
}
ACTION = """inputs:
  size:
    required: true
runs:
  using: composite
  steps:
    - run: python -m action ${{ inputs.size }}
      shell: bash
"""
FILES = {
    "prepare.sh": 'for name in a b; do\n  if [ -n "$CI_FAST" ]; then pip install "$name"; else pip install -U "$name"; fi\ndone\n',
    "tools/run/action.yml": ACTION,
}


def evaluated(text: str) -> Evaluation:
    there = tree({PATH: text, **FILES})
    workflow = load_workflow(there, PATH)
    assert isinstance(workflow, Workflow)
    job = find_job(there, workflow, "test")
    assert isinstance(job, Job)
    return evaluate_job(there, job)


def alone(text: str) -> Evaluation:
    """The same with nothing shared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shared, "__bool__", lambda _: False)
        return evaluated(text)


@pytest.mark.parametrize("head", [HEAD, HEAD + "    env:\n      SIZE: ${{ matrix.size }}\n"])
@pytest.mark.parametrize("reads", STEPS)
def test_a_job_comes_to_the_same_whether_or_not_its_cells_share_steps(head: str, reads: str) -> None:
    text = head + "    steps:\n" + STEPS["nothing of the cell"] + STEPS[reads] + STEPS["nothing of the cell"]
    found = evaluated(text)
    assert found == alone(text)
    assert len({one.combination for one in found.invocations}) == 6
    assert all(one.combination for one in found.invocations)


def test_all_steps_together() -> None:
    text = HEAD + "    steps:\n" + "".join(STEPS.values())
    assert evaluated(text) == alone(text)


@pytest.mark.parametrize(
    ("steps", "times"),
    [
        (STEPS["nothing of the cell"], 1),
        (STEPS["nothing of the cell"] + STEPS["its own script"], 1 + 3),
        (STEPS["its environment"] + STEPS["nothing of the cell"], 2 + 2),
        (STEPS["every key"] + STEPS["nothing of the cell"], 6 + 6),
    ],
)
def test_a_step_is_evaluated_once_for_all_cells_that_agree_so_far(
    monkeypatch: pytest.MonkeyPatch, steps: str, times: int
) -> None:
    entered: list[int] = []
    whole = evaluation._JobRun._step

    def counted(run: evaluation._JobRun, step: Step, *rest: object) -> None:
        entered.append(step.index)
        whole(run, step, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluation._JobRun, "_step", counted)
    evaluated(HEAD + "    steps:\n" + steps)
    assert len(entered) == times


def test_what_stands_elsewhere_is_evaluated_for_every_cell() -> None:
    text = (
        HEAD
        + "    env: &own\n      SIZE: ${{ matrix.size }}\n    steps:\n      - run: python -m train $SIZE\n        env: *own\n"
    )
    assert evaluated(text) == alone(text)


@pytest.mark.parametrize("name", ["m", "matrix", "si"])
def test_the_name_of_a_job_hides_nothing_that_the_job_reads(name: str) -> None:
    text = HEAD.replace("test (${{ matrix.part }}, ${{ matrix.size }})", name)
    text += "    env:\n      SIZE: ${{ matrix.size }}\n    steps:\n      - run: python -m train $SIZE\n"
    assert evaluated(text) == alone(text)
