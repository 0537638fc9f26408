"""The block engine finds exactly what a plain loop over lines and patterns finds, on any bytes.

TRIAGE_FUZZ_EXAMPLES raises the number of generated inputs: that is the fuzz target.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from triage.logs import blocks as cutting
from triage.logs.blocks import blocks
from triage.logs.cleaning import visible
from triage.logs.columns import Columns, columns
from triage.logs.landmarks import LANDMARKS, Mark
from triage.logs.lines import parse
from triage.matching import sieves
from triage.matching.engine import candidates
from triage.matching.patterns import compile_patterns
from triage.model.signature import Category, Contains, Explain, Rank, Regex, Severity, Signature, Status

EXAMPLES = int(os.environ.get("TRIAGE_FUZZ_EXAMPLES", "150"))

PATTERNS = (
    Contains("out of memory"),
    Contains("exit code 1"),
    Contains("É"),
    Regex(r"^(?P<kind>\w+Error): (?P<message>.*)$"),
    Regex(r"No module named '(?P<module>[^']+)'$"),
    Regex(r"\bKilled\b"),
    Regex(r"^\s*File \"[^\"]+\", line \d+"),
    Regex(r"(?i)cuda error"),
    Regex(r"a\Bb|x$|^y"),
    Regex(r"[^a]z"),
    Regex(r"\s+q"),
    Regex(r"(?s)out.memory.{0,20}GiB"),
    Regex(r"^\d+%"),
    Regex("�"),
)


def signature(number: int, leaf: Contains | Regex) -> Signature:
    return Signature(
        f"s{number}", "t", "o", "f", Category.INFRA, Severity.LOW, Rank.ROOT, Status.STABLE, leaf, Explain("w")
    )


COMPILED = compile_patterns([signature(n, leaf) for n, leaf in enumerate(PATTERNS)], {})

Hit = tuple[int, int, str]


@pytest.fixture(scope="module", params=[10**9, 1], ids=["line by line", "sieved from the first line on"], autouse=True)
def _sieved(request: pytest.FixtureRequest) -> Iterator[None]:
    """The engine must not depend on whether a few patterns have been possible often enough to get a sieve."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sieves, "_OFTEN", request.param)
        yield


def by_engine(raw: bytes, stream: io.RawIOBase | io.BytesIO | None = None, in_columns: bool = False) -> list[Hit]:
    found = candidates(blocks(stream or io.BytesIO(raw)), COMPILED, lambda: False, in_columns)
    return [
        (candidate.seen.number, number, candidate.seen.parsed.text.decode())
        for candidate in found
        for number in sorted(candidate.numbers)
    ]


def by_lines(raw: bytes, in_columns: bool = False) -> list[Hit]:
    hits = []
    above = Columns()
    for number, line in enumerate(raw.split(b"\n"), 1):
        shown = visible(line)
        above = columns(shown, above) if in_columns else above
        text = parse(shown, above.end).text
        hits += [(number, n, text.decode()) for n in range(len(PATTERNS)) if COMPILED.single(n).search(text)]
    # The empty line after the last newline exists as a number, and as nothing else.
    last = raw.count(b"\n") + 1
    return [hit for hit in hits if hit[0] != last or (not raw.endswith(b"\n") and raw)]


FRAGMENTS = st.sampled_from(
    [
        b"2026-08-20T03:11:42.1425265Z ",
        b"2026-99-99T03:11:42Z ",
        b"\xef\xbb\xbf",
        b"\x1b[36;1m",
        b"\x1b[0m",
        b"[36m",
        b"[0m",
        b"#033[1;36m",
        b"^[[0m",
        b"\x1b]8;;http://x\x07",
        b"\x1b",
        b"(WorkerDict pid=1, ip=10.0.0.1) ",
        b"(EngineCore_DP0 pid=34) ERROR 07-31 15:52:26 [core.py:708] ",
        b"[rank0]: ",
        b"[default1]:",
        b"#10 1.515 ",
        b"E   ",
        b"##[group]Run ",
        b"##[endgroup]",
        b"##[error]",
        b"\r",
        b"\r\n",
        b"\n",
        b"\n",
        b" 10%|###| 1/10 [00:01<00:02, 1.0it/s]",
        b"out of memory",
        b"out\nmemory",
        b"exit code 1",
        b"ValueError: bad",
        b"ModuleNotFoundError: No module named 'x'",
        b"Traceback (most recent call last):",
        b'  File "x.py", line 3, in f',
        b"CUDA error",
        b"Killed",
        b"\xc3\x89",
        b"\xc3",
        b"\xc2\x9b1m",
        b"\x00",
        b"\x08",
        b"\t",
        b" [repeated 5x across cluster]",
        b"ab",
        b"xy",
        b"  q",
        b"z",
        b"10%",
        b"+ pytest",
        b"job\tstep\t2026-08-20T03:11:42.1425265Z ",
    ]
)
RAW = st.lists(st.one_of(FRAGMENTS, st.binary(max_size=6)), max_size=40).map(b"".join)


