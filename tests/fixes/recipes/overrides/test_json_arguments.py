"""Arguments that are JSON inside of shell text."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import RepairJson

OWN = ".github/workflows/own.yml"
RECIPE = RepairJson("{line}", "{column}")


def repository(script: str, step: str = "        run: bash tests/run.sh\n") -> MemoryTree:
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n"
    return tree({OWN: head + step, "tests/run.sh": script, "train.py": ""})


def said(line: int, column: int) -> dict[str, str]:
    return {"line": str(line), "column": str(column)}


SUBMIT = 'ray job submit --runtime-env-json=\'{\n  "env_vars": {\n    "A": "1",\n  }\n}\' -- python3 train.py\n'


@pytest.mark.parametrize(
    ("script", "place", "expected"),
    [
        (SUBMIT, said(4, 3), '+"A": "1"'),
        (SUBMIT, said(3, 13), '+"A": "1"'),  # Python 3.13 stops at the comma
        ("python3 train.py --config-json '{a: 1}'\n", said(1, 2), "+python3 train.py --config-json '{\"a\": 1}'"),
        (
            "srun bash -c \"pip install x && ray job submit --runtime-env-json='{dir: /work}' -- python3 train.py\"\n",
            said(1, 2),
            '+srun bash -c "pip install x && ray job submit --runtime-env-json=\'{\\"dir\\": \\"/work\\"}\' -- python3 train.py"',
        ),
        (
            "vllm serve m --speculative-config \"{'tokens': 3}\"\n",
            said(1, 2),
            '+vllm serve m --speculative-config "{\\"tokens\\": 3}"',
        ),
        (
            'ENV_JSON="{\\"a\\": \\"$HOME\\",}"\npython3 train.py --env-json "$ENV_JSON"\n',
            said(1, 24),
            '+ENV_JSON="{\\"a\\": \\"$HOME\\"}"',
        ),
    ],
)
def test_the_argument_at_which_reading_stops_becomes_json(script: str, place: dict[str, str], expected: str) -> None:
    made = patch(RECIPE, "train", OWN, step="Train", captures=place, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [expected]


def test_in_a_run_block_too() -> None:
    step = "        run: |\n          python3 train.py \\\n            --args-json '{\"a\": 1,}'\n"
    made = patch(RECIPE, "train", OWN, step="Train", captures=said(1, 9), repository=repository("", step))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+--args-json '{\"a\": 1}'"


@pytest.mark.parametrize(
    ("script", "place", "reason"),
    [
        (SUBMIT, said(2, 3), "0 arguments of train stop being JSON at line 2"),
        ("python3 train.py --a '{a: 1}' --b '{b: 1}'\n", said(1, 2), "2 arguments of train stop being JSON"),
        ("python3 train.py --a '{\"a\": 1}'\n", said(1, 2), "every JSON argument of train can be read"),
        ("python3 train.py --a '{\"a\": b c}'\n", said(1, 7), "cannot be read"),
        ("echo '{a: 1}' > out\n", said(1, 2), "0 arguments of train"),
        ("python3 train.py # --a '{a: 1}'\n", said(1, 2), "0 arguments of train"),
    ],
)
def test_without_one_such_argument_nothing_is_edited(script: str, place: dict[str, str], reason: str) -> None:
    made = draft(RECIPE, "train", OWN, step="Train", captures=place, repository=repository(script))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


TORN = 'ENV_JSON="{\n  \\"env_vars\\": {\n    \\"A\\": \\"${A}\\"\n    \\"B\\": \\"1\\"\n  }\n}"\nray job submit --runtime-env-json="${ENV_JSON}"\n'


@pytest.mark.parametrize(
    ("others", "expected"), [({}, [b","]), ({"tests/other.sh": TORN}, []), ({"tests/other.sh": SUBMIT}, [b","])]
)
def test_where_no_job_is_known_the_one_script_is_mended(others: dict[str, str], expected: list[bytes]) -> None:
    held = tree({"tests/run.sh": TORN, **others})
    made = draft(RECIPE, "", "", captures=said(4, 5), repository=held)
    assert [edit.new for edit in made.edits] == expected, made.reason


def test_of_two_torn_scripts_the_one_that_starts_what_ran_is_meant() -> None:
    held = tree({"tests/run.sh": TORN, "tests/other.sh": TORN + "python3 train_async.py\n"})
    ran = "ray job submit --runtime-env-json='{ ... }' -- python3 train_async.py"
    made = draft(RECIPE, "", "", captures=said(4, 5), repository=held, facts=Facts(commands=(ran,)))
    assert [edit.path for edit in made.edits] == ["tests/other.sh"], made.reason
