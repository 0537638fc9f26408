"""Any number of patterns, held by as many automata as it takes."""

from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from tests.bench import rules
from triage.errors import CatalogueError
from triage.matching import compile_patterns
from triage.matching.prefilter import Prefilter, RefusedError

MANY = [f"broken part {number}:".encode() for number in range(4000)]


def test_many_patterns_keep_their_numbers() -> None:
    held = Prefilter(MANY)
    assert held.matching(b"the broken part 0: and broken part 3999: too") == [0, 3999]
    assert held.possible(b"broken part 2500:") == [2500]
    assert held.matching(b"nothing") == []


def test_a_part_that_does_not_fit_is_halved() -> None:
    assert Prefilter(MANY, most=4000).matching(b"broken part 2500:") == [2500]


@given(st.lists(st.sampled_from([b"abc", b"bcd", b"x.z", b"[0-9]+ rows"]), max_size=8), st.integers(1, 3))
def test_how_they_are_divided_makes_no_difference(patterns: list[bytes], most: int) -> None:
    text = b"abcd xyz 12 rows"
    expected = [number for number, one in enumerate(patterns) if re2.search(one, text)]
    assert Prefilter(patterns, most).matching(text) == expected


def test_a_stretch_that_holds_what_checks_the_automaton_names_no_pattern() -> None:
    held = Prefilter([b"abc"])
    assert held.possible(b"no line\nholds this") == []


def test_a_pattern_that_no_automaton_holds_is_told_by_its_number() -> None:
    large = "|".join(f"broken part {number} of {number * 7919}" for number in range(60000)).encode()
    with pytest.raises(RefusedError) as refused:
        Prefilter([b"abc", large])
    assert refused.value.number == 1


def test_signatures_may_be_more_than_one_automaton_holds() -> None:
    compile_patterns(rules.signatures(2500), {})


def test_what_is_no_pattern_is_told_with_its_signature() -> None:
    with pytest.raises(CatalogueError, match="probe odd: RE2 does not accept the pattern"):
        compile_patterns((), {"odd": "a(?=b)"})
