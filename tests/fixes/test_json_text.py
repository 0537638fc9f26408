"""JSON as people type it, and what makes it JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.json_text import changed, mended, where_it_stops
from triage.fixes.refusal import Refusal


def whole(text: str) -> str:
    changes = mended(text)
    assert not isinstance(changes, Refusal), changes.reason
    return changed(text, changes)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('{"a": 1,}', '{"a": 1}'),
        ('{"a": [1, 2,],}', '{"a": [1, 2]}'),
        ("{dir: /work, pip: /work/all.txt}", '{"dir": "/work", "pip": "/work/all.txt"}'),
        ("{'a': True, 'b': None}", '{"a": true, "b": null}'),
        ('{"a": 1\n "b": 2}', '{"a": 1,\n "b": 2}'),
        ('{"a": "${HOME}/x", "b": $COUNT,}', '{"a": "${HOME}/x", "b": $COUNT}'),
        ('{"url": http://host:80/a,}', None),
        ("[]", "[]"),
    ],
)
def test_only_punctuation_changes(typed: str, expected: str | None) -> None:
    if expected is None:
        assert isinstance(mended(typed), Refusal)
    else:
        assert whole(typed) == expected


@pytest.mark.parametrize(
    "typed",
    ['{"a": 1', '{"a" 1}', '{"a": b c}', '{"a": "1" "b": 2}', '{"a": 1}}', "{'a': 'it said \"no\"'}", '{"a: 1}', "{,}"],
)
def test_what_takes_more_is_refused(typed: str) -> None:
    assert isinstance(mended(typed), Refusal)


def test_where_a_reader_stops_is_counted_from_one() -> None:
    assert where_it_stops('{\n  "a": 1\n  x\n}') == (3, 3)
    assert where_it_stops('{"a": 1}') is None


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="ab c/.-_", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(alphabet="abc", min_size=1), _values, max_size=3), st.sampled_from([None, 1]))
def test_json_stays_as_it_is_and_a_comma_too_many_goes(value: dict[str, object], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert mended(text) == ()
    if value:
        assert json.loads(whole(f"{text[:-1].rstrip()},\n}}")) == value
