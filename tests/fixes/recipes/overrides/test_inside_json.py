"""Knobs inside of JSON that a command hands over, and in a file whose name only the log shows."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue

JOB = ".github/workflows/own.yml"
LESS = EffectiveValue(knob="memory", add="-0.1", at_least="0.3")
HEAD = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n"


def scripted(text: str) -> MemoryTree:
    return tree({JOB: f"{HEAD}        run: bash runs/own.sh\n", "runs/own.sh": text})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            'ENGINE=\'{"engine.memory": 0.8, "batched": true}\'\nuv run -m serve.api --engine "$ENGINE"\n',
            'ENGINE=\'{"engine.memory": 0.7, "batched": true}\'',
        ),
        (
            'python serve.py --extra \'{"rollout": {"memory": 0.9}}\' &\n',
            'python serve.py --extra \'{"rollout": {"memory": 0.8}}\' &',
        ),
        (
            'exec server --config="{}" --overrides \'{"gpu_memory_utilization": "0.95"}\'\n',
            'exec server --config="{}" --overrides \'{"gpu_memory_utilization": "0.85"}\'',
        ),
    ],
)
def test_the_number_changes_where_the_json_is_written(text: str, line: str) -> None:
    made = patch(LESS, "train", JOB, step="Train", repository=scripted(text))
    assert made.state is PatchState.PATCH, made.reason
    assert f"+{line}" in changed(made)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('SHARE=0.8\nserve --engine "{\\"memory\\": $SHARE}"\n', ""),  # the number is a variable's own
        ("serve --a '{\"memory\": 0.8}' --b '{\"memory\": 0.7}'\n", "several arguments"),
        ("serve --a '{\"memory\": 0.3}'\n", "already"),
        ("serve --a '{\"memory_of_host\": 0.8}'\n", "no command"),
        ("echo 'memory: 0.8'\n", "no command"),
    ],
)
def test_what_is_not_one_number_of_one_argument_stays(text: str, why: str) -> None:
    made = draft(LESS, "train", JOB, step="Train", repository=scripted(text))
    if why:
        assert made.state is not PatchState.PATCH
        assert why in made.reason
    elif made.state is PatchState.PATCH:
        assert made.edits[0].new == b"0.7"


OWN = 'cases:\n  - model: a\n    server_cmd:\n      - --gpu-memory-utilization\n      - "0.9"\n'


@pytest.mark.parametrize(
    ("run", "named", "edited"),
    [
        ("pytest -sv tests/test_case.py", "own.yaml", True),
        ("python -m torch.distributed.run tests/run_case.py", "cases/own.yaml", True),
        ("echo started", "own.yaml", False),
        ("pytest -sv tests/test_case.py", "missing.yaml", False),
    ],
)
def test_a_file_that_an_input_names_is_known_from_the_log(run: str, named: str, edited: bool) -> None:
    step = f"        env:\n          CASE: ${{{{ inputs.case }}}}\n        run: {run}\n"
    held = tree({JOB: HEAD.replace("[push]", "[workflow_call]") + step, "tests/cases/own.yaml": OWN})
    less = EffectiveValue(flag="--gpu-memory-utilization", add="-0.1")
    made = draft(less, "train", JOB, step="Train", repository=held, facts=Facts(settings={"CASE": named}))
    assert (made.state is PatchState.PATCH) is edited, made.reason
