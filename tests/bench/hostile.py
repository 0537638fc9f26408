"""Inputs made to hang or to swell a reader: each at two sizes, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.texts import MB

REPOSITORY = Path(__file__).parents[2]
_STAMP = b"2026-08-20T03:11:42.1425265Z "

# What is repeated, and how large the whole is, in MB.
INPUTS: dict[str, tuple[bytes, int]] = {
    "one 200 MB line": (b"step loss 0.1 reward Error out of memory ", 200),
    "one line of carriage returns": (b" 10%|#  | 1/10 [00:01<00:09, 1.0s/it]\r", 50),
    "ten million empty lines": (b"\n", 10),
    "near misses": (_STAMP + b"CUDA out of memry. Tried to alocate; No module namd 'x'; exit cod 1\n", 50),
    "a hit on every line": (_STAMP + b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB.\n", 50),
    "a probe on every line": (
        _STAMP + b"(W pid=7) step:1 - perf/max_memory_allocated_gb:71.25 - actor/loss:0.5\n",
        100,
    ),
    "bait for nested repeats": (b"a" * 5000 + b"!\n" + b"FAIL: test FAIL: test ERROR [x: test (" * 500 + b"\n", 50),
    "groups that never end": (_STAMP + b"##[group]Run x\n", 5),
    "100,000 groups": (_STAMP + b"##[group]Run x\n" + _STAMP + b"##[endgroup]\n", 9),
    "escape sequences only": (b"\x1b[36;1m\x1b[0m\x1b]0;t\x07\x1b[" * 40 + b"\n", 50),
    "tracebacks that never end": (b"Traceback (most recent call last):\n" + b'  File "x", line 1, in f\n' * 9, 20),
    "a rank on every line": (b"[rank%d]: Traceback (most recent call last):\n" * 50 % tuple(range(50)), 20),
}


@dataclass(frozen=True)
class Ran:
    what: str
    size: int
    seconds: float
    memory: float  # MiB at most, of the whole process
    growth: float  # how much longer it takes than half of it, 2.0 is linear


def run_all(scale: float) -> Iterator[Ran]:
    for what in INPUTS:
        half, whole = (measure("repeated", what, str(part * scale)) for part in (0.5, 1.0))
        yield Ran(what, whole["size"], whole["seconds"], whole["memory"], whole["seconds"] / max(half["seconds"], 0.01))
    yield _zip_bomb()


def measure(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.child", *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    return json.loads(ran.stdout)


def _zip_bomb() -> Ran:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bomb.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("0_job.txt", "w") as member:
            for _ in range(600):
                member.write(b"\0" * MB)
        result = measure("file", str(path))
    assert result["refused"], "the zip bomb was read"
    return Ran("a zip bomb (refused)", int(result["size"]), result["seconds"], result["memory"], 1.0)
