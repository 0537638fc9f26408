from __future__ import annotations

import time

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RenameVariable

OWN = ".github/workflows/own.yml"
RECIPE = RenameVariable("{script}", "{name}")
HEAD = "#!/bin/bash\nset -euo pipefail\n"


def repository(script: str, env: str = "", **more: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: gpu-8\n{env}    steps:\n      - name: Train\n        run: bash runs/own.sh\n"
    return tree({OWN: job, "runs/own.sh": HEAD + script, **{f"runs/{name}.sh": text for name, text in more.items()}})


def inline(script: str, env: str = "") -> MemoryTree:
    body = "".join(f"          {line}\n" for line in ("set -u", *script.splitlines()))
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  train:\n    runs-on: gpu-8\n    steps:\n      - name: Train\n{env}        run: |\n{body}"
        }
    )


def captures(name: str, script: str = "runs/own.sh") -> dict[str, str]:
    return {"name": name, "script": script}


RUNNERS = "/home/runner/work/_temp/0b2f4a5e.sh"


@pytest.mark.parametrize(
    ("there", "named", "new"),
    [
        # Read under a wrong name, while the right one is read as well.
        (
            repository('MODEL_PATH=a\necho "$MODEL_PATH"\nrun "${MODLE_PATH}/b"\n'),
            captures("MODLE_PATH"),
            ['-run "${MODLE_PATH}/b"', '+run "${MODEL_PATH}/b"'],
        ),
        # Set under a wrong name, which nothing reads.
        (
            repository("export OUTPTU_DIR=a\nmkdir $OUTPUT_DIR\nrun $OUTPUT_DIR\n"),
            captures("OUTPUT_DIR"),
            ["-export OUTPTU_DIR=a", "+export OUTPUT_DIR=a"],
        ),
        # Each stands there once: others write the word as it is set.
        (
            repository("REMOTE=a\nrun $REOTE\n", other="echo remote\n"),
            captures("REOTE"),
            ["-run $REOTE", "+run $REMOTE"],
        ),
        (
            repository("for model_name in a b; do\n  run $model_nmae\n  log $model_name\ndone\n"),
            captures("model_nmae"),
            ["-run $model_nmae", "+run $model_name"],
        ),
        # The entry of a step, or of the job, around it.
        (
            inline("echo $TARGET_SHA\n", "        env:\n          TARGTE_SHA: abc\n"),
            captures("TARGET_SHA", RUNNERS),
            ["-TARGTE_SHA: abc", "+TARGET_SHA: abc"],
        ),
        (
            repository("echo $TARGET_SHA\n", "    env:\n      TARGTE_SHA: abc\n"),
            captures("TARGET_SHA"),
            ["-TARGTE_SHA: abc", "+TARGET_SHA: abc"],
        ),
        (
            inline("WORK_DIR=a\ncd $WORK_DIR\nls $WRK_DIR\n"),
            captures("WRK_DIR", RUNNERS),
            ["-ls $WRK_DIR", "+ls $WORK_DIR"],
        ),
        # What is no variable of this shell stays: a program of its own, a text, a remark.
        (
            repository(
                "OUT_DIR=a\nls $OUT_DIR\nls $OUT_DRI\nawk '{\n  print $OUT_DRI\n}' b\ncat <<'E'\n$OUT_DRI\nE\n"
                'echo "\\$OUT_DRI" # $OUT_DRI\n'
            ),
            captures("OUT_DRI"),
            ["-ls $OUT_DRI", "+ls $OUT_DIR"],
        ),
        # Asked for by its name.
        (repository("OUT_DIR=a\nfrom=OUT_DIR\nls ${!from}\nls $OUT_DRI\n"), captures("OUT_DRI"), ["-ls $OUT_DRI", "+ls $OUT_DIR"]),
        # What the job's `env` sets and a tool reads.
        (repository("run $HF_TOKN\n", "    env:\n      HF_TOKEN: abc\n"), captures("HF_TOKN"), ["-run $HF_TOKN", "+run $HF_TOKEN"]),
    ],
)  # fmt: skip
def test_both_have_one_name_afterwards(there: MemoryTree, named: dict[str, str], new: list[str]) -> None:
    made = patch(RECIPE, "train", OWN, step="Train", captures=named, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == new


def test_a_line_without_an_end_takes_no_time() -> None:
    script = "OUT_DIR=a\n" + "export OUT_DIR; read -r X; " * 10_000 + "\nls $OUT_DRI\n"
    begun = time.process_time()
    draft(RECIPE, "train", OWN, step="Train", captures=captures("OUT_DRI"), repository=repository(script))
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("there", "named", "state"),
    [
        (repository("run $MODEL_PATH\n"), captures("MODEL_PATH"), PatchState.REFUSED),
        (repository("MODEL_PATH=a\nrun $MODEL_PATH\n"), captures("MODEL_PATH"), PatchState.IN_PLACE),
        # Another word, and one of several.
        (repository("DATA_PATH=a\nrun $DATA_PATH $MODEL_PATH\n"), captures("MODEL_PATH"), PatchState.REFUSED),
        (
            repository('FILES="a b"\nfor each in $FILES; do run $FILE; done\n'),
            captures("FILE"),
            PatchState.ADVICE,
        ),
        # Set for one command alone.
        (repository("OUT_DIR=a python run.py\nls $OUT_DRI\n"), captures("OUT_DRI"), PatchState.REFUSED),
        (repository("LOG_PATH=a\nrun $_LOG_PATH\n"), captures("_LOG_PATH"), PatchState.ADVICE),
        (repository("run $MODEL_PATH\n"), captures("MODEL_PATH", "other.sh"), PatchState.REFUSED),
    ],
)
def test_nothing_is_renamed_without_a_slip(there: MemoryTree, named: dict[str, str], state: PatchState) -> None:
    assert draft(RECIPE, "train", OWN, step="Train", captures=named, repository=there).state is state


