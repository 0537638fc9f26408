"""Whether a log can come from the job that is worked on."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from triage.fixes.target import Target
from triage.fixes.whereabouts.contradiction import Doubt, doubt
from triage.model.trail import Announced

OWN = ".github/workflows/own.yml"
STEPS = """
      - name: Install
        run: pip install -e .
      - name: Test
        run: |
          ray stop --force
          pytest tests/${{ matrix.part }}
"""
OTHER = (Announced("Run make all", ("make all",)), Announced("Run make check", ("make check",)))


def repository(steps: str = STEPS, **files: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - uses: actions/checkout@v4{steps}"
    return tree({OWN: job, **files})


def said(shown: tuple[Announced, ...], there: MemoryTree | None = None) -> str:
    return doubt(there or repository(), Target(OWN, "unit"), shown).against


def test_a_log_of_none_of_the_job_s_steps_is_of_another_job() -> None:
    assert "none of the 2 scripts that the log shows is a step of unit at this commit" in said(OTHER)


@pytest.mark.parametrize(
    "shown",
    [
        (*OTHER, Announced("Run pip install -e .", ("pip install -e .",))),
        (*OTHER, Announced("Run ray stop --force", ("ray stop --force", "pytest tests/models"))),
        OTHER[:1],
        (),
        (Announced("Run actions/checkout@v4"), Announced("Run example/setup@v1")),
    ],
)
def test_one_step_that_is_the_job_s_is_enough_and_one_that_is_not_says_nothing(shown: tuple[Announced, ...]) -> None:
    assert said(shown) == ""


def test_steps_of_other_repositories_say_nothing() -> None:
    assert said(OTHER, repository(f"{STEPS}      - uses: example/build@v1\n")) == ""
    called = tree({OWN: "on: [push]\njobs:\n  unit:\n    uses: example/train/.github/workflows/unit.yml@main\n"})
    assert said(OTHER, called) == ""


def test_the_repository_s_own_actions_are_looked_into() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - run: make all\n      shell: bash\n"
    there = repository(f"{STEPS}      - uses: ./.github/actions/make\n", **{".github/actions/make/action.yml": action})
    assert said(OTHER, there) == ""


def test_a_job_that_is_not_found_says_nothing_here() -> None:
    assert doubt(repository(), Target(OWN, "gone"), OTHER) == Doubt()
    assert doubt(repository(), Target("", "unit"), OTHER) == Doubt()


def test_the_failed_step_alone_may_be_lost() -> None:
    install = Announced("Run pip install -e .", ("pip install -e .",))
    found = doubt(repository(), Target(OWN, "unit", OTHER[1].title), (install, *OTHER))
    assert found == Doubt("", "the step that failed (`Run make check`) is none of unit at this commit")
    assert doubt(repository(), Target(OWN, "unit", install.title), (*OTHER, install)) == Doubt()
    gone = doubt(repository(), Target(OWN, "unit", OTHER[1].title), OTHER)
    assert gone.lost == gone.against != ""
