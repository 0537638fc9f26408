"""Permissions that a called workflow asks for, and actions that are looked for beside the checkout."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyCheckout, GrantPermission

OWN = ".github/workflows/own.yml"
GRANT = GrantPermission(scope="{scope}", access="{access}")
ASKED = {"scope": "statuses", "access": "read", "called": "example/ci/.github/workflows/team.yml@v1"}


def calling(job: str = "", top: str = "", on: str = "[push]", more: str = "") -> MemoryTree:
    call = f"  request:\n{job}    uses: example/ci/.github/workflows/team.yml@v1\n"
    return tree({OWN: f"on: {on}\n{top}jobs:\n{call}{more}"})


@pytest.mark.parametrize(
    ("job", "top", "more"),
    [
        ("    permissions:\n      contents: read\n", "", ""),
        ("", "permissions:\n  contents: read\n", ""),
        ("    permissions:\n      contents: read\n", "", "  other:\n    uses: ./.github/workflows/b.yml\n"),
    ],
)
def test_what_a_called_workflow_asks_for_joins_the_block_that_leaves_it_out(job: str, top: str, more: str) -> None:
    made = patch(GRANT, OWN, OWN, captures=ASKED, repository=calling(job, top, more=more))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+statuses: read"]


@pytest.mark.parametrize(
    ("job", "on", "captures", "state"),
    [
        ("    permissions:\n      statuses: read\n", "[push]", {}, PatchState.IN_PLACE),
        ("    permissions:\n      statuses: none\n", "[push]", {}, PatchState.ADVICE),
        ("", "[push]", {}, PatchState.ADVICE),  # the repository's default gives too little
        ("    permissions:\n      contents: read\n", "[issue_comment]", {"access": "write"}, PatchState.ADVICE),
        ("    permissions:\n      contents: read\n", "[push]", {"scope": "everything"}, PatchState.REFUSED),
    ],
)
def test_no_more_is_handed_over(job: str, on: str, captures: dict[str, str], state: PatchState) -> None:
    assert draft(GRANT, OWN, OWN, captures={**ASKED, **captures}, repository=calling(job, on=on)).state is state


SEVERAL = {"scope": "actions", "access": "write", "requested": "actions: write, issues: read"}
CALL = "  more:\n    uses: ./.github/workflows/more.yml\n"
CALLED = "on: workflow_call\n{}jobs:\n  a:\n    runs-on: [cpu]\n    steps: [{{run: make}}]\n"
READS = "permissions:\n  contents: read\n  checks: read\n  actions: write\n  issues: read\n"


@pytest.mark.parametrize(
    ("called", "kept"),
    [
        (CALLED.format(READS), ["+checks: read", "+contents: read"]),
        (CALLED.format(""), ["+contents: read"]),
        ("", ["+contents: read"]),  # of another repository: nothing says what it reads
    ],
)
def test_a_caller_without_a_block_gets_one_with_what_the_called_workflow_reads(called: str, kept: list[str]) -> None:
    files = {OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [cpu]\n    steps: [{{run: make}}]\n{CALL}"}
    files |= {".github/workflows/more.yml": called} if called else {}
    # No job is known where GitHub starts none: the line of the file tells which call it is.
    captures = {**SEVERAL, "file": OWN, "line": "6", "called": "./.github/workflows/more.yml"}
    made = patch(GRANT, "", "", captures=captures, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+permissions:", "+actions: write", *kept, "+issues: read"]


def test_all_scopes_that_are_asked_for_join_one_block() -> None:
    made = patch(GRANT, OWN, OWN, captures=SEVERAL, repository=calling("", "permissions:\n  contents: read\n"))
    assert changed(made) == ["+actions: write", "+issues: read"]


def test_a_scope_that_github_does_not_know_is_not_written() -> None:
    captures = {**SEVERAL, "requested": "actions: write, everything: write"}
    assert draft(GRANT, OWN, OWN, captures=captures, repository=calling()).state is PatchState.ADVICE


ACTION = "runs:\n  using: composite\n  steps:\n    - uses: {}/.github/actions/upload\n"


def acting(checkout: str, uses: str) -> MemoryTree:
    steps = f"      - uses: actions/checkout@v4\n{checkout}      - name: Up\n        uses: ./.github/actions/outer\n"
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{steps}",
            ".github/actions/outer/action.yml": ACTION.format(uses),
            ".github/actions/upload/action.yml": "runs:\n  using: composite\n  steps:\n    - run: 'true'\n      shell: bash\n",
        }
    )


LOST = {"path": "/__w/train/train/train/.github/actions/upload"}


def test_an_action_is_looked_for_where_the_job_checked_it_out() -> None:
    made = patch(CopyCheckout(), "unit", OWN, step="Up", captures=LOST, repository=acting("", "./train"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+- uses: ./.github/actions/upload"
    there = acting("        with:\n          path: code\n", "./train")
    moved = draft(CopyCheckout(), "unit", OWN, step="Up", captures=LOST, repository=there)
    assert [edit.new for edit in moved.edits] == [b"./code/.github/actions/upload"]


@pytest.mark.parametrize(
    ("checkout", "uses"),
    [("", "."), ("        with:\n          path: ${{ inputs.folder }}\n", "./train")],
)
def test_an_action_in_its_place_or_in_a_computed_one_is_left(checkout: str, uses: str) -> None:
    made = draft(CopyCheckout(), "unit", OWN, step="Up", captures=LOST, repository=acting(checkout, uses))
    assert made.state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    ("run", "state"),
    [
        ("gh pr list --state open", PatchState.PATCH),
        ("gh pr list | git tag -l", PatchState.ADVICE),
        ("gh pr checkout 3", PatchState.ADVICE),
        ("bash tools/label.sh", PatchState.ADVICE),
    ],
)
def test_a_step_that_only_asks_github_is_told_the_repository(run: str, state: PatchState) -> None:
    job = f"jobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Ask\n        run: |\n          {run}\n"
    made = draft(CopyCheckout(), "unit", OWN, step="Ask", repository=tree({OWN: f"on: [push]\n{job}"}))
    assert made.state is state
    assert state is PatchState.ADVICE or b"GH_REPO: ${{ github.repository }}" in made.edits[0].new
