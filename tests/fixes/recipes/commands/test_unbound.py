"""A variable that scripts of one folder set alike, and one of them does not."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyVariable

OWN = ".github/workflows/own.yml"
RECIPE = CopyVariable("{script}", "{name}")
SAID = {"script": "examples/run_b.sh", "name": "DEVICE"}
LINE = "DEVICE=${DEVICE:-$(python3 -c 'import fast' && echo fast || echo gpu)}"
BODY = 'set -eu\nMODEL=${{MODEL:-small}}\n{own}case "${{DEVICE}}" in\n  gpu) ;;\nesac\n'


def repository(*others: str, script: str = "") -> MemoryTree:
    files = {f"examples/run_{at}.sh": f"set -eu\n{one}\n" for at, one in enumerate(others)}
    step = "      - name: Run\n        run: bash examples/run_b.sh\n"
    files[OWN] = f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{step}"
    files["examples/run_b.sh"] = script or BODY.format(own="")
    files["other/run.sh"] = "DEVICE=${DEVICE:-cpu}\n"
    return tree(files)


def test_it_is_set_as_the_scripts_beside_it_do() -> None:
    made = patch(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(LINE, LINE))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+{LINE}"]
    assert made.files == ("examples/run_b.sh",)


@pytest.mark.parametrize(
    ("others", "script", "state"),
    [
        ((LINE,), "", PatchState.ADVICE),
        ((LINE, "DEVICE=${DEVICE:-gpu}"), "", PatchState.ADVICE),
        ((), "", PatchState.REFUSED),
        # It needs another variable, which this script does not have.
        (("DEVICE=${DEVICE:-$KIND}", "DEVICE=${DEVICE:-$KIND}"), "", PatchState.ADVICE),
        ((LINE, LINE), "set -eu\necho $DEVICE\nMODEL=${MODEL:-small}\n", PatchState.ADVICE),
        ((LINE, LINE), BODY.format(own=f"{LINE}\n"), PatchState.IN_PLACE),
    ],
)
def test_where_they_do_not_say_it_nothing_is_written(others: tuple[str, ...], script: str, state: PatchState) -> None:
    made = draft(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(*others, script=script))
    assert made.state is state, made.reason


@pytest.mark.parametrize("line", ["DEVICE=/data/cache_a", 'export DEVICE="a b"', "DEVICE=gpu  # of this machine"])
def test_a_plain_value_that_they_share(line: str) -> None:
    script = "set -eu\nMODEL=small\nrun --device $DEVICE\n"
    made = patch(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(line, line, script=script))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"+{line}"]


def test_of_two_plain_values_none_is_chosen() -> None:
    held = repository("DEVICE=/a", "DEVICE=/b", script="set -eu\nMODEL=small\nrun $DEVICE\n")
    assert draft(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=held).state is PatchState.ADVICE
    several = repository("DEVICE=$(pwd)", "DEVICE=$(pwd)", script="set -eu\nMODEL=small\nrun $DEVICE\n")
    assert draft(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=several).state is PatchState.REFUSED


def test_a_text_that_a_script_hands_on_sets_nothing() -> None:
    handed = "cat > own.sh <<'E'\nDEVICE=gpu\nE\n"
    assert draft(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(handed, handed)).state is PatchState.REFUSED  # fmt: skip
    script = "set -eu\ncat > own.sh <<'E'\nMODEL=small\nE\nKIND=big\nrun --device $DEVICE\n"
    made = patch(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(LINE, LINE, script=script))
    assert made.state is PatchState.PATCH, made.reason
    assert made.diff.index(" E\n") < made.diff.index(f"+{LINE}")


def test_what_is_set_behind_its_use_is_not_in_place() -> None:
    script = "set -eu\nMODEL=small\nrun $DEVICE\nDEVICE=gpu\n"
    made = draft(RECIPE, "unit", OWN, step="Run", captures=SAID, repository=repository(LINE, LINE, script=script))
    assert (made.state, "before it sets it" in made.reason) == (PatchState.ADVICE, True)
