"""Jobs without a runner, jobs whose body stands beside them, and contexts that a condition does not know."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

OWN = ".github/workflows/own.yml"
INVALID = RepairWorkflow(file="{file}")


def made(text: str):  # type: ignore[no-untyped-def]
    return patch(INVALID, "", "", repository=tree({OWN: text}), captures={"file": OWN})


def jobs(text: str) -> str:
    return f"on: [push]\njobs:\n  prepare:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n{text}"


TRAIN = "  train:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: make train\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    name: Report\n    needs: train\n    steps:\n      - run: make report\n", ["+runs-on: ubuntu-latest"]),
        ("    needs: [train]\n    steps:\n      - uses: actions/stale@v9\n", ["+runs-on: ubuntu-latest"]),
        # It needs a machine that nothing names.
        ("    steps:\n      - run: torchrun train.py\n", []),
        ("    steps:\n      - run: pytest -m gpu\n", []),
    ],
)
def test_a_job_that_needs_no_machine_of_its_own_gets_that_of_github(body: str, expected: list[str]) -> None:
    proved = made(jobs(f"{TRAIN}  report:\n{body}"))
    assert (proved.state is PatchState.PATCH) == bool(expected), proved.reason
    assert changed(proved) == expected


def test_two_machines_of_github_are_one_too_many() -> None:
    other = "  old:\n    runs-on: ubuntu-20.04\n    steps:\n      - run: make\n"
    assert made(jobs(f"{other}  report:\n    steps:\n      - run: make\n")).state is not PatchState.PATCH


@pytest.mark.parametrize(
    "body",
    [
        "  docs:\n  runs-on: ubuntu-latest\n  steps:\n    - run: |\n        make docs\n        git push\n",
        "  docs:\n  name: Docs\n  needs: prepare\n  # later\n  runs-on: x\n\n  steps:\n    - uses: actions/checkout@v4\n",
        "  docs:\n  uses: ./.github/workflows/docs.yml\n  with:\n    a: b\n",
    ],
)
def test_what_stands_beside_a_job_that_is_empty_belongs_to_it(body: str) -> None:
    files = {OWN: jobs(f"{body}  last:\n    runs-on: y\n    steps:\n      - run: make\n")}
    files[".github/workflows/docs.yml"] = (
        "on:\n  workflow_call:\n    inputs:\n      a:\n        type: string\njobs:\n"
        "  d:\n    runs-on: x\n    steps:\n      - run: make\n"
    )
    proved = patch(INVALID, "", "", repository=tree(files), captures={"file": OWN})
    assert proved.state is PatchState.PATCH, proved.reason
    lines = [line for line in body.splitlines()[1:] if line.strip()]
    assert [line for line in proved.diff.splitlines() if line.startswith("+  ")] == [f"+  {line}" for line in lines]


def test_an_empty_job_before_a_job_of_a_key_s_name_is_left() -> None:
    text = jobs("  docs:\n  env:\n    runs-on: x\n    steps:\n      - run: make\n")
    assert made(text).state is not PatchState.PATCH


STEP = "  publish:\n    runs-on: x\n{env}    steps:\n      - run: make\n      - {key}if: {condition}\n        run: make push\n"


@pytest.mark.parametrize(
    ("env", "condition", "expected"),
    [
        ("", "secrets.TOKEN != ''", ["+env:", '+TOKEN: ${{ secrets.TOKEN }}', "-- if: secrets.TOKEN != ''", "+- if: env.TOKEN != ''"]),
        (
            "    env:\n      A: 1\n",
            "${{ github.ref == 'refs/heads/main' && secrets.USER && secrets.KEY }}",
            [
                '+USER: ${{ secrets.USER }}',
                '+KEY: ${{ secrets.KEY }}',
                "-- if: ${{ github.ref == 'refs/heads/main' && secrets.USER && secrets.KEY }}",
                "+- if: ${{ github.ref == 'refs/heads/main' && env.USER && env.KEY }}",
            ],
        ),
        (
            "    env:\n      TOKEN: ${{secrets.TOKEN}}\n",
            "secrets.TOKEN",
            ["-- if: secrets.TOKEN", "+- if: env.TOKEN"],
        ),
        ("    env:\n      TOKEN: other\n", "secrets.TOKEN", []),
    ],
)  # fmt: skip
def test_a_condition_asks_the_environment_for_a_secret(env: str, condition: str, expected: list[str]) -> None:
    proved = made(jobs(STEP.format(env=env, condition=condition, key="")))
    assert (proved.state is PatchState.PATCH) == bool(expected), proved.reason
    assert changed(proved) == expected


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("matrix.python != '3.13'", "`matrix` is not known in the `if` of the job `unit`"),
        ("${{ env.FULL }} == 'true'", "`env` is not known in the `if` of the job `unit`"),
    ],
)
def test_what_a_job_does_not_know_is_said_with_its_line(condition: str, words: str) -> None:
    text = jobs(f"  unit:\n    if: {condition}\n    runs-on: x\n    steps:\n      - run: make\n")
    found = draft(INVALID, "", "", repository=tree({OWN: text}), captures={"file": OWN})
    assert words in found.reason
    assert f"{OWN}:8:" in found.reason


def test_a_form_inside_of_format_is_named() -> None:
    value = "${{ format('{0:yyyyMMdd}', github.event.repository.pushed_at) }}"
    text = jobs(f"  unit:\n    runs-on: x\n    steps:\n      - run: make\n        env:\n          DAY: {value}\n")
    found = draft(INVALID, "", "", repository=tree({OWN: text}), captures={"file": OWN})
    assert "{0:yyyyMMdd}" in found.reason
