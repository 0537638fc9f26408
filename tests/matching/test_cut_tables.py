"""A check that a narrow table of metrics cuts off, as the built-in signature reads it."""

from __future__ import annotations

import pytest

from triage.matching import compile_patterns, scan
from triage.sources.catalogue import load

WRAPPED_PASS = '│ PASS   │ mean(data["timing… │ 12.87  │ │\n│        │ 2) < 18             │        │ │\n'


@pytest.mark.parametrize(
    ("text", "check", "rest"),
    [
        (
            '│ FAIL   │ data["loss"]["2… │ 2.0417 │ data… │\n│        │ < 2.03  │        │ < 2.… │',
            'data["loss"]["2…',
            "< 2.03",
        ),
        (
            '│ FAIL   │ mean(data["a"],  │ 19.2   │ mean… │\n│        │ 2) < 18 │        │ 2) <… │',
            'mean(data["a"],',
            "2) < 18",
        ),
        ('│ FAIL   │ data["loss"] < 1 │ 1.0417 │ data… │\n' + WRAPPED_PASS, 'data["loss"] < 1', ""),
        (WRAPPED_PASS + '│ FAIL   │ data["loss"] < 1 │ 1.0417 │ data… │', 'data["loss"] < 1', ""),
    ],
)
def test_the_rest_of_a_check_is_in_the_row_below_it(held: type, text: str, check: str, rest: str) -> None:
    signature = load().signatures["metric-check-failed"]
    (reading,) = scan(held("log", text.encode()), compile_patterns([signature], {}), None)
    (found,) = reading.matches
    assert (found.captures["check"], found.captures.get("rest", "")) == (check, rest)
    assert "FAIL" in found.line.text
