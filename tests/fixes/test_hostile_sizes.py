"""Trees and logs that are made to be worked on for ever, or to lead to another job."""

from __future__ import annotations

import cProfile

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.evaluate.job import ACTIONS_MOST
from triage.fixes.manifests.dockerfile import MOST, instructions
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.headers import Told, told_by_headers
from triage.model.diagnosis import Announced
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

OWN = ".github/workflows/own.yml"
CALLING = """
    on: push
    jobs:
      train:
        runs-on: x
        steps:
          - name: Install
            run: pip install x
          - uses: ./.github/actions/c0
"""
TWO = {
    ".github/workflows/a.yml": "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - run: bash run.sh\n",
    ".github/workflows/b.yml": "on: push\njobs:\n  lint:\n    runs-on: x\n    steps:\n      - run: ruff check\n",
}


def calling_each_other(depth: int, width: int) -> MemoryTree:
    step = "    - uses: ./.github/actions/c{}\n"
    head = "runs:\n  using: composite\n  steps:\n"
    files = {f".github/actions/c{at}/action.yml": head + step.format(at + 1) * width for at in range(depth)}
    return tree({OWN: CALLING, **files})


def test_actions_that_use_each_other_many_times_are_followed_so_far() -> None:
    made = draft(PipPin("numpy", "<2"), "train", OWN, repository=calling_each_other(12, 8))
    assert made.state is PatchState.PATCH, made.reason
    assert any(f"more than {ACTIONS_MOST} actions" in note for note in made.notes)


def test_steps_of_such_actions_are_looked_through_so_far() -> None:
    made = told_by_headers(calling_each_other(4, 300), (Announced("Run make", ("make",)),))
    assert isinstance(made, Refusal)


def test_a_log_of_another_job_than_the_one_named_leads_nowhere() -> None:
    steps = (Announced("Run ruff check", ("ruff check",)),)
    refused = told_by_headers(tree(TWO), steps, "gpu")
    assert isinstance(refused, Refusal)
    assert "not those of gpu" in refused.reason
    for name in ("", "lint", "lint (3.11)", "no job of the tree"):
        assert told_by_headers(tree(TWO), steps, name) == Told(".github/workflows/b.yml", "lint")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"FROM a:1\n" + b"RUN make\n" * MOST, "instructions"),
        (b"FROM a:1\n" + b"# \n" * 100_000, "larger"),
        (b"# escape=`\nFROM a:1\n", "backquotes"),
        (b"# syntax=docker/dockerfile:1\n# escape=`\nFROM a:1\n", "backquotes"),
        (b"\xef\xbb\xbf# escape=`\nFROM a:1\n", "backquotes"),
    ],
)
def test_dockerfiles_that_are_not_read(data: bytes, reason: str) -> None:
    found = instructions(data)
    assert isinstance(found, Refusal)
    assert reason in found.reason


def test_a_bound_inside_of_double_quotes_of_yaml_is_written_for_them() -> None:
    text = 'on: push\njobs:\n  train:\n    runs-on: x\n    steps:\n      - run: "pip install numpy"\n'
    made = patch(PipPin("numpy", "<2"), "train", OWN, repository=tree({OWN: text}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == '+- run: "pip install \\"numpy<2\\""'


@pytest.mark.parametrize("bound", ["<٢", ">=1.０", "<" + "9" * 40 + "x"])
def test_look_alike_digits_are_no_bounds(bound: str) -> None:
    there = tree({OWN: CALLING})
    made = draft(PipPin("numpy", "{bounds}"), "train", OWN, captures={"bounds": bound}, repository=there)
    assert made.state is PatchState.REFUSED


def test_the_work_on_a_long_script_grows_with_its_length() -> None:
    """Calls into Python per line, which no busy machine changes: twice the lines are about twice the work."""

    def calls(lines: int) -> int:
        script = "".join(f"          pip install name{at}==1.{at}\n" for at in range(lines))
        made = tree({OWN: f"on: push\njobs:\n  train:\n    runs-on: x\n    steps:\n      - run: |\n{script}"})
        with cProfile.Profile() as profile:
            draft(PipPin("name7", "<2"), "train", OWN, repository=made)
        return sum(one.callcount for one in profile.getstats())

    assert calls(600) < 2.5 * calls(300)


def test_lines_that_each_enter_a_container_cost_as_many_times_what_one_does() -> None:
    """A search of all commands for each of them would make twice as many lines four times the work."""
    counts = []
    for lines in (60, 120):
        script = "pip install numpy\n" + "".join(f"docker exec c bash -c 'pip install x{at}'\n" for at in range(lines))
        run = "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - run: bash s.sh\n"
        profile = cProfile.Profile()
        with profile:
            made = patch(PipPin("numpy", "<2"), "gpu", OWN, repository=tree({OWN: run, "s.sh": script}))
        assert made.state is PatchState.PATCH, made.reason
        entries = profile.getstats()
        counts.append(sum(one.callcount for one in entries if "systems.py" in str(one.code)))
    assert counts[1] < 2.6 * counts[0]
