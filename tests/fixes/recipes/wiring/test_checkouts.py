"""Jobs that use the repository without checking it out, and steps that publish from pull requests."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyCheckout, PublishGuard

OWN = ".github/workflows/own.yml"


def repository(jobs: str, on: str = "[push]", **files: str) -> MemoryTree:
    return tree({OWN: f"on: {on}\njobs:\n{jobs}", "run.sh": "", **files})


TEST = "  test:\n    runs-on: a\n    steps:\n      - name: Checkout\n        uses: actions/checkout@v4\n      - run: bash run.sh\n"
BARE = "  sum:\n    runs-on: a\n    steps:\n    - name: Show\n      run: gh run view 1\n"
OTHER = "on: push\njobs:\n  x:\n    runs-on: a\n    steps:\n      - uses: actions/checkout@v5\n      - run: make\n"


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (repository(TEST + BARE), ["+- name: Checkout", "+uses: actions/checkout@v4"]),
        (repository(TEST + BARE.replace("    - ", "      -   ").replace("      run", "          run")), ["+-   name: Checkout", "+uses: actions/checkout@v4"]),
        (repository(TEST + BARE.replace("gh run view 1", "git push")), ["+- name: Checkout", "+uses: actions/checkout@v4"]),
    ],
)  # fmt: skip
def test_the_checkout_of_the_siblings_comes_first(there: MemoryTree, expected: list[str]) -> None:
    made = patch(CopyCheckout(), "sum", OWN, step="Show", repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize(
    ("there", "job", "reason"),
    [
        (repository(BARE.replace("gh run view 1", "git log")), "sum", "no job says which release"),
        (repository(TEST), "test", "checks the repository out at"),
        (
            repository(BARE + "    - uses: actions/checkout@v4\n      if: ${{ !cancelled() }}\n"),
            "sum",
            "before the step that needs it",
        ),
        (
            repository(TEST + BARE + TEST.replace("test:", "more:").replace("@v4", "@v3")),
            "sum",
            "no job says which release",
        ),
        (repository(TEST + "  sum:\n    runs-on: a\n    steps: [{name: Show, run: gh run view 1}]\n"), "sum", "below the other"),
    ],
)  # fmt: skip
def test_without_one_way_to_check_out_nothing_is_edited(there: MemoryTree, job: str, reason: str) -> None:
    step = "Show" if job == "sum" else "Run bash run.sh"
    made = draft(CopyCheckout(), job, OWN, step=step, repository=there)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


def test_without_a_checkout_in_the_same_file_no_credentials_stay_behind() -> None:
    there = repository(BARE.replace("gh run view 1", "git log"), **{".github/workflows/other.yml": OTHER})
    made = draft(CopyCheckout(), "sum", OWN, step="Show", repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert b"uses: actions/checkout@v5" in made.edits[0].new
    assert b"persist-credentials: false" in made.edits[0].new


BOTH = "{push: {branches: [main]}, pull_request: {}}"
DEPLOY = "  docs:\n    runs-on: a\n    steps:\n      - name: Deploy\n        uses: example/gh-pages@v4\n"
GUARDED = DEPLOY.replace("docs:", "site:").replace(
    "        uses", "        if: github.event_name == 'push'\n        uses"
)


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (repository(DEPLOY, BOTH), "+if: github.ref == 'refs/heads/main'"),
        (repository(DEPLOY + GUARDED, BOTH), "+if: github.event_name == 'push'"),
        (
            repository(DEPLOY.replace("uses: example/gh-pages@v4", "run: git push origin pages"), BOTH),
            "+if: github.ref == 'refs/heads/main'",
        ),
    ],
)
def test_what_publishes_stays_out_of_pull_requests(there: MemoryTree, expected: str) -> None:
    made = patch(PublishGuard(), "docs", OWN, step="Deploy", repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [expected]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        (repository(DEPLOY, "{push: {branches: [main, dev]}, pull_request: {}}"), "nothing in the tree has one"),
        (repository(DEPLOY, "[push]"), "nothing in the tree has one"),
        (repository(GUARDED.replace("site:", "docs:"), BOTH), "keeps the step out of pull requests"),
        (repository(DEPLOY + "        if: success()\n", BOTH), "also ask that no pull request runs it"),
        (repository(DEPLOY.replace("example/gh-pages@v4", "example/build@v4"), BOTH), "which step publishes"),
    ],
)
def test_without_one_condition_nothing_is_edited(there: MemoryTree, reason: str) -> None:
    made = draft(PublishGuard(), "docs", OWN, step="Deploy", repository=there)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


INSTALL = "  sum:\n    runs-on: a\n    steps:\n      - run: nvidia-smi\n      - name: Show\n        run: {run}\n"
LATER = "      - name: Get the sources\n        uses: actions/checkout@v4\n        with:\n          fetch-depth: 0\n"
AFTER = "      - run: pytest\n"


@pytest.mark.parametrize("run", ["uv pip install -e .", "pip install .[test]", "git log -1"])
@pytest.mark.parametrize("after", ["", AFTER])
def test_a_checkout_that_comes_too_late_is_moved_before_the_step_that_needs_it(run: str, after: str) -> None:
    there = repository(INSTALL.format(run=run) + LATER + after)
    made = patch(CopyCheckout(), "sum", OWN, step="Show", repository=there)
    assert made.state is PatchState.PATCH, made.reason
    lines = changed(made)
    moved = ["name: Get the sources", "uses: actions/checkout@v4", "with:", "fetch-depth: 0"]
    assert [line.lstrip("+- ") for line in lines if line[0] == "+"] in (moved, ["name: Show", f"run: {run}"])


@pytest.mark.parametrize("own", ["        if: always()\n", "          ref: ${{ steps.pick.outputs.ref }}\n"])
def test_a_late_checkout_that_depends_on_other_steps_stays(own: str) -> None:
    there = repository(INSTALL.format(run="pip install .") + LATER + own + AFTER)
    assert draft(CopyCheckout(), "sum", OWN, step="Show", repository=there).state is not PatchState.PATCH


MISSING = CopyCheckout("{path}")


@pytest.mark.parametrize("path", ["run.sh", "/home/runner/work/train/train/run.sh", "**/run.sh or **/none.toml"])
def test_what_the_repository_has_and_the_job_lacks_comes_by_a_checkout(path: str) -> None:
    there = repository(TEST + BARE.replace("gh run view 1", "bash run.sh"))
    made = patch(MISSING, "sum", OWN, step="Show", captures={"path": path}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+- name: Checkout", "+uses: actions/checkout@v4"]


@pytest.mark.parametrize(
    ("jobs", "path"),
    [
        (TEST + BARE, "other.sh"),
        (TEST + BARE.replace("gh run view 1", "git clone $URL ."), "run.sh"),
        (
            TEST + BARE.replace("    - name: Show", "    - uses: actions/download-artifact@v4\n    - name: Show"),
            "run.sh",
        ),
        (TEST + BARE.replace("    - name: Show", "    - uses: actions/checkout@v4\n    - name: Show"), "run.sh"),
    ],
)
def test_what_may_come_otherwise_needs_no_checkout(jobs: str, path: str) -> None:
    made = draft(MISSING, "sum", OWN, step="Show", captures={"path": path}, repository=repository(jobs))
    assert made.state is PatchState.REFUSED


@pytest.mark.parametrize("used", ["./.github/actions/setpu", "./.github/acitons/setup"])
def test_an_action_of_the_repository_is_called_by_its_name(used: str) -> None:
    step = f"      - uses: {used}\n"
    there = repository(TEST + step, **{".github/actions/setup/action.yml": "runs: {using: composite, steps: []}\n"})
    path = f"/home/runner/work/train/train/{used[2:]}"
    made = patch(CopyCheckout(), "test", OWN, step=f"Run {used}", captures={"path": path}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-- uses: {used}", "+- uses: ./.github/actions/setup"]


def test_an_action_with_no_like_is_not_the_one_at_the_root() -> None:
    step = "      - uses: ./.github/actions/build\n"
    there = repository(TEST + step, **{"action.yml": "runs: {using: composite, steps: []}\n"})
    captures = {"path": "/home/runner/work/train/train/.github/actions/build"}
    made = draft(CopyCheckout(), "test", OWN, step="Run ./.github/actions/build", captures=captures, repository=there)
    assert made.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("path", "run", "state"),
    [
        ("config.json", "python x.py", PatchState.REFUSED),
        ("/home/runner/work/train/train/config.json", "python x.py", PatchState.REFUSED),
        ("**/config.json", "python x.py", PatchState.PATCH),
        ("config.json", "cd examples && python x.py", PatchState.PATCH),
        ("examples", "cd examples", PatchState.PATCH),
        ("config.json", 'cd "$(mktemp -d)" && python x.py', PatchState.REFUSED),
        (",".join(f"a{number}" for number in range(9000)), "python x.py", PatchState.REFUSED),
    ],
)
def test_a_file_of_the_same_name_elsewhere_is_not_the_one(path: str, run: str, state: PatchState) -> None:
    there = repository(TEST + BARE.replace("gh run view 1", run), **{"examples/config.json": "{}"})
    made = draft(MISSING, "sum", OWN, step="Show", captures={"path": path}, repository=there)
    assert made.state is state
    assert state is PatchState.PATCH or "may have the repository's files" in made.reason


FOLDERS = """on: [push]
jobs:
  sum:
    runs-on: a
    steps:
      - uses: actions/checkout@v4
        with: {path: train}
      - uses: actions/checkout@v4
        with: {repository: example/tools, path: tools}
      - name: Look
        working-directory: ./train
        run: gh pr view 1
      - name: Say
        run: gh pr comment 1 -b done
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "+working-directory: ./train"),
        ("      - name: Look\n        working-directory: ./train\n        run: gh pr view 1\n", "", ""),  # which one?
        ("gh pr comment", "cd train && gh pr comment", ""),
        ("gh pr comment", "gh pr comment --repo example/train", ""),
        ("with: {path: train}", "with: {fetch-depth: 0}", ""),
    ],
)
def test_a_step_above_the_checkout_runs_in_it(old: str, new: str, expected: str) -> None:
    held = tree({OWN: FOLDERS.replace(old, new) if old else FOLDERS})
    made = patch(CopyCheckout(), "sum", OWN, step="Say", repository=held)
    assert (made.state is PatchState.PATCH) is bool(expected), made.reason
    assert changed(made) == ([expected] if expected else [])