LOOKS = "NPUS_PER_NODE=${NPUS_PER_NODE:-16}\npython -m train trainer.gpus=%s \\\n  trainer.nodes=1\n"
BESIDE = LOOKS % '"${NPUS_PER_NODE}"'


def test_a_variable_is_called_as_the_scripts_beside_give_it_to_the_same_key() -> None:
    given = repository(LOOKS % "${NDEVICES}", other=BESIDE)
    made = patch(RECIPE, "train", OWN, captures=captures("NDEVICES"), repository=given)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [
        "-python -m train trainer.gpus=${NDEVICES} \\",
        "+python -m train trainer.gpus=${NPUS_PER_NODE} \\",
    ]
    # The shell was in the script's folder.
    alone = patch(RECIPE, "train", OWN, captures=captures("NDEVICES", "own.sh"), repository=given)
    assert alone.state is PatchState.PATCH, alone.reason


@pytest.mark.parametrize(
    ("script", "others"),
    [
        # The others do not agree, give it to another key, or only in a remark.
        (LOOKS % "${NDEVICES}", {"a": BESIDE, "b": LOOKS % "${CARDS}"}),
        (LOOKS % "${NDEVICES}", {"a": BESIDE.replace("trainer.gpus", "trainer.more_gpus")}),
        (LOOKS % "${NDEVICES}", {"a": BESIDE.replace("python", "# python")}),
        # It has another use here, and one script alone says so.
        (f"{LOOKS % '${NDEVICES}'}echo $NPUS_PER_NODE\n", {"a": BESIDE}),
        # It is set behind its use, or not at all.
        ("python -m train trainer.gpus=${NDEVICES}\nNPUS_PER_NODE=16\n", {"a": BESIDE}),
        ("python -m train trainer.gpus=${NDEVICES}\n", {"a": BESIDE}),
        # One of the places where it is read says nothing.
        (f"{LOOKS % '${NDEVICES}'}echo ${{NDEVICES}}\n", {"a": BESIDE}),
    ],
)
def test_otherwise_it_keeps_its_name(script: str, others: dict[str, str]) -> None:
    given = repository(script, **others)
    made = draft(RECIPE, "train", OWN, captures=captures("NDEVICES"), repository=given)
    assert made.edits == (), made.title
