"""What programs read is also seen in terminals and in CI logs: nothing in it may hide, reorder or steer."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks.corpus import ATTACKS, hostile
from triage.output import json as json_output
from triage.output import sarif
from triage.output.plain import json_text

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@given(st.text(st.characters(), max_size=200))
def test_nothing_is_lost_and_nothing_hides(text: str) -> None:
    written = json_text({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert {unicodedata.category(character) for character in written.replace("\n", "")}.isdisjoint(HIDDEN)
    written.encode()


@pytest.mark.parametrize("name", ["ansi", "bidi", "zero width", "tags", "controls", "surrogate"])
def test_results_for_programs_hide_nothing(name: str) -> None:
    result = hostile(ATTACKS[name])
    for written in (json_output.render(result), sarif.render(result)):
        assert {unicodedata.category(character) for character in written.replace("\n", "")}.isdisjoint(HIDDEN)
    for failure in json.loads(json_output.render(result))["failures"]:
        for cause in failure["causes"]:
            assert {unicodedata.category(character) for character in cause["text"]}.isdisjoint(HIDDEN)
