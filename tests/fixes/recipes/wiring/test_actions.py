"""Releases of GitHub's own actions that it does not run any more."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import MoveAction

OWN = ".github/workflows/own.yml"
RECIPE = MoveAction("{action}")
UPLOAD = {"action": "actions/upload-artifact: v3"}


def repository(*uses: str, **others: str) -> MemoryTree:
    def steps(one: str) -> str:
        return f"    runs-on: [gpu]\n    steps:\n      - uses: {one}\n        with: {{name: out}}\n"

    jobs = "".join(f"  job{at}:\n{steps(one)}" for at, one in enumerate(uses))
    more = {f".github/workflows/{name}.yml": f"on: push\njobs:\n  a:\n{steps(one)}" for name, one in others.items()}
    return tree({OWN: f"on: [push]\njobs:\n{jobs}", **more})


def test_writer_and_reader_move_together_and_nothing_else_does() -> None:
    given = repository("actions/upload-artifact@v3", "actions/download-artifact@v3.0.2", "actions/checkout@v3")
    made = patch(RECIPE, "job0", OWN, captures=UPLOAD, repository=given)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == [
        "+- uses: actions/upload-artifact@v4",
        "+- uses: actions/download-artifact@v4",
    ]


def test_the_release_that_other_workflows_have_wins() -> None:
    given = repository("actions/upload-artifact@v3", docs="actions/upload-artifact@v6")
    made = patch(RECIPE, "job0", OWN, captures=UPLOAD, repository=given)
    assert "+- uses: actions/upload-artifact@v6" in changed(made)


def test_of_a_cache_only_the_release_that_the_log_names_moves() -> None:
    given = repository("actions/cache@v2", "actions/cache@v3")
    made = patch(RECIPE, "job0", OWN, captures={"action": "actions/cache: v2"}, repository=given)
    assert changed(made) == ["-- uses: actions/cache@v2", "+- uses: actions/cache@v4"]


@pytest.mark.parametrize(
    ("uses", "action", "state"),
    [
        ("actions/upload-artifact@v4", "actions/upload-artifact: v3", PatchState.IN_PLACE),
        ("actions/upload-artifact@0123456789abcdef0123456789abcdef01234567", "actions/upload-artifact: v3", PatchState.REFUSED),
        ("example/build@v1", "example/build: v1", PatchState.REFUSED),
        ("actions/cache@v2", "actions/cache: v9", PatchState.REFUSED),
        ("actions/cache@v2", "", PatchState.REFUSED),
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_retired_stays(uses: str, action: str, state: PatchState) -> None:
    made = draft(RECIPE, "job0", OWN, captures={"action": action}, repository=repository(uses))
    assert made.state is state, made.reason


GOOD, WRONG = "0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef012345a1"


@pytest.mark.parametrize(
    ("uses", "others", "new"),
    [
        ("example/build@v44", ["example/build@v4"], "example/build@v4"),
        ("example/build/sub@v44", ["example/build@v4"], "example/build/sub@v4"),
        (f"example/build@{WRONG}", ["example/build@v4", f"example/build@{GOOD}"], f"example/build@{GOOD}"),
        ("example/build@v44", [f"example/build@{GOOD}", "example/build@v4.1"], "example/build@v4.1"),
    ],
)
def test_a_reference_that_an_action_does_not_have_becomes_that_of_other_jobs(
    uses: str, others: list[str], new: str
) -> None:
    ref = uses.partition("@")[2]
    given = repository(uses, *others)
    made = patch(RECIPE, "job0", OWN, captures={"action": f"example/build@{ref}"}, repository=given)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-- uses: {uses}", f"+- uses: {new}"]


@pytest.mark.parametrize(
    ("uses", "state"),
    [
        (["example/build@v44", "example/other@v4"], PatchState.ADVICE),
        (["example/other@v44", "example/build@v4"], PatchState.IN_PLACE),
        (["example/other@v44", "example/other@v4"], PatchState.REFUSED),
    ],
)
def test_a_reference_is_left_where_nothing_says_another_one(uses: list[str], state: PatchState) -> None:
    captures = {"action": "example/build@v44"}
    made = draft(RECIPE, "job0", OWN, captures=captures, repository=repository(*uses))
    assert made.state is state, made.reason


def test_an_action_without_a_tag_of_its_major_release_is_asked_for_by_its_branch() -> None:
    step = "on: push\njobs:\n  publish:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: pypa/gh-action-pypi-publish@v1\n"
    path = ".github/workflows/publish.yml"
    said = {"action": "pypa/gh-action-pypi-publish@v1"}
    made = patch(RECIPE, "publish", path, captures=said, repository=tree({path: step}))
    assert changed(made)[1] == "+- uses: pypa/gh-action-pypi-publish@release/v1"
    other = {"action": "pypa/gh-action-pypi-publish@v9"}
    made = patch(RECIPE, "publish", path, captures=other, repository=tree({path: step.replace("@v1", "@v9")}))
    assert made.state is PatchState.ADVICE
    # What other jobs ask for there is wins.
    sibling = step.replace("@v1", "@v1.12.4")
    files = tree({path: step, ".github/workflows/nightly.yml": sibling})
    made = patch(RECIPE, "publish", path, captures=said, repository=files)
    assert changed(made)[1] == "+- uses: pypa/gh-action-pypi-publish@v1.12.4"


@pytest.mark.parametrize("action", ["actions/upload-artifact: v3", "actions/upload-artifact@v3"])
def test_without_a_job_the_only_workflow_that_asks_for_it_is_edited(action: str) -> None:
    given = repository("actions/checkout@v3", "actions/upload-artifact@v3", docs="actions/upload-artifact@v6")
    made = patch(RECIPE, "", "", captures={"action": action}, repository=given)
    assert (made.state, made.files) == (PatchState.PATCH, (OWN,)), made.reason
    assert changed(made) == ["-- uses: actions/upload-artifact@v3", "+- uses: actions/upload-artifact@v6"]


def test_without_a_job_several_workflows_are_only_named() -> None:
    given = repository("actions/upload-artifact@v3", docs="actions/upload-artifact@v3")
    made = draft(RECIPE, "", "", captures=UPLOAD, repository=given)
    assert made.state is PatchState.ADVICE
    assert OWN in made.reason


PAGES = """
on: push
jobs:
  prepare:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with: {name: site, path: html}
      - uses: actions/upload-pages-artifact@v1.0.7
        with: {path: html}
  deploy:
    needs: prepare
    runs-on: ubuntu-latest
    steps:
      - uses: actions/deploy-pages@v2.0.0
