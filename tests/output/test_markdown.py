from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import check
from tests.output.github_markdown import PARSER, look_at, tokens
from tests.output.sample import sample
from triage.output import markdown

GOLDEN = Path(__file__).parent / "golden"
LINKED = ["www.example.com", "WWW.example.com", "http://example.com", "ftp://example.com/a", "a@example.com"]


def test_what_is_posted(update_golden: bool) -> None:
    check(GOLDEN / "result.md", markdown.render(sample()), update_golden)


def test_log_text_makes_no_markup() -> None:
    kinds = {token.type for token in tokens(markdown.render(sample()))}
    assert not kinds & {"html_block", "html_inline", "link_open", "image"}


@given(
    st.sampled_from(["", "before ", "before\n"]),
    st.text("a1 -+=.)(#>*_`|~&!<[]@:/w\\", max_size=40) | st.text("-=:+ .)1", max_size=8) | st.text(max_size=300),
)
def test_prose_is_only_text(before: str, text: str) -> None:
    shown = before + markdown.prose(text) + " after"
    for token in tokens(shown):
        assert token.type in {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "text_special"}
    assert look_at(shown).autolinks == []


@pytest.mark.parametrize("address", LINKED)
def test_what_github_would_link_is_no_link(address: str) -> None:
    untouched, shown = look_at(f"see {address} there"), look_at(f"see {markdown.prose(address)} there")
    assert untouched.links + untouched.autolinks
    assert shown.links + shown.autolinks == []


@pytest.mark.parametrize(
    "word", ["0.1.0", "0.AL", "train.py", "0.1.0 of today", "-5", "--flag", "+x", "=1", "12 jobs", ":dev"]
)
def test_words_stay_as_they_are(word: str) -> None:
    assert markdown.prose(word) == word


@pytest.mark.parametrize("mark", ["-", "- x", "+ x", "3. x", "3) x", "3.", "---", "-- --", "===", "=", ":-:", "- - -"])
def test_what_would_start_a_block_is_escaped(mark: str) -> None:
    assert "\\" in markdown.prose(mark)


@given(st.text(max_size=300))
def test_code_is_one_span(text: str) -> None:
    kinds = [token.type for token in tokens("a " + markdown.code(text) + " b") if token.type != "text"]
    assert kinds == ["paragraph_open", "inline", "code_inline", "paragraph_close"]


@given(st.text(max_size=300).map(lambda text: text.replace("\r", "")))
def test_a_fence_holds_its_body(body: str) -> None:
    parsed = PARSER.parse(markdown.fence(body, "text") + "\nafter\n")
    assert [token.type for token in parsed] == ["fence", "paragraph_open", "inline", "paragraph_close"]
