"""What git must be told: who commits, and that a submodule may be read."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import GitIdentity, TrustFolder

OWN = ".github/workflows/own.yml"
ALL = '          git config user.name "train-ci"\n          git config user.email "train-ci@invalid.example"\n'
BOT = ['+git config user.name "github-actions[bot]"', '+git config user.email "41898282+github-actions[bot]@users.noreply.github.com"']  # fmt: skip


def workflow(script: str) -> str:
    return f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Rebase\n        run: |\n{script}"


def repository(script: str, **files: str) -> MemoryTree:
    return tree({OWN: workflow(script), **files})


REBASE = "          git fetch origin main\n          git rebase origin/main\n"


@pytest.mark.parametrize("step", ["Rebase", "Run git fetch origin main"])
def test_the_bot_commits_where_no_other_step_says_who_does(step: str) -> None:
    made = patch(GitIdentity(), "unit", OWN, step=step, repository=repository(REBASE))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == BOT


def test_the_repository_s_own_pair_wins_over_the_bot() -> None:
    other = {".github/workflows/docs.yml": workflow(ALL + "          git commit -m docs\n")}
    made = patch(GitIdentity(), "unit", OWN, step="Rebase", repository=repository(REBASE, **other))
    assert changed(made) == ['+git config user.name "train-ci"', '+git config user.email "train-ci@invalid.example"']


@pytest.mark.parametrize(
    ("script", "step", "state"),
    [
        (ALL + REBASE, "Rebase", PatchState.IN_PLACE),
        ("          git fetch origin main\n", "Rebase", PatchState.REFUSED),
        (REBASE, "", PatchState.REFUSED),
        ("          git -C kernels rebase origin/main\n", "Rebase", PatchState.REFUSED),
        ("          git fetch\n          cd kernels\n          git rebase origin/main\n", "Rebase", PatchState.ADVICE),
    ],
)
def test_it_is_left_where_it_is_not_clear_which_command_commits(script: str, step: str, state: PatchState) -> None:
    assert draft(GitIdentity(), "unit", OWN, step=step, repository=repository(script)).state is state


MODULES = '[submodule "kernels"]\n\tpath = third_party/kernels\n\turl = https://invalid.example/kernels.git\n'
TRUST = "          git config --global --add safe.directory /opt/train\n          bash tests/run.sh\n"
KERNELS = "/opt/train/third_party/kernels"


def trusting(script: str, path: str, modules: str = MODULES) -> tuple[PatchState, list[str]]:
    given = repository(script, **{".gitmodules": modules, "tests/run.sh": "make\n"})
    recipe, captures = TrustFolder("{path}"), {"path": path}
    made = draft(recipe, "unit", OWN, step="Rebase", captures=captures, repository=given)
    edits = changed(patch(recipe, "unit", OWN, step="Rebase", captures=captures, repository=given))
    return made.state, edits


def test_a_submodule_is_trusted_where_the_repository_is() -> None:
    assert trusting(TRUST, KERNELS) == (
        PatchState.PATCH,
        [f"+git config --global --add safe.directory {KERNELS}"],
    )


@pytest.mark.parametrize(
    ("script", "path", "state"),
    [
        (TRUST, "/opt/other", PatchState.REFUSED),
        (TRUST, "/opt/train/third_party/other", PatchState.REFUSED),
        ("          bash tests/run.sh\n", KERNELS, PatchState.ADVICE),
        (TRUST, "/srv/train/third_party/kernels", PatchState.ADVICE),
        (TRUST.replace("/opt/train", KERNELS), KERNELS, PatchState.IN_PLACE),
    ],
)
def test_no_other_folder_is(script: str, path: str, state: PatchState) -> None:
    assert trusting(script, path) == (state, [])


@pytest.mark.parametrize("command", ["ghp-import -n -p docs/_build/html", "mkdocs gh-deploy --force"])
def test_a_program_that_commits_by_itself_needs_a_name_too(command: str) -> None:
    made = patch(
        GitIdentity(), "unit", OWN, step="Rebase", repository=repository(f"          make\n          {command}\n")
    )
    assert (made.state, changed(made)) == (PatchState.PATCH, BOT), made.reason
    building = repository("          mkdocs build\n          make\n")
    assert draft(GitIdentity(), "unit", OWN, step="Rebase", repository=building).state is PatchState.REFUSED
