"""Lines that only full probes may hit are skipped; what a reading says of them is the same as without."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.matching.conftest import Held, signature
from triage.matching import compile_patterns, scan
from triage.matching.engine import Skipped, _Skipping
from triage.matching.section import Section
from triage.model.log import LogReading
from triage.model.signature import Regex, Sequence

PROBES = {
    "memory": r"memory_allocated:(?P<value>\d+)",
    "size": r"world_size=(?P<value>\d+)",
    "count": r"(?P<value>\d{3,}) tokens$",
    "weak": r"^\d+ [a-z]$",
}
CONDITIONS = (
    Regex(r"memory_allocated:9{4}"),
    Sequence((Regex("first of two"), Regex("ends with a second")), within_lines=5),
)
LINES = (
    "step memory_allocated:{n}",
    "step memory_allocated: none",
    "(W pid={m}) memory_allocated:{n} world_size={m}",
    "world_size={n} as asked",
    "{n} tokens",
    "{m} b",
    "nothing to see",
    "Current runner version: '2.336.0'",
    "Traceback (most recent call last):",
    '  File "a.py", line {n}, in f',
    "ValueError: bad {n}",
    "first of two memory_allocated:{n}",
    "##[group]Run train",
    "##[endgroup]",
    "ends with a second",
    "memory_allocated:{n} " + "x" * 5000,
    "\x1b[31mmemory_allocated:{n}\x1b[0m",
)


def text_of(seed: int, lines: int, kinds: list[int], stamped: float) -> bytes:
    """A few kinds of lines, now and then one of the others."""
    chance = random.Random(seed)
    said = []
    for number in range(lines):
        kind = chance.choice(kinds) if chance.random() < 0.98 else chance.randrange(len(LINES))
        stamp = f"2026-08-20T03:{number // 60 % 60:02d}:{number % 60:02d}.1425265Z "
        line = LINES[kind].format(n=number, m=number % 7)
        said.append((stamp if chance.random() < stamped else "") + line)
    return "\n".join(said).encode()


def readings(text: bytes) -> tuple[LogReading, ...]:
    signatures = [signature(condition, id=f"s{place}") for place, condition in enumerate(CONDITIONS)]
    return scan(Held("log", text), compile_patterns(signatures, PROBES))


def without_skipping(text: bytes) -> tuple[LogReading, ...]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_Skipping, "skips", lambda *_: False)
        return readings(text)


@settings(max_examples=40, deadline=None)
# Here and there a line that a pattern without a required text matches, beside a full one.
@example(seed=0, lines=626, kinds=[5, 0, 0], stamped=1.0)
@given(
    st.integers(0, 1 << 30),
    st.integers(1, 9000),
    st.lists(st.integers(0, len(LINES) - 3), min_size=1, max_size=3),
    st.sampled_from((1.0, 0.9)),
)
def test_a_reading_is_the_same_whether_or_not_lines_are_skipped(
    seed: int, lines: int, kinds: list[int], stamped: float
) -> None:
    text = text_of(seed, lines, kinds, stamped)
    assert readings(text) == without_skipping(text)


@pytest.mark.parametrize("blocks", [1, 30])
def test_most_lines_of_a_full_probe_are_skipped(
    blocks: int, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Any]
) -> None:
    monkeypatch.setattr("triage.matching.section._MOST_SKIPPED", 8)
    looked_at: list[Skipped] = []
    lines = Skipped.lines
    monkeypatch.setattr(Skipped, "lines", lambda self, patterns: looked_at.append(self) or lines(self, patterns))
    skipped: list[Skipped] = []
    skip = Section.skip
    monkeypatch.setattr(Section, "skip", lambda self, one: skipped.append(one) or skip(self, one))
    text = b"".join(b"step memory_allocated:%d\n" % number for number in range(blocks * 3000))
    (reading,) = readings(text)
    numbers = [probed.line.number for probed in reading.probed]
    assert numbers == [*range(1, 151), *range(blocks * 3000 - 99, blocks * 3000 + 1)]
    assert reading.capped == ("probed",)
    assert len(skipped) > 15 * blocks
    # Of eight blocks, those stretches that hold the last hundred hits.
    assert len(looked_at) <= 3 * (blocks // 8 + 1)


def test_a_part_of_a_signature_is_counted_on_every_line() -> None:
    text = b"".join(b"step memory_allocated:%d first of two\n" % number for number in range(3000))
    counted = compile_patterns([signature(Regex(PROBES["memory"]))], PROBES)
    (reading,) = scan(Held("log", text), counted)
    assert reading.matches[0].hits == 3000
