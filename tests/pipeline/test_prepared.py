"""Data that a program of the repository writes under another name than a script reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.test_places import changed, first, mandatory_gates_only  # noqa: F401 - a fixture
from triage.model.patch import PatchState

MAKER = """
import os

def main(train, val, out):
    train.to_parquet(os.path.join(out, "train.parquet"))
    val.to_parquet(os.path.join(out, "validation.parquet"))
"""
SCRIPT = """
DATA=$HOME/data/gsm8k
# once test.parquet
python3 -m pkg.main data.train=$DATA/train.parquet data.val="['$DATA/test.parquet']" "$@"
"""
FILES = {"prepare/gsm8k.py": MAKER, "run.sh": SCRIPT, "pkg/main.py": "print('train')\n"}
MISSING = "FileNotFoundError: Unable to find '/root/data/gsm8k/test.parquet'"
NEW = """+python3 -m pkg.main data.train=$DATA/train.parquet data.val="['$DATA/validation.parquet']" "$@\""""


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (FILES, MISSING),
        (
            {
                "data_preprocess/gsm8k_dataset.py": MAKER.replace("to_parquet", "to_json").replace("parquet", "jsonl"),
                "run.sh": SCRIPT.replace("parquet", "jsonl"),
                "pkg/main.py": "",
            },
            "FileNotFoundError: [Errno 2] No such file or directory: '/data/gsm8k/test.jsonl'",
        ),
        (
            {**FILES, "prepare/math.py": MAKER.replace("validation", "test")},
            "FileNotFoundError: Parquet file '~/gsm8k/test.parquet'",
        ),
    ],
)
def test_the_script_reads_what_is_written(tmp_path: Path, files: dict[str, str], said: str) -> None:
    found = first(f"me@node:~/train$ bash run.sh\n{said}", files, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    end = "jsonl" if "jsonl" in said else "parquet"
    assert changed(found)[1] == NEW.replace("parquet", end)
    assert len(changed(found)) == 2


@pytest.mark.parametrize(
    "files",
    [
        # The missing name is written too; two are left; another program's folder; nothing writes.
        {**FILES, "prepare/gsm8k.py": MAKER + '    val.to_parquet("test.parquet")\n'},
        {**FILES, "prepare/gsm8k.py": MAKER + '    val.to_parquet("dev.parquet")\n'},
        {"prepare/math.py": MAKER, "run.sh": SCRIPT, "pkg/main.py": ""},
        {**FILES, "prepare/gsm8k.py": MAKER.replace("to_parquet", "read")},
    ],
)
def test_it_is_left_where_that_is_not_told(tmp_path: Path, files: dict[str, str]) -> None:
    assert first(f"$ bash run.sh\n{MISSING}", files, tmp_path).state is not PatchState.PATCH
