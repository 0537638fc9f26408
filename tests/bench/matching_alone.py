"""Matching alone: the same cleaned bytes, the same patterns, three ways."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench import rules
from tests.bench.texts import MB
from triage.logs.blocks import BLOCK
from triage.matching.engine import matched_lines
from triage.matching.patterns import Patterns, compile_patterns

Hit = tuple[int, int]
_CAPTURED = 8
# Longer lines are left out here: on one of 480 KB, `re` needs minutes for a single one of these rules.
LONGEST = 2000


@dataclass(frozen=True)
class Speed:
    """`hits` are (line, pattern) pairs, or for the classifier the number of rules that hit."""

    what: str
    rules: int
    size: int
    seconds: float
    hits: int

    @property
    def rate(self) -> float:
        return self.size / MB / self.seconds


def compare(text: bytes, counts: tuple[int, ...], budget: int) -> Iterator[Speed]:
    """`text` is cleaned; of it each way gets a sample of `budget` bytes over the number of rules, spread evenly.

    Raises AssertionError where the engine and `re` disagree about a hit.
    """
    text = b"\n".join(line for line in text.split(b"\n") if len(line) <= LONGEST)
    for count in counts:
        patterns = rules.patterns(count)
        compiled = compile_patterns(rules.signatures(count), {})
        part = _spread(text, budget // count)
        long = part * (1 + 50 * MB // len(part))
        assert set(engine(part, compiled)) == set(by_re(part, patterns)), "the engine and re disagree"
        yield _timed("engine", count, long, lambda: len(engine(long, compiled)))  # noqa: B023
        yield _timed("re per rule per line", count, part, lambda: len(by_re(part, patterns)))  # noqa: B023
        yield from classifier(patterns, part)


def _timed(what: str, count: int, text: bytes, work) -> Speed:
    best, hits = float("inf"), 0
    for _ in range(3 if len(text) > 20 * MB else 1):
        started = time.process_time()
        hits = work()
        best = min(best, time.process_time() - started)
    return Speed(what, count, len(text), best, hits)


def _spread(text: bytes, size: int) -> bytes:
    """Stretches of 64 lines from all over the text."""
    lines = text.split(b"\n")
    step = max(1, len(text) // size)
    return b"".join(b"\n".join(lines[at : at + 64]) + b"\n" for at in range(0, len(lines), 64 * step))


def engine(text: bytes, patterns: Patterns) -> list[Hit]:
    """What `triage.matching.engine` does with a block once it is clean, and the captures of the hits that are kept."""
    hits: list[Hit] = []
    captured: dict[int, int] = {}
    number = at = 0
    while at < len(text):
        end = text.rfind(b"\n", at, at + BLOCK) + 1 if at + BLOCK < len(text) else len(text)
        block = text[at:end]
        counted = 0
        for start, found in matched_lines(block, patterns):
            number += block.count(b"\n", counted, start)
            counted = start
            for hit in found:
                captured[hit] = captured.get(hit, 0) + 1
                if captured[hit] <= _CAPTURED:
                    patterns.single(hit).search(block, start)
                hits.append((number, hit))
        number += block.count(b"\n", counted)
        at = end
    return hits


def by_re(text: bytes, patterns: list[str]) -> list[Hit]:
    searches = [re.compile(pattern.encode()).search for pattern in patterns]
    return [
        (number, rule)
        for number, line in enumerate(text.split(b"\n"))
        for rule, search in enumerate(searches)
        if search(line)
    ]


def classifier(patterns: list[str], text: bytes) -> Iterator[Speed]:
    """The published pytorch algorithm, our rendering in C with PCRE2's JIT; nothing where it cannot be built."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return
    with tempfile.TemporaryDirectory() as folder:
        program, listed, log = Path(folder, "classifier"), Path(folder, "rules"), Path(folder, "log")
        source = Path(__file__).with_name("classifier.c")
        built = subprocess.run(
            [compiler, "-O2", "-o", program, source, "-l:libpcre2-8.so.0"], capture_output=True, check=False
        )
        if built.returncode:
            return
        listed.write_text("\n".join(patterns), encoding="utf-8")
        log.write_bytes(text)
        ran = subprocess.run([program, listed, log], capture_output=True, text=True, check=True)
        seconds, size, hits = ran.stdout.split()
        yield Speed("pytorch's algorithm, in C", len(patterns), int(size), float(seconds), int(hits))
