"""The texts that the benchmark reads: real failures where the labelled corpus is present, else training noise."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from triage.logs.blocks import blocks
from triage.logs.cleaning import visible
from triage.logs.lines import parse

MB = 1_000_000
_WORDS = [
    "loader",
    "tensor",
    "rank",
    "worker",
    "kernel",
    "stream",
    "device",
    "shard",
    "buffer",
    "bucket",
    "engine",
    "cache",
    "graph",
    "batch",
    "token",
    "layer",
]


def real_failures() -> bytes:
    """The corpus's texts one after the other, at CORPUS_CASES (its list) and CORPUS_GIT (fetched repositories)."""
    cases, git = os.environ.get("CORPUS_CASES", ""), os.environ.get("CORPUS_GIT", "")
    if not Path(cases).is_file() or not Path(git).is_dir():
        return b""
    texts = {}
    for line in Path(cases).read_text(encoding="utf-8").splitlines():
        where = json.loads(line)["loc"]
        directory = Path(git, where.get("repo", "").replace("/", "+"), "repo")
        if where["kind"] == "git" and directory.is_dir():
            named = f"{where['commit']}:{where['path']}"
            shown = subprocess.run(["git", "-C", str(directory), "show", named], capture_output=True, check=False)
            texts[named] = shown.stdout
    return b"\n".join(texts.values())


def noise(size: int, failing: bool = True) -> bytes:
    """What a training job prints, coloured and stamped, about `size` bytes; with a failure at its end."""
    chance, lines, done, at = random.Random(7), [HEAD], len(HEAD), 0
    while done < size:
        at += 1
        line = b"2026-08-20T03:%02d:%02d.%07dZ %s" % (at // 60 % 60, at % 60, at % 10**7, _noise_line(chance, at))
        lines.append(line)
        done += len(line) + 1
    return b"\n".join([*lines, FAILURE if failing else b""])


def _noise_line(chance: random.Random, at: int) -> bytes:
    kind = chance.random()
    if kind < 0.3:
        numbers = (1000 + at % 8, at, chance.random(), chance.random() * 80)
        return b"\x1b[36m(WorkerDict pid=%d)\x1b[0m step:%d - actor/loss:%.4f - perf/memory_gb:%.2f" % numbers
    words = " ".join(chance.choice(_WORDS) for _ in range(11)).encode()
    if kind < 0.6:
        return b"\x1b[36m(TaskRunner pid=77)\x1b[0m \x1b[32mINFO\x1b[0m [scheduler.py:%d] %s" % (at % 999, words)
    if kind < 0.8:
        return b"Training Progress: %3d%%|%s| %d/100 [00:0%d<00:05, 1.3it/s]" % (at % 100, b"#" * 10, at % 100, at % 9)
    return words


HEAD = b"""\
2026-08-20T03:00:00.0000000Z Current runner version: '2.336.0'
2026-08-20T03:00:00.0000001Z ##[group]Run torchrun train.py
2026-08-20T03:00:00.0000002Z \x1b[36;1mtorchrun train.py\x1b[0m
2026-08-20T03:00:00.0000003Z shell: bash -e {0}
2026-08-20T03:00:00.0000004Z ##[endgroup]"""
FAILURE = b"""\
2026-08-20T04:00:00.0000000Z [rank1]: Traceback (most recent call last):
2026-08-20T04:00:00.0000001Z [rank1]:   File "/w/train.py", line 14, in <module>
2026-08-20T04:00:00.0000002Z [rank1]:     loss.backward()
2026-08-20T04:00:00.0000003Z [rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB.
2026-08-20T04:00:01.0000000Z ##[error]Process completed with exit code 1.
"""


def cleaned(raw: bytes) -> bytes:
    """The text of every line as matching sees it: stamps, escapes and prefixes gone."""
    parts = []
    for block in blocks(io.BytesIO(raw)):
        ends = b"\n" if block.raw.endswith(b"\n") else b""
        lines = visible(block.raw).removesuffix(b"\n").split(b"\n")
        parts.append(b"\n".join(parse(line).text for line in lines) + ends)
    return b"".join(parts)


@dataclass(frozen=True)
class Repeated:
    """A log of `times` times the same bytes, made while it is read: for sizes that memory or disk should not hold."""

    name: str
    content: bytes
    times: int

    def open(self) -> BinaryIO:
        return io.BufferedReader(_Loop(self.content, self.times), 1 << 16)


class _Loop(io.RawIOBase):
    def __init__(self, content: bytes, times: int) -> None:
        super().__init__()
        self._content, self._size, self._at = content, len(content) * times, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        start = self._at % len(self._content)
        part = self._content[start : start + min(len(buffer), self._size - self._at)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)
