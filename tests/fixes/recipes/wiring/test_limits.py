"""Whether the stamps of the log say that the job's own limit ended it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.fixes import Target, prescribe
from triage.fixes.recipes.situation import open_situation
from triage.fixes.recipes.wiring.limits import limit_reached
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Cause, Facts
from triage.model.log import Confidence, Line
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, SetKey
from triage.model.signature import Tables
from triage.sources.catalogue import load

PATH = ".github/workflows/own.yml"


@pytest.mark.parametrize(
    ("limit", "minutes", "reached"),
    [
        ("timeout-minutes: 20", 20.2, True),
        ("timeout-minutes: 20", 19.7, True),
        ("timeout-minutes: 20", 17.0, False),  # a person, or a newer push
        ("timeout-minutes: 20", 31.0, False),
        ("timeout-minutes: 20", 0.0, False),  # no stamps
        ("timeout-minutes: ${{ vars.LIMIT }}", 20.2, False),
        ("name: test", 360.1, False),  # GitHub's own limit stands in no file
    ],
)
def test_a_job_that_ends_when_its_time_is_over_reached_its_limit(limit: str, minutes: float, reached: bool) -> None:
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    {limit}\n    steps:\n      - run: pytest\n"
    here = open_situation(tree({PATH: text}), Target(PATH, "test"), Facts(minutes=minutes), Tables(), {})
    assert not isinstance(here, Refusal)
    assert limit_reached(here) is reached


@pytest.mark.parametrize(("minutes", "raised"), [(20.2, True), (12.0, False), (0.0, False)])
def test_only_a_limit_that_was_reached_is_raised(minutes: float, raised: bool) -> None:
    signature = load(cache=False).signatures["operation-canceled"]
    text = "on: push\njobs:\n  test:\n    runs-on: gpu\n    timeout-minutes: 20\n    steps:\n      - run: pytest\n"
    cause = Cause.of(signature, Line(9, "##[error]The operation was canceled."), "", Confidence.LOW)
    files = tree({PATH: text})
    drafts = prescribe(cause, signature, Facts(minutes=minutes), Target(PATH, "test"), files, files, Tables())
    assert [draft.state for draft in drafts if draft.recipe == "timeout"] == [PatchState.PATCH] * raised


OVER = "time-limit-exceeded"


def fixed(job: str, *signs: str) -> dict[str, PatchState]:
    """State by recipe of the ladder for a job that ran into a limit."""
    signature = load(cache=False).signatures[OVER]
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n{job}    steps:\n      - run: pytest\n"
    captures = {"limit": "6h0m0s"}
    cause = Cause.of(signature, Line(9, "maximum execution time of 6h0m0s"), "", Confidence.LOW, captures)
    files = tree({PATH: text})
    facts = Facts(signs=signs)
    return {
        one.recipe: one.state
        for one in prescribe(cause, signature, facts, Target(PATH, "test"), files, files, Tables())
    }


def test_a_job_that_hung_gets_a_limit_where_it_has_none_and_no_longer_one() -> None:
    assert fixed("", "silent")["set_key"] is PatchState.PATCH
    limited = fixed("    timeout-minutes: 60\n", "silent")
    assert limited["set_key"] is PatchState.REFUSED
    assert limited["advise"] is PatchState.ADVICE
    assert "timeout" not in limited
    assert fixed("    timeout-minutes: 60\n")["timeout"] is PatchState.PATCH


@pytest.mark.parametrize(
    ("beside", "expected"), [("", "timeout-minutes: 120"), ("    timeout-minutes: 45\n", "timeout-minutes: 45")]
)
def test_a_limit_is_what_most_siblings_have_else_what_the_fix_says(beside: str, expected: str) -> None:
    jobs = "".join(f"  {name}:\n    runs-on: gpu\n{more}    steps:\n      - run: pytest\n" for name, more in
                   (("test", ""), ("other", beside)))  # fmt: skip
    recipe = SetKey("timeout-minutes", to="120", copy_from_sibling=True, only_missing=True)
    made = patch(recipe, "test", PATH, repository=tree({PATH: f"on: push\njobs:\n{jobs}"}))
    assert changed(made) == [f"+{expected}"], made.reason


@pytest.mark.parametrize(("others", "expected"), [('"100"', '"3600"'), ("100", "3600")])
def test_a_variable_of_the_case_that_the_log_names_is_scaled_where_its_harness_reads_it(
    others: str, expected: str
) -> None:
    text = """on:
  workflow_dispatch:
    inputs:
      case: {type: string}
