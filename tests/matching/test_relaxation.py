from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from triage.matching.patterns import options
from triage.matching.relaxation import relax

PARTS = [
    "a",
    "b",
    "^",
    "$",
    r"\b",
    r"\B",
    ".",
    "[^a]",
    "[]a]",
    "[^]b]",
    "[[:alpha:]]",
    r"\$",
    r"\^",
    "(?:a|^b)",
    r"\d{2,3}",
]
PARTS += ["x{2}", "a{0,2}", r"[\]^$]", r"\Qa^$\E", "(?P<n>b$)", "(?i:A)", " ", "a+?", "b{1,2}?"]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join), st.text("ab x]^$1", max_size=12))
def test_whatever_a_text_matches_is_located_in_its_line(pattern: str, text: str) -> None:
    exact = re2.compile(pattern.encode(), options())
    located = re2.compile(relax(pattern).encode(), options(never_nl=True))
    text = text.strip()
    if r"\b^" in pattern or r"\B^" in pattern or not exact.search(text.encode()):
        return
    for line in (text, f"2026 {text}", f"[rank0]: {text}", f"job\t{text} [repeated]", f"it/s]{text}\nnext"):
        assert located.search(f"before\n{line}".encode())


@pytest.mark.parametrize(
    ("pattern", "relaxed"),
    [
        (r"a{2,250}b{0,9}c{3}", "a+b*c+"),
        (r"[^{2}]\{2}", r"[^{2}]\{2}"),
        (r"x$", r"x(?:)"),
        (r"[$^]", r"[$^]"),
    ],
)
def test_what_is_relaxed(pattern: str, relaxed: str) -> None:
    assert relax(pattern) == relaxed
