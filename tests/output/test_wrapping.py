from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from triage.output.wrapping import rows


def test_a_line_breaks_before_a_blank() -> None:
    assert rows("Failed: Cuda error 'invalid argument'", 24) == ["Failed: Cuda error", " 'invalid argument'"]


def test_a_word_that_ends_with_the_row_stays_whole() -> None:
    assert rows("Cuda error again", 10) == ["Cuda error", " again"]


def test_a_word_longer_than_the_slack_is_broken_where_the_row_ends() -> None:
    path = "/opt/venv/lib/python3.12/site-packages/vllm/engine.py"
    assert rows(f"in {path}", 30) == [f"in {path[:27]}", path[27:]]


def test_blanks_go_to_the_next_row() -> None:
    assert rows("left   right", 8) == ["left", "   right"]


@given(st.text("ab  é漢", max_size=120), st.integers(4, 40))
def test_nothing_is_lost_and_nothing_is_too_wide(text: str, width: int) -> None:
    found = rows(text, width)
    assert "".join(found) == text
    assert all(cell_len(row) <= width for row in found)
    assert all(found) or not text
