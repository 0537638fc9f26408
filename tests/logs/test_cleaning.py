from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triage.logs.cleaning import last_writing, visible

PIECES = st.sampled_from(
    [
        b"\x1b[1m",
        b"\x1b]0;t\x07",
        b"\x1b",
        b"[0m",
        b"[36m",
        b"#033[0m",
        b"^[[1m",
        b"\r",
        b"\n",
        b"\xef\xbb\xbf",
        b"\xc2\x9b",
    ]
)
RAW = st.lists(st.one_of(PIECES, st.binary(max_size=5)), max_size=30).map(b"".join)


@given(RAW)
def test_newlines_stay_where_they_are(raw: bytes) -> None:
    assert visible(raw).count(b"\n") == raw.count(b"\n")


@example(b" \r\n")
@given(RAW)
def test_a_block_is_cleaned_line_by_line(raw: bytes) -> None:
    assert visible(raw) == b"\n".join(visible(line) for line in raw.split(b"\n"))


@given(RAW)
def test_the_result_is_text_without_control_characters(raw: bytes) -> None:
    text = visible(raw).decode()
    assert not any((char < " " and char not in "\t\n") or "\x7f" <= char <= "\x84" for char in text)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"\x1b[36;1mpip install\x1b[0m", b"pip install"),
        (b"\x1b]8;;http://x\x07link\x1b]8;;\x07", b"link"),
        (b"\x1b]0;title\x1b\\text", b"text"),
        (b"\x1b(Btext\x1bM", b"text"),
        (b"[36m(f pid=1)[0m text", b"(f pid=1) text"),
        (b"rate(x[5m])", b"rate(x[5m])"),
        (b"#033[1;36mray#033[0m", b"ray"),
        (b"^[[31mred^[[0m", b"red"),
        (b"\xc2\x9b31mred", b"red"),
        (b"\xef\xbb\xbfstart \xef\xbb\xbfmiddle", b"start middle"),
        (b"nul\x00 back\x08", b"nul back"),
        (b"bad \xff\xc3", "bad ��".encode()),
        (b"crlf\r\nnext\r\n", b"crlf\nnext\n"),
        (b"\x1b[", b""),
    ],
)
def test_what_a_terminal_would_not_show_is_gone(raw: bytes, shown: bytes) -> None:
    assert visible(raw) == shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            b" 10%|# | 1/10 [00:01<00:09, 1.0s/it]\r 20%|## | 2/10 [00:02<00:08, 1.0s/it]",
            b" 20%|## | 2/10 [00:02<00:08, 1.0s/it]",
        ),
        (b" 10%|# | 1/10 [00:01<00:09, 1.0s/it]\rRuntimeError: boom", b"RuntimeError: boom"),
        (
            b"Receiving objects:  10% (1/10)\rReceiving objects: 100% (10/10), done.",
            b"Receiving objects: 100% (10/10), done.",
        ),
        (b"Fetching 1\rFetching 2\rFetching 3", b"Fetching 3"),
        (b"KeyError: 'a'\rexit", b"KeyError: 'a' exit"),
        (b"only\r\r", b"only"),
        (b"\r\r", b""),
    ],
)
def test_a_real_error_survives_carriage_returns(raw: bytes, shown: bytes) -> None:
    assert last_writing(raw) == shown


def test_a_stamp_of_buildkite_goes_with_its_bell() -> None:
    assert visible(b"\x1b_bk;t=1778140840302\x07\x1b[31mFAILED\x1b[0m x") == b"FAILED x"
