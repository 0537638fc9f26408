"""Commands that end a step though nothing is wrong, and what an earlier step has done already."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairLine

OWN = ".github/workflows/own.yml"
ABSENT, TEST, FREEZE = (
    RepairLine("absent"),
    RepairLine("test", subject="{path}"),
    RepairLine("freeze", subject="{path}"),
)
ANSWER = RepairLine("answer", subject="gh pr view")
REPEATED = RepairLine("repeated", subject="{path}")


def workflow(*steps: tuple[str, ...]) -> str:
    text = "on: [push]\njobs:\n  unit:\n    runs-on: x\n    steps:\n"
    for at, lines in enumerate(steps):
        text += f"      - name: Step {at}\n        run: |\n" + "".join(f"          {line}\n" for line in lines)
    return text


def plus(made) -> list[str]:  # type: ignore[no-untyped-def]
    return [line[1:] for line in changed(made) if line.startswith("+")]


@pytest.mark.parametrize(
    ("recipe", "lines", "path", "expected"),
    [
        (
            ABSENT,
            ('gh release delete "$TAG" -y', "gh release create $TAG"),
            "",
            ['if gh release view "$TAG" > /dev/null 2>&1; then', 'gh release delete "$TAG" -y', "fi"],
        ),
        (ABSENT, ("git tag -d nightly", "git tag nightly"), "", ["git tag -d nightly || true"]),
        (ABSENT, ("cd docs && git remote rm pages", "ls"), "", ["cd docs", "if git remote get-url pages > /dev/null 2>&1; then", "git remote rm pages", "fi"]),
        (
            ANSWER,
            ("L=$(gh pr view $N --json labels | jq .x)", "L=${L:-none}"),
            "",
            ["L=$(gh pr view $N --json labels | jq .x) || true"],
        ),
        (ANSWER, ('BODY="$(gh pr view --json body)"', 'if [ -z "$BODY" ]; then exit 0; fi'), "", ['BODY="$(gh pr view --json body)" || true']),
        (TEST, ("echo a", "[ -n \"$(ls -A /c/x)\" ] && cp /c/x/* ."), "/c/x", ['if [ -d /c/x ] && [ -n "$(ls -A /c/x)" ]; then', "cp /c/x/* .", "fi"]),
        (FREEZE, ("pip freeze | xargs pip uninstall -y",), "@", ["pip list --format=freeze | xargs pip uninstall -y"]),
    ],
)  # fmt: skip
def test_the_step_goes_on(recipe: RepairLine, lines: tuple[str, ...], path: str, expected: list[str]) -> None:
    made = patch(recipe, "unit", OWN, step="Step 0", captures={"path": path}, repository=tree({OWN: workflow(lines)}))
    assert made.state is PatchState.PATCH, made.reason
    assert plus(made) == expected


@pytest.mark.parametrize(
    ("recipe", "lines", "path"),
    [
        (ABSENT, ("gh release delete a -y", "git tag -d a"), ""),
        (ABSENT, ("gh release delete a -y || true",), ""),
        (ABSENT, ("if gh release view a; then", "  gh release delete a -y", "fi"), ""),
        (ABSENT, ("gh release delete a -y && echo gone",), ""),
        (ANSWER, ("N=$(gh pr view --json number)", "echo $N"), ""),
        (ANSWER, ("N=$(gh pr view --json number) || true", "echo ${N:-0}"), ""),
        (TEST, ("[ -d /c/x ] && cp /c/x/* .", "make"), "/c/x"),
        (TEST, ("[ -d /c/y ] && cp /c/y/* .",), "/c/x"),
        (FREEZE, ("pip freeze > list.txt",), "@"),
        (FREEZE, ("pip freeze | xargs pip uninstall -y",), "torch=="),
    ],
)
def test_what_may_be_meant_is_left(recipe: RepairLine, lines: tuple[str, ...], path: str) -> None:
    made = draft(recipe, "unit", OWN, step="Step 0", captures={"path": path}, repository=tree({OWN: workflow(lines)}))
    assert not made.edits


def test_the_step_of_an_action_is_told_by_what_it_asks() -> None:
    text = workflow().removesuffix("    steps:\n") + "    steps:\n      - uses: ./.github/actions/test\n"
    action = "runs:\n  using: composite\n  steps:\n    - run: echo a\n      shell: bash\n    - shell: bash\n      run: |\n        L=$(gh pr view --json labels)\n        L=${L:-x}\n"
    files = {OWN: text, ".github/actions/test/action.yml": action}
    made = patch(ANSWER, "unit", OWN, step="Run ./.github/actions/test", repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert plus(made) == ["L=$(gh pr view --json labels) || true"]


def test_what_an_earlier_step_took_away_is_not_taken_again() -> None:
    steps = (("cd app", "mv list-app.txt list.txt"), ("cd app", "mv list-app.txt list.txt", "mv a b"))
    made = patch(
        REPEATED,
        "unit",
        OWN,
        step="Step 1",
        captures={"path": "list-app.txt"},
        repository=tree({OWN: workflow(*steps)}),
    )
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-mv list-app.txt list.txt"]


@pytest.mark.parametrize(
    "steps",
    [
        (("mv list-app.txt list.txt",), ("cd app", "mv list-app.txt list.txt", "ls")),
        (("cd app", "mv list-app.txt other.txt"), ("cd app", "mv list-app.txt list.txt", "ls")),
        (("echo",), ("cd app", "mv list-app.txt list.txt", "ls")),
    ],
)
def test_another_file_of_the_name_is_another_file(steps: tuple[tuple[str, ...], ...]) -> None:
    made = draft(
        REPEATED,
        "unit",
        OWN,
        step="Step 1",
        captures={"path": "list-app.txt"},
        repository=tree({OWN: workflow(*steps)}),
    )
    assert not made.edits


@pytest.mark.parametrize("line", ['git push origin --delete "$B" # old', 'echo "git tag -d v1"', "! git tag -d v1"])
def test_what_is_said_or_has_a_comment_behind_it_is_left(line: str) -> None:
    repository = tree({OWN: workflow(("set -e", line, "echo done"))})
    assert patch(RepairLine("absent"), "unit", OWN, step="Step 0", repository=repository).state is PatchState.REFUSED


def test_what_comes_before_on_the_line_may_still_fail() -> None:
    repository = tree({OWN: workflow(("cd a && git tag -d v1", "echo done"))})
    made = patch(RepairLine("absent"), "unit", OWN, step="Step 0", repository=repository)
    assert plus(made) == ["cd a", "git tag -d v1 || true"]
