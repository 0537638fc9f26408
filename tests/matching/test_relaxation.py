from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from triage.matching.patterns import compile_patterns, leaves, options, pattern_of
from triage.matching.relaxation import relax, shortened, unbounded
from triage.sources.catalogue import load

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
PARTS += [r"\x{61}", "b{0,20}", "[^b]{1,40}"]
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


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join), st.text("ab x]^$1", max_size=60))
def test_whatever_a_pattern_matches_its_unbounded_form_matches(pattern: str, text: str) -> None:
    loose = re2.compile(unbounded(pattern).encode(), options())
    if re2.compile(pattern.encode(), options()).search(text.encode()):
        assert loose.search(text.encode())


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        (r"a{2,250}b{0,90}c{30}", "a+b*c+"),
        (r"a{1,200}={3,}b{2}", "a+={3,}b{2}"),
        ("a{3}", "a{3}"),
        (r"[a{1,200}]\{1,200}\x{200}b{20}", r"[a{1,200}]\{1,200}\x{200}b+"),
        # RE2 may refuse what unrolls to more than a thousand: it is to say so itself.
        ("(?:a{1,200}){1,200}", "(?:a{1,200}){1,200}"),
        ("a{1,2001}", "a{1,2001}"),
    ],
)
def test_what_loses_its_bounds(pattern: str, form: str) -> None:
    assert unbounded(pattern) == form


def test_bounds_still_decide_about_a_line() -> None:
    compiled = compile_patterns([], {"short": r"^a{1,20}b$", "long": r"^a{21,40}b$"})
    for length in (1, 20, 21, 40, 41):
        found = compiled.matching(b"a" * length + b"b")
        assert found == ((0,) if length <= 20 else (1,) if length <= 40 else ()), length


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("short text$", "short text$"),
        ("abcdefghijklmnopqrstuvwxyz", ".*klmnopqrstuvwxyz"),
        # A quantifier belongs to the last letter, which stays.
        ("abcdefghijklmnopqrstuvwxyz{2,3}x?", ".*jklmnopqrstuvwxyz{2,3}x?"),
        (r"(?P<name>\w+) is not installed in this environment", r"(?P<name>\w+).*this environment"),
        (r"[abcdefghijklmnopqrstuvwxyz(]+\)", r"[abcdefghijklmnopqrstuvwxyz(]+\)"),
        (r"(?i:no space left on the device\.)", r"(?i:.*t on the device\.)"),
    ],
)
def test_of_a_long_literal_text_the_end_is_asked_for(pattern: str, form: str) -> None:
    assert shortened(pattern) == form


def test_what_a_pattern_of_the_catalogue_matches_its_shortened_form_matches_too() -> None:
    for signature in load().signatures.values():
        lines = [line for text in signature.examples_match for line in text.splitlines()]
        for pattern in map(pattern_of, leaves(signature.condition)):
            form = re2.compile(shortened(pattern).encode(), options())
            for line in lines:
                assert form.search(line.encode()) or not re2.compile(pattern.encode(), options()).search(line.encode())