class Trickle(io.RawIOBase):
    """A stream that hands out few bytes at a time."""

    def __init__(self, raw: bytes, sizes: list[int]) -> None:
        super().__init__()
        self._raw, self._sizes, self._at, self._turn = raw, sizes, 0, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        wanted = min(size, self._sizes[self._turn % len(self._sizes)])
        self._turn += 1
        part = self._raw[self._at : self._at + wanted]
        self._at += len(part)
        return part


@settings(max_examples=EXAMPLES, deadline=None)
@given(RAW, st.booleans())
def test_the_engine_equals_the_plain_loop(raw: bytes, in_columns: bool) -> None:
    assert by_engine(raw, in_columns=in_columns) == by_lines(raw, in_columns)


@settings(max_examples=EXAMPLES, deadline=None)
@given(RAW, st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_how_reads_are_cut_changes_nothing(raw: bytes, sizes: list[int]) -> None:
    assert by_engine(raw, Trickle(raw, sizes)) == by_engine(raw)


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(st.lists(RAW, min_size=1, max_size=4), st.lists(st.integers(1, 90), min_size=1, max_size=5))
def test_small_blocks_change_nothing(parts: list[bytes], sizes: list[int]) -> None:
    raw = b"\n".join(parts)
    whole = by_engine(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BLOCK", 64)
        patch.setattr(cutting, "LONGEST_LINE", 1 << 16)
        assert by_engine(raw) == whole
        assert by_engine(raw, Trickle(raw, sizes)) == whole


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(RAW)
@example(b" 10%|###| 1/10 [00:01<00:02, 1.0it/s]+ pytest")
@example(b"#10 1.515 + cmake .")
@example(b"E   + 1")
def test_what_is_accepted_is_located(raw: bytes) -> None:
    """Every line that a landmark's exact pattern accepts is a candidate, though no signature points to it."""
    exact = [(landmark.mark, re.compile(landmark.exact)) for landmark in LANDMARKS]
    found = {
        (candidate.seen.number, mark)
        for candidate in candidates(blocks(io.BytesIO(raw)), compile_patterns([], {}), lambda: False)
        for mark in COMPILED_LANDMARKS.marks_of(candidate.seen.parsed.text)
    }
    for number, line in enumerate(raw.split(b"\n"), 1):
        text = parse(visible(line)).text.decode()
        for mark, pattern in exact:
            if mark is not Mark.PYTEST_ERROR and text and pattern.search(text):
                assert (number, mark) in found


COMPILED_LANDMARKS = compile_patterns([], {})


def _texts() -> list[bytes]:
    corpus, git = os.environ.get("CORPUS_CASES"), os.environ.get("CORPUS_GIT")
    if not corpus or not git:
        return []
    texts = []
    for line in Path(corpus).read_text(encoding="utf-8").splitlines():
        where = json.loads(line)["loc"]
        directory = Path(git, where.get("repo", "").replace("/", "+"), "repo")
        if where["kind"] == "git" and directory.is_dir():
            texts.append(
                subprocess.run(
                    ["git", "-C", str(directory), "show", f"{where['commit']}:{where['path']}"],
                    capture_output=True,
                    check=True,
                ).stdout
            )
    return texts


def test_the_engine_equals_the_plain_loop_on_real_failures() -> None:
    texts = _texts()
    if not texts:
        pytest.skip("set CORPUS_CASES to the labelled cases' file and CORPUS_GIT to the folder of fetched repositories")
    for raw in texts:
        longest = max(map(len, raw.split(b"\n")))
        if longest <= cutting.LONGEST_LINE:
            assert by_engine(raw) == by_lines(raw)
    assert sum(len(by_engine(raw)) for raw in texts) > 100
