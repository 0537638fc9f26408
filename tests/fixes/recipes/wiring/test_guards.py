"""Guards against forks, copied from siblings and joined to what a job already asks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import CopyGuard

IMAGE, UNIT = ".github/workflows/image.yml", ".github/workflows/unit.yml"
FORK = Facts(repository="someone/train")
OWNER = "github.repository_owner == 'example'"
HEAD = "github.event.pull_request.head.repo.full_name == github.repository"


def repository(condition: str, *siblings: str, readme: str = "") -> MemoryTree:
    own = f"\n                if: {condition}" if condition else ""
    jobs = "".join(
        f"""
              job{at}:
                if: {one}
                runs-on: ubuntu-latest
                steps:
                  - uses: docker/login-action@v3"""
        for at, one in enumerate(siblings)
    )
    files = {
        IMAGE: f"""
            on: [push]
            jobs:
              build:{own}
                runs-on: ubuntu-latest
                steps:
                  - name: Log in
                    uses: docker/login-action@v3
              clean:
                needs: [build]
                if: always()
                runs-on: ubuntu-latest
                steps:
                  - run: rm -rf out
        """,
        UNIT: f"""
            on: [push]
            jobs:{jobs}
        """,
    }
    return tree(files | ({"README.md": readme} if readme else {}))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", [f"+if: {OWNER}"]),
        ("github.ref == 'refs/heads/main'", [f"+if: github.ref == 'refs/heads/main' && {OWNER}"]),
        ("${{ github.event_name == 'push' }}", [f"+if: ${{{{ github.event_name == 'push' && {OWNER} }}}}"]),
        ("${{ inputs.a || inputs.b }}", [f"+if: ${{{{ (inputs.a || inputs.b) && {OWNER} }}}}"]),
        ("inputs.a || inputs.b", [f"+if: (inputs.a || inputs.b) && {OWNER}"]),
        ("(inputs.a || inputs.b) && inputs.c", [f"+if: (inputs.a || inputs.b) && inputs.c && {OWNER}"]),
        ("contains(inputs.a, '||')", [f"+if: contains(inputs.a, '||') && {OWNER}"]),
        ('"inputs.a"', [f'+if: "inputs.a && {OWNER}"']),
    ],
)
def test_the_guard_joins_whatever_stands_there(condition: str, expected: list[str]) -> None:
    made = patch(CopyGuard(), "build", IMAGE, facts=FORK, repository=repository(condition, OWNER, OWNER))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected
    assert any("`clean` needs build and still runs" in note for note in made.notes)


@pytest.mark.parametrize(
    ("facts", "siblings", "expected"),
    [
        (FORK, (OWNER, OWNER, HEAD), OWNER),
        (FORK, (f"inputs.a && {OWNER}",), OWNER),
        (FORK, ("github.repository == 'example/train'",), "github.repository == 'example/train'"),
        (Facts(repository="example/train", secret_source="None"), (OWNER, OWNER, HEAD), HEAD),
        (
            Facts(secret_source="None"),
            (f"github.event_name != 'pull_request' || {HEAD}",),
            f"github.event_name != 'pull_request' || {HEAD}",
        ),
        (Facts(secret_source="None"), (OWNER, "${{ !github.event.pull_request.head.repo.fork }}"), None),
    ],
)
def test_the_guard_is_one_that_is_false_in_the_run(
    facts: Facts, siblings: tuple[str, ...], expected: str | None
) -> None:
    made = patch(CopyGuard(), "build", IMAGE, facts=facts, repository=repository("", *siblings))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+if: {expected or '${{ !github.event.pull_request.head.repo.fork }}'}"]


@pytest.mark.parametrize(
    ("facts", "siblings", "reason"),
    [
        # The run was the repository's own: the secret is missing there, and a guard would hide it.
        (Facts(repository="example/train"), (OWNER,), "the run is the repository's own"),
        (Facts(repository="example/train", secret_source="Actions"), (), "the run is the repository's own"),
        (Facts(), (OWNER,), "nothing says that this run belongs to a fork"),
        (FORK, ("github.repository_owner != 'example'",), "no sibling has one"),
        (FORK, (f"needs.a.result == 'success' && ({HEAD} || needs.b.outputs.c)",), "no sibling has one"),
        (FORK, (OWNER, "github.repository_owner == 'other'"), "no sibling has one"),
        (FORK, (), "no sibling has one"),
    ],
)
def test_without_a_guard_that_helps_nothing_is_edited(facts: Facts, siblings: tuple[str, ...], reason: str) -> None:
    made = draft(CopyGuard(), "build", IMAGE, facts=facts, repository=repository("", *siblings))
    assert made.state in (PatchState.ADVICE, PatchState.REFUSED)
    assert reason in made.reason


def test_a_guard_that_is_there_is_left_alone() -> None:
    made = draft(CopyGuard(), "build", IMAGE, facts=FORK, repository=repository(f"inputs.a && {OWNER}", OWNER))
    assert made.state is PatchState.IN_PLACE


def test_the_owner_may_be_the_one_whom_the_readme_names() -> None:
    """Only for the repository of the run's own name, and never the fork's owner."""
    named = "git clone https://github.com/example/train\nsee https://github.com/other/tool"
    made = patch(CopyGuard(), "build", IMAGE, facts=FORK, repository=repository("", readme=named))
    assert changed(made) == [f"+if: {OWNER}"]
    for text in ("https://github.com/other/tool", "https://github.com/someone/train"):
        bare = draft(CopyGuard(), "build", IMAGE, facts=FORK, repository=repository("", readme=text))
        assert bare.state is PatchState.ADVICE


def test_jobs_that_use_the_action_unguarded_are_siblings() -> None:
    bare = repository("", OWNER, "always()")
    made = draft(CopyGuard(), "build", IMAGE, step="Log in", facts=FORK, repository=bare)
    assert [(one.workflow_path, one.job) for one in made.siblings] == [(UNIT, "job1")]


@pytest.mark.parametrize(
    "guard",
    [
        "github.event.pull_request.head.repo.full_name != github.repository",
        "github.event.pull_request.head.repo.fork",
        "github.event.pull_request.head.repo.fork == true",
        "github.event_name == 'push' || github.event.pull_request.head.repo.fork",
    ],
)
def test_a_condition_that_holds_for_forks_alone_is_no_guard(guard: str) -> None:
    found = draft(CopyGuard(), "build", IMAGE, repository=repository("", guard), facts=Facts(secret_source="None"))
    assert found.state is PatchState.ADVICE
