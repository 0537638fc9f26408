"""Blocks of a script that are never ended, and ends that end nothing."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairScript

OWN = ".github/workflows/own.yml"
RECIPE = RepairScript("{script}")
HEAD = "on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Setup\n        run: "
FILE = {"script": "/__w/train/train/tools/setup.sh"}


def repository(script: str) -> MemoryTree:
    return tree({OWN: f"{HEAD}bash tools/setup.sh\n", "tools/setup.sh": script})


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("if [ $A = 1 ]; then\n    make\n\necho done\n", ["+fi"]),
        ("if a; then\n    make\n\n\necho 1\nif b; then\n    make \\\n  all\n\necho 2", ["+fi", "+fi"]),
        ("for f in a b; do\n  if a; then\n    echo $f\ndone\n", ["+fi"]),
        ("for f in a b; do\n  if a; then\n    echo $f\n\necho 1\n", ["+fi", "+done"]),
        ("while a; do\n  echo 1\n\necho 2\n", ["+done"]),
        ("if a; then\n  echo 1\nelse\n  echo 2\n\necho 3\n", ["+fi"]),
        ("echo 1\nfi\necho 2\n", ["-fi"]),
        ("if a; then echo 1; fi\nif b\nthen\n  echo 2\n", ["+fi"]),
    ],
)
def test_the_indentation_says_where_the_end_goes(script: str, expected: list[str]) -> None:
    made = patch(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line.replace(" ", "") for line in changed(made)] == expected


@pytest.mark.parametrize(
    ("script", "state", "reason"),
    [
        # Nothing is indented, so nothing says where the block ends.
        ("if a; then\necho 1\necho 2\n", PatchState.REFUSED, "does not say which block"),
        ("if a; then\n  echo \"1\necho 2\n", PatchState.REFUSED, "something else"),
        ("echo 1\n", PatchState.IN_PLACE, "parses"),
        ("if a; then\n  b\nfi\nfi\nif c; then\n  d\n", PatchState.REFUSED, "does not say which block"),
    ],
)  # fmt: skip
def test_what_it_does_not_say_stays(script: str, state: PatchState, reason: str) -> None:
    made = draft(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is state
    assert reason in made.reason


def test_the_step_s_own_script_is_the_one_in_the_runner_s_folder() -> None:
    own = tree({OWN: f"{HEAD}|\n          if a; then\n            make\n\n          echo 1\n"})
    made = patch(RECIPE, "unit", OWN, step="Setup", captures={"script": "/__w/_temp/9f1c.sh"}, repository=own)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+fi"]


def test_another_script_is_not_read() -> None:
    made = draft(RECIPE, "unit", OWN, step="Setup", captures={"script": "gone.sh"}, repository=repository("fi\n"))
    assert made.state is PatchState.REFUSED


def test_what_github_puts_into_the_script_is_no_shell() -> None:
    script = "if a; then\n            make ${{ github.run_id }}\n          else\n            make\n\n          echo 1"
    own = tree({OWN: f"{HEAD}|\n          {script}\n"})
    made = patch(RECIPE, "unit", OWN, step="Setup", captures={"script": "/__w/_temp/9f1c.sh"}, repository=own)
    assert made.state is PatchState.PATCH, made.reason
    assert [line.replace(" ", "") for line in changed(made)] == ["+fi"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # The end of the block was taken into the text, and stands in its column then.
        (
            'if a; then\n  cmds="${cmds} \\\n    --ignore=a.py \\\n    --ignore=b.py \\\n    fi\n\nif b; then\n  echo "(b)"\nfi\n',
            ["-    --ignore=b.py \\", "-    fi", '+    --ignore=b.py"', "+fi"],
        ),
        ('for f in a b; do\n  ARGS="$f \\\n    --fast \\\ndone\necho "1"\n', ["-    --fast \\", '+    --fast"']),
        ('set -e\npython train.py --name "a b\n', ['-python train.py --name "a b', '+python train.py --name "a b"']),
        ('export A="1\nexport B=(2)\n', ['-export A="1', '+export A="1"']),
    ],
)
def test_a_quote_that_is_never_closed(script: str, expected: list[str]) -> None:
    made = patch(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    shown = [line for line in made.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert shown == expected


@pytest.mark.parametrize(
    "script",
    [
        # Two lines could be the one; a text of several lines that is closed; a shell that stops elsewhere.
        'a "1\nb 2\nc "3\nd 4\ne "5\n',
        'echo "one\ntwo"\nif a; then\necho 1\n',
    ],
)
def test_a_quote_that_may_stand_elsewhere(script: str) -> None:
    made = draft(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("if [ $A = 1 ]\n    make\nfi\n", "+if [ $A = 1 ]; then"),
        ("if [ $A = 1 ]; then\n    make\nelif [ $A = 2 ]\n    echo\nfi\n", "+elif [ $A = 2 ]; then"),
        ("for f in a b\n    echo $f\ndone\n", "+for f in a b; do"),
        ("if a\nthen\n  echo 1\nfi\nwhile b\n  echo 2\ndone\n", "+while b; do"),
    ],
)
def test_the_head_of_a_block_gets_its_word(script: str, expected: str) -> None:
    made = patch(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [expected]


def test_a_quote_is_closed_in_the_words_as_they_stand() -> None:
    there = tree({OWN: f'{HEAD}make || echo "none\n'})
    own = {"script": "/home/runner/work/_temp/1.sh"}
    made = patch(RECIPE, "unit", OWN, step="Setup", captures=own, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ['-run: make || echo "none', '+run: make || echo "none"']


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("awk '\n  if ($1 > 3)\n    print\n' list\n", PatchState.IN_PLACE),
        ("python -c '\nfor a in range(3):\n  print(a)\n'\n", PatchState.IN_PLACE),
        ("if a\n  b\nfi\n" * 2000, PatchState.REFUSED),
    ],
)
def test_a_head_in_a_quote_gets_no_word_and_many_are_not_tried(script: str, state: PatchState) -> None:
    made = draft(RECIPE, "unit", OWN, step="Setup", captures=FILE, repository=repository(script))
    assert made.state is state