jobs:
  test:
    runs-on: gpu
    env:
      MAX_JOBS: 1800
    steps:
      - name: Test
        env:
          CASE: ${{ inputs.case }}
        run: pytest tests/test_case.py
"""
    files = tree({PATH: text, "cases/large.yaml": f"envs:\n  THREADS: {others}\nmodel: small\n"})
    facts = Facts(settings={"CASE": "large.yaml"})
    recipe = EffectiveValue(knob="jobs", factor="2", level="program")
    made = patch(recipe, "test", PATH, step="Test", repository=files, facts=facts)
    assert (made.state, made.files) == (PatchState.PATCH, ("cases/large.yaml",)), made.reason
    assert changed(made) == [f"+MAX_JOBS: {expected}"]


@pytest.mark.parametrize(("seconds", "expected"), [("30", "300"), ("300", "")])
def test_what_a_variable_is_by_itself_is_not_set_once_more(seconds: str, expected: str) -> None:
    """A program that waits 300 s without being told gains nothing from being told 300 s; the next rung doubles it."""
    files = tree(
        {PATH: "on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - name: Test\n        run: make test\n"}
    )
    recipe = EffectiveValue(knob="jobs", to="300", at_least="300", default="{seconds}")
    made = patch(recipe, "test", PATH, step="Test", repository=files, captures={"seconds": seconds})
    assert (made.state is PatchState.PATCH) is bool(expected), made.reason
    twice = replace(recipe, to="", at_least="", factor="2", at_most="1200")
    made = patch(twice, "test", PATH, step="Test", repository=files, captures={"seconds": "300"})
    assert '+MAX_JOBS: "600"' in changed(made), made.reason


@pytest.mark.parametrize(
    ("limit", "captures", "raised"),
    [
        ("1", {"short": "60000"}, True),
        ("1", {}, False),  # the log shows the framework's own limit, or none: another process group gave up
        ("30", {"short": "60000"}, False),
    ],
)
def test_only_a_limit_of_collectives_below_the_frameworks_own_is_raised(
    limit: str, captures: dict[str, str], raised: bool
) -> None:
    known = load(cache=False)
    signature = known.signatures["nccl-watchdog-timeout"]
    run = "torchrun --nproc-per-node=8 finetune.py --config recipes/sft.yaml"
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - name: Test\n        run: {run}\n"
    files = tree({PATH: text, "finetune.py": "", "recipes/sft.yaml": f"dist_env:\n  timeout_minutes: {limit}\n"})
    cause = Cause.of(signature, Line(9, "Watchdog caught"), "Test", Confidence.HIGH, captures)
    drafts = prescribe(cause, signature, Facts(), Target(PATH, "test", "Test"), files, files, known.tables)
    assert (drafts[0].state is PatchState.PATCH) is raised, drafts[0].reason


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        # An expression at the end that comes to nothing leaves a blank that the log does not keep.
        ("bash run.sh --part 1 ${{ inputs.more }}", "Run bash run.sh --part 1"),
        ("A=${{ inputs.a }} B=1 bash run.sh", "Run A=false B=1 bash run.sh"),
        ('A="${{ inputs.a }}" make -C tests ${{ inputs.more }}', 'Run A="" make -C tests'),
        # Of a step that the log's lines do not lead to, the limit's own message has the name.
        ("${{ inputs.command }}", "Run pytest -x"),
    ],
)
def test_the_step_is_found_behind_its_expressions(written: str, shown: str) -> None:
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - run: echo\n      - name: Long\n        run: |\n          {written}\n          true\n"
    captures = {"step": "Long"} if shown == "Run pytest -x" else {}
    here = open_situation(tree({PATH: text}), Target(PATH, "test", shown), Facts(), Tables(), captures)
    assert not isinstance(here, Refusal)
    assert here.step is not None
    assert here.step.name == "Long"
