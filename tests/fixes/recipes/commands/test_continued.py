"""An argument that the shell ran as a command, handed to the command above it again."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairLine

OWN = ".github/workflows/own.yml"
RECIPE = RepairLine("continued", "{script}", "{line}", "{word}")


def step(text: str) -> str:
    run = "".join(f"          {line}\n".replace("          \n", "\n") for line in text.splitlines())
    return f"on: [push]\njobs:\n  unit:\n    runs-on: x\n    steps:\n      - name: Run\n        run: |\n{run}"


def mended(text: str, word: str, line: int, *, own: bool) -> str:
    files = {OWN: step(text if own else "bash run/all.sh")} | ({} if own else {"run/all.sh": text})
    captures = {"script": "/home/runner/work/_temp/1.sh" if own else "./run/all.sh", "line": str(line), "word": word}
    made = patch(RECIPE, "unit", OWN, step="Run", captures=captures, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    return "\n".join(changed(made))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("text", "word", "line", "expected"),
    [
        # A comment among the arguments.
        (
            'for x in a b; do\n  python launch.py \\\n    --gpus "$GPUS" \\\n    # names must differ\n    --secret "K=$K" \\\n    --cluster c\ndone\n',
            "--secret",
            5,
            "+# names must differ\n-# names must differ",
        ),
        # A commented-out argument of a command that goes on by an override.
        ("torchrun main.py model=a \\\n# trainer.seed=1 \\\ntrainer.steps=$N \\\nx=1\n", "trainer.steps=20", 3, "+# trainer.seed=1 \\\n-# trainer.seed=1 \\"),
        # No backslash at all.
        ("python -m serve\n  --port=$PORT\n", "--port=80", 2, "-python -m serve\n+python -m serve \\"),
        # Blanks behind it.
        ("python eval.py --a 1 \\  \n  --batch-size 8\n", "--batch-size", 2, "-python eval.py --a 1 \\\n+python eval.py --a 1 \\"),
        # A comment behind it.
        ("srun a.py \\ # two nodes\n  --nodes 2\n", "--nodes", 2, "-srun a.py \\ # two nodes\n+# two nodes\n+srun a.py \\"),
        # Two gaps of one command.
        ("vllm serve m \\\n\n  --tp 2 \\\n  # new\n  --pp 1\n", "--tp", 3, "+# new\n-\n-# new"),
    ],
)  # fmt: skip
def test_the_command_goes_on(text: str, word: str, line: int, expected: str, own: bool) -> None:
    assert mended(text, word, line, own=own) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("run() {\n  --flag 1\n}\n", "--flag"),  # nothing above it
        ("if true; then\n  --flag 1\nfi\n", "--flag"),
        ("make all\n\n# evaluate\n--flag 1\n", "--flag"),  # which command it is meant for is open
        ("python a.py \\\n  --flag 1\n", "--flag"),  # in order
        ("python a.py\n  --flag 1\npython b.py\n  --flag 1\n", "--flag"),  # the line decides, and none is named
        ("cat > a.txt <<EOF\nx\n--flag 1\nEOF\n", "--flag"),
        ("$TOOL\nflag 1\n", "flag"),  # a command like any other
        ("ARGS=(\n  a\n)\n--flag 1\n", "--flag"),
    ],
)
def test_nothing_is_joined_that_may_not_belong_together(text: str, word: str) -> None:
    captures = {"script": "a.sh", "line": "", "word": word}
    assert not draft(RECIPE, "", "", captures=captures, repository=tree({"a.sh": text})).edits
