"""Downloads and prepared data that sibling jobs have and the failed one lacks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyCommand

OWN, OTHER = ".github/workflows/own.yml", ".github/workflows/other.yml"
MODEL = CopyCommand("{path}", commands=("huggingface-cli download", "hf download"))
DATA = CopyCommand("{path}")
SMALL = "huggingface-cli download example/small --local-dir ${HOME}/models/example/small"
LARGE = "huggingface-cli download example/large --local-dir ${HOME}/models/example/large"
CACHED = "huggingface-cli download 'example/small'"
ELSEWHERE = SMALL.replace("${HOME}/models/", "/data/")


def repository(own: str, *others: str, label: str = "gpu-8") -> MemoryTree:
    """Each text is the script of a step between the installs and the tests; "" for no such step."""
    jobs = "".join(f"  job{at}:\n{_job(text, label)}" for at, text in enumerate(others))
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  train:\n{_job(own, 'gpu-8')}",
            OTHER: f"on: [push]\njobs:\n{jobs or '  none: {}'}",
            "tests/run.sh": "python train.py --model ~/models/example/small --data $HOME/data/gsm8k/train.parquet\n",
        }
    )


def _job(text: str, label: str) -> str:
    name, _, script = text.rpartition(": ")
    body = "".join(f"          {line}\n" for line in script.splitlines())
    step = f"      - name: {name or 'Download'}\n        run: |\n{body}" if text else ""
    return (
        f"    runs-on: [{label}]\n    steps:\n      - name: Install\n        run: pip install -e .\n{step}"
        "      - name: Train\n        run: bash tests/run.sh\n"
    )


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        ("", [SMALL], ["+- name: Download", "+run: |", f"+{SMALL}"]),
        (LARGE, [SMALL], [f"+{SMALL}"]),
        # No sibling downloads this one, but the job itself downloads another in the same way.
        (LARGE, [], [f"+{SMALL}"]),
        ("", [LARGE, LARGE], ["+- name: Download", "+run: |", f"+{SMALL}"]),
        # Into the cache of the Hub, where nothing looks for a path, or into another folder.
        ("", [CACHED, CACHED, LARGE], ["+- name: Download", "+run: |", f"+{SMALL}"]),
        (CACHED, [LARGE], [f"+{SMALL}"]),
        ("", [ELSEWHERE, ELSEWHERE, SMALL], ["+- name: Download", "+run: |", f"+{SMALL}"]),
        (
            "",
            [SMALL.replace(" ${HOME}", "=~")],
            ["+- name: Download", "+run: |", f"+{SMALL.replace(' ${HOME}', '=~')}"],
        ),
        ("", [f"{SMALL} && ls", SMALL], ["+- name: Download", "+run: |", f"+{SMALL}"]),
    ],
)
def test_the_download_of_a_sibling_is_copied(own: str, others: list[str], expected: list[str]) -> None:
    made = patch(
        MODEL,
        "train",
        OWN,
        step="Train",
        captures={"path": "/root/models/example/small"},
        repository=repository(own, *others),
    )
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize(
    ("tree", "path", "reason"),
    [
        (repository(SMALL), "/root/models/example/small", "downloads example/small already"),
        (repository("", LARGE), "/root/models/someone/else", "nothing in the repository names someone/else"),
        (repository("", "echo"), "example/small", "add the step that downloads example/small to train"),
        (repository("", SMALL, label="npu-8"), "example/small", "add the step that downloads example/small to train"),
        (
            repository("", CACHED),
            "/root/models/example/small",
            "to /root/models/example/small, where it is read, to train",
        ),
        (repository("", ELSEWHERE), "/root/models/example/small", "to /root/models/example/small, where it is read,"),
        (repository("", SMALL), "example/small", "add the step that downloads example/small to train"),
        (repository("", SMALL), "/root/data/example/small", "the log names no model"),
        (repository("", SMALL), "tiny", "the log names no model"),
        (repository("", SMALL), "/github/home/data/example/small", "the log names no model"),
        (repository("", SMALL), "/root/models/example/test.parquet", "the log names no model"),
        (repository("", SMALL.replace("example/small", "${NAME}")), "example/small", "add the step that downloads"),
    ],
)
def test_a_download_that_is_not_certain_is_not_copied(tree: MemoryTree, path: str, reason: str) -> None:
    made = draft(MODEL, "train", OWN, step="Train", captures={"path": path}, repository=tree)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


def test_a_name_is_downloaded_into_the_cache() -> None:
    there = repository("", SMALL, CACHED)
    made = patch(MODEL, "train", OWN, step="Train", captures={"path": "example/small"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+- name: Download", "+run: |", f"+{CACHED}"]


def test_the_step_that_prepares_the_data_is_copied_whole() -> None:
    there = repository("", "Prepare gsm8k: ray stop\npython3 examples/gsm8k.py")
    made = patch(
        DATA, "train", OWN, step="Train", captures={"path": "/root/data/gsm8k/train.parquet"}, repository=there
    )
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+- name: Prepare gsm8k", "+run: |", "+ray stop", "+python3 examples/gsm8k.py"]


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        (repository("", "Run: python3 prepare_gsm8k.py gsm8k\npython train.py"), "/root/data/gsm8k/train.parquet"),
        (repository("", "Prepare math: python3 prepare.py math"), "/root/data/gsm8k/train.parquet"),
        (repository("Prepare: prepare gsm8k", "Prepare gsm8k: prepare gsm8k"), "/root/data/gsm8k/train.parquet"),
        (repository("", "Prepare gsm8k: prepare gsm8k", label="npu-8"), "/root/data/gsm8k/train.parquet"),
        (repository("", "Prepare gsm8k: prepare gsm8k ${{ matrix.a }}"), "/root/data/gsm8k/train.parquet"),
        (repository("", "Prepare data: prepare data"), "/root/data/train.parquet"),
    ],
)
def test_a_step_that_does_more_or_something_else_is_not_copied(tree: MemoryTree, path: str) -> None:
    made = draft(DATA, "train", OWN, step="Train", captures={"path": path}, repository=tree)
    assert made.state in (PatchState.REFUSED, PatchState.IN_PLACE)
    assert not made.edits