"""


def test_an_action_that_uses_a_retired_one_inside_moves_with_what_reads_its_artifact() -> None:
    made = patch(RECIPE, "prepare", OWN, captures=UPLOAD, repository=tree({OWN: PAGES}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [
        *("-- uses: actions/upload-pages-artifact@v1.0.7", "+- uses: actions/upload-pages-artifact@v3"),
        *("-- uses: actions/deploy-pages@v2.0.0", "+- uses: actions/deploy-pages@v4"),
    ]


def test_without_a_job_what_uses_it_inside_is_found_too() -> None:
    made = patch(RECIPE, "", "", captures=UPLOAD, repository=tree({OWN: PAGES}))
    assert (made.state, made.files) == (PatchState.PATCH, (OWN,)), made.reason


@pytest.mark.parametrize(
    ("old", "new", "state", "words"),
    [
        # The inner one is right from the third release on.
        ("pages-artifact@v1.0.7", "pages-artifact@v3.0.1", PatchState.IN_PLACE, "releases that are run"),
        # What reads it is named by a commit: nobody here knows its release.
        ("deploy-pages@v2.0.0", f"deploy-pages@{GOOD}", PatchState.ADVICE, "to v4 or later with it"),
        # By a commit it may be any release.
        ("pages-artifact@v1.0.7", f"pages-artifact@{GOOD}", PatchState.IN_PLACE, "releases that are run"),
    ],
)
def test_what_holds_it_inside_is_left_where_its_release_is_not_known_to_be_old(
    old: str, new: str, state: PatchState, words: str
) -> None:
    made = draft(RECIPE, "prepare", OWN, captures=UPLOAD, repository=tree({OWN: PAGES.replace(old, new)}))
    assert made.state is state, made.reason
    assert words in made.reason


def test_a_reader_of_a_newer_generation_stays() -> None:
    given = tree({OWN: PAGES.replace("deploy-pages@v2.0.0", "deploy-pages@v5")})
    made = patch(RECIPE, "prepare", OWN, captures=UPLOAD, repository=given)
    assert changed(made)[1:] == ["+- uses: actions/upload-pages-artifact@v3"]


def test_a_strange_action_that_may_hold_it_inside_is_named() -> None:
    given = tree({OWN: "on: push\njobs:\n  a:\n    runs-on: gpu\n    steps:\n      - uses: example/pack@v2\n"})
    made = draft(RECIPE, "a", OWN, captures=UPLOAD, repository=given)
    assert (made.state, "example/pack@v2" in made.reason) == (PatchState.ADVICE, True)


def test_an_action_of_the_repository_is_edited_where_it_asks_for_a_retired_one() -> None:
    action = ".github/actions/keep/action.yml"
    steps = "runs:\n  using: composite\n  steps:\n    - uses: actions/upload-artifact@v3\n      with: {name: out}\n"
    job = "on: push\njobs:\n  a:\n    runs-on: gpu\n    steps:\n      - uses: ./.github/actions/keep\n"
    made = patch(RECIPE, "a", OWN, captures=UPLOAD, repository=tree({OWN: job, action: steps}))
    assert (made.state, made.files) == (PatchState.PATCH, (action,)), made.reason
    assert changed(made)[1] == "+- uses: actions/upload-artifact@v4"
    # One that asks for itself ends.
    around = steps.replace("actions/upload-artifact@v3", "./.github/actions/keep")
    assert draft(RECIPE, "a", OWN, captures=UPLOAD, repository=tree({OWN: job, action: around})).edits == ()
