"""What asks for a pull request runs where there is one; what uploads without a password asks to be trusted."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import EventGuard, TrustedRelease

OWN = ".github/workflows/own.yml"
ASKS = "uses: actions/github-script@v7\nwith:\n  script: |\n    const n = context.issue.number;\n"
SKIPS = "name: Skip\nif: github.event_name != 'pull_request'\nrun: |\n  echo no pull request\n  exit 0\n"


def repository(*steps: str, on: str = "[push, pull_request]", job: str = "", more: str = "") -> MemoryTree:
    listed = ""
    for step in steps:
        first, *rest = step.splitlines()
        listed += f"      - {first}\n" + "".join(f"        {line}\n" for line in rest)
    own = "".join(f"    {line}\n" for line in job.splitlines())
    return tree({OWN: f"on: {on}\njobs:\n  gate:\n    runs-on: ubuntu-latest\n{own}    steps:\n{listed}{more}"})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (repository(f"name: Ask\n{ASKS}"), "+if: github.event_name == 'pull_request'"),
        (repository("name: Ask\nrun: gh pr view --json labels", on="[push, pull_request_target]"), "+if: github.event_name == 'pull_request_target'"),
        (repository(f"name: Ask\n{ASKS}", on="[pull_request, pull_request_target, merge_group]"), "+if: startsWith(github.event_name, 'pull_request')"),
        # `exit 0` ends the step that believes to end the job.
        (repository(SKIPS, f"name: Ask\nid: pr\n{ASKS}", "run: echo ${{ steps.pr.outputs.draft }}", on="workflow_call"), "+if: github.event_name == 'pull_request'"),
    ],
)  # fmt: skip
def test_it_runs_for_pull_requests_only(files: MemoryTree, expected: str) -> None:
    made = patch(EventGuard(), "gate", OWN, step="Ask", repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [expected]


@pytest.mark.parametrize(
    ("files", "state"),
    [
        # The steps behind need what it finds; no event of the file has a pull request; a condition of its own.
        (repository(f"name: Ask\nid: pr\n{ASKS}", "run: echo ${{ steps.pr.outputs.draft }}"), PatchState.ADVICE),
        (repository(f"name: Ask\n{ASKS}", on="[push, workflow_dispatch]"), PatchState.ADVICE),
        (repository(f"name: Ask\nif: always()\n{ASKS}"), PatchState.ADVICE),
        (repository(f"name: Ask\nif: github.event_name == 'pull_request'\n{ASKS}"), PatchState.IN_PLACE),
        (repository(f"name: Ask\n{ASKS}", job="if: github.event.pull_request"), PatchState.IN_PLACE),
        (repository(f"name: Ask\nid: pr\n{ASKS}", "run: echo ${{ steps['pr'].outputs.draft }}"), PatchState.ADVICE),
        (repository('name: Ask\nrun: echo "N=$(gh pr view -q .number)" >> $GITHUB_ENV'), PatchState.ADVICE),
        (repository("name: Other\nrun: make"), PatchState.REFUSED),
    ],
)
def test_otherwise_a_person_decides(files: MemoryTree, state: PatchState) -> None:
    assert draft(EventGuard(), "gate", OWN, step="Ask", repository=files).state is state


def test_a_file_whose_events_have_no_pull_request_is_not_told_to_ask_for_one() -> None:
    made = draft(EventGuard(), "gate", OWN, step="Ask", repository=repository(f"name: Ask\n{ASKS}", on="[push]"))
    assert "(push) bring none" in made.reason
    assert "github.event_name ==" not in made.reason


def test_of_several_steps_that_are_shown_alike_none_is_chosen() -> None:
    files = repository(ASKS, ASKS.replace("const n", "const m"))
    made = draft(EventGuard(), "gate", OWN, step="Run actions/github-script@v7", repository=files)
    assert (made.state, "own.yml:6, .github/workflows/own.yml:10" in made.reason) == (PatchState.ADVICE, True)


UPLOADS = "name: Upload\nuses: pypa/gh-action-pypi-publish@{}\nwith:\n  packages_dir: dist/\n"
TRUSTED = "permissions:\n  id-token: write"
OTHER = "  other:\n    runs-on: x\n    steps:\n      - uses: pypa/gh-action-pypi-publish@v1.12.4\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (repository(UPLOADS.format("v1.5.1"), job=TRUSTED), "release/v1"),
        (repository(UPLOADS.format("master"), job="permissions: write-all"), "release/v1"),
        (repository(UPLOADS.format("v1.4"), job=TRUSTED, more=OTHER), "v1.12.4"),
        (repository(UPLOADS.format("v1.4"), "uses: pypa/gh-action-pypi-publish@v1.6\n", job=TRUSTED), "release/v1"),
        (repository(UPLOADS.format("v1.4").replace("pypa/", "PyPA/"), job=TRUSTED), "release/v1"),
    ],
)
def test_an_upload_without_a_password_asks_to_be_trusted(files: MemoryTree, expected: str) -> None:
    made = patch(TrustedRelease(), "gate", OWN, step="Upload", repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert f"+uses: pypa/gh-action-pypi-publish@{expected}" in changed(made)


@pytest.mark.parametrize(
    ("files", "state"),
    [
        (repository(UPLOADS.format("v1.5.1")), PatchState.ADVICE),  # it may not ask for a token
        (repository(UPLOADS.format("v1.5.1") + "  password: ${{ secrets.PYPI }}\n", job=TRUSTED), PatchState.ADVICE),
        (repository(UPLOADS.format("v1.12.4"), job=TRUSTED), PatchState.IN_PLACE),
        (repository(UPLOADS.format("76f52bc8"), job=TRUSTED), PatchState.ADVICE),  # who knows which release
        (repository("name: Upload\nrun: twine upload dist/*", job=TRUSTED), PatchState.REFUSED),
    ],
)
def test_other_uploads_stay(files: MemoryTree, state: PatchState) -> None:
    assert draft(TrustedRelease(), "gate", OWN, step="Upload", repository=files).state is state
