from __future__ import annotations

import cProfile
import re
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.document import conflicts, eol_at, line_after, line_end, line_of, line_start, splice, unified_diff
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit


def edit(start: int, end: int, new: str, path: str = "f") -> Edit:
    return Edit(path, start, end, new.encode(), f"edit {start}")


def test_lines_are_counted_and_bounded_whatever_ends_them() -> None:
    data = b"one\r\ntwo\nthree"
    assert [line_of(data, at) for at in (0, 4, 5, 9)] == [1, 1, 2, 3]
    assert line_start(data, 7) == 5
    assert (line_end(data, 1), line_end(data, 6), line_end(data, 10)) == (3, 8, 14)
    assert (eol_at(data, 0), eol_at(data, 6), eol_at(data, 12)) == (b"\r\n", b"\n", b"\n")
    assert eol_at(b"one\r\nlast", 6) == b"\r\n"
    assert [line_after(data, at) for at in (0, 3, 4, 6, 9)] == [5, 5, 5, 9, 14]


def test_the_next_line_does_not_begin_inside_of_a_line_end() -> None:
    """One behind the end of a line's content is the middle of `\\r\\n`."""
    fixes = Path(__file__).parents[2] / "triage" / "fixes"
    wrong = re.compile(r"\bline_end\(.*\) *\+ *1\b")
    assert not [path for path in fixes.rglob("*.py") if wrong.search(path.read_text(encoding="utf-8"))]


@given(st.text(alphabet="ab\r\n", max_size=40).map(str.encode), st.integers(0, 45))
def test_lines_are_those_that_counting_finds(data: bytes, at: int) -> None:
    assert line_of(data, at) == data[:at].count(b"\n") + 1


def test_asking_for_many_lines_does_not_count_through_the_file_each_time() -> None:
    data = b"pip install something\n" * 200_000
    begun = time.process_time()
    assert [line_of(data, at) for at in range(0, len(data), 220)] == list(range(1, 200_001, 10))
    assert time.process_time() - begun < 1, "20,000 counts through 4 MB take several seconds"


def test_edits_are_made_together_and_once() -> None:
    assert splice(b"abcdef", [edit(4, 5, "E"), edit(0, 1, "A"), edit(0, 1, "A"), edit(6, 6, "!")]) == b"AbcdEf!"


@pytest.mark.parametrize("others", [(1, 3), (2, 5), (2, 2)])
def test_edits_that_meet_are_refused(others: tuple[int, int]) -> None:
    both = [edit(2, 4, "x"), edit(*others, "y")] if others != (2, 2) else [edit(2, 2, "x"), edit(2, 2, "y")]
    assert len(conflicts(both)) == 1
    refused = splice(b"abcdef", both)
    assert isinstance(refused, Refusal)
    assert "two edits meet" in refused.reason


def test_edits_of_other_files_and_neighbours_do_not_conflict() -> None:
    assert conflicts([edit(0, 2, "x"), edit(2, 4, "y"), edit(1, 3, "z", path="g")]) == ()


def test_an_edit_outside_the_file_is_refused() -> None:
    assert isinstance(splice(b"ab", [edit(1, 9, "x")]), Refusal)


def test_equal_texts_have_no_diff() -> None:
    assert unified_diff("f", b"a\n", b"a\n") == b""


def test_a_diff_keeps_three_lines_of_context_and_parts_what_is_far_apart() -> None:
    old = "".join(f"line {number}\n" for number in range(1, 31)).encode()
    new = old.replace(b"line 5\n", b"five\n").replace(b"line 20\n", b"line 20\nmore\n")
    assert unified_diff("d/f", old, new).decode() == (
        "--- a/d/f\n+++ b/d/f\n"
        "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n"
        "@@ -18,6 +18,7 @@\n line 18\n line 19\n line 20\n+more\n line 21\n line 22\n line 23\n"
    )


def test_a_missing_final_newline_is_said() -> None:
    diff = unified_diff("f", b"a\nb", b"a\nc").decode()
    assert diff.endswith("-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n")


def git_applies(before: bytes, after: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "f").write_bytes(before)
        diff = unified_diff("f", before, after)
        subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=diff, check=True)
        return Path(folder, "f").read_bytes()


lines = st.lists(st.sampled_from([b"a", b"b", b"", b"  c", b"\xc3\xa9", b"d\r"]), min_size=1, max_size=14)


@settings(max_examples=40, deadline=None)
@given(lines, lines, st.booleans(), st.booleans())
def test_git_apply_of_a_diff_gives_the_edited_text(old: list[bytes], new: list[bytes], ends: bool, ended: bool) -> None:
    before = b"x\n" + b"\n".join(old) + (b"\n" if ends else b"")
    after = b"x\n" + b"\n".join(new) + (b"\n" if ended else b"")
    if before != after:
        assert git_applies(before, after) == after


@settings(max_examples=80, deadline=None)
@given(
    st.binary(max_size=80),
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 6), st.binary(max_size=5)), max_size=4),
)
def test_bytes_outside_the_edits_stay(data: bytes, wanted: list[tuple[int, int, bytes]]) -> None:
    edits = [Edit("f", min(at, len(data)), min(at + size, len(data)), new, "") for at, size, new in wanted]
    edited = splice(data, edits)
    if isinstance(edited, Refusal):
        assert conflicts(edits)
        return
    shift = 0
    for one in sorted(set(edits), key=lambda one: (one.start, one.end)):
        start = one.start + shift
        assert edited[start : start + len(one.new)] == one.new
        shift += len(one.new) - (one.end - one.start)
    touched = {at for one in edits for at in range(one.start, one.end)}
    kept = bytes(byte for at, byte in enumerate(data) if at not in touched)
    rest = list(kept)
    assert len(edited) == len(data) + shift
    iterator = iter(edited)
    assert all(byte in iterator for byte in rest)


def test_thousands_of_same_lines_between_two_changes_are_not_compared_each_with_each() -> None:
    same = b"echo waits\n" * 5_000
    with cProfile.Profile() as profile:
        diff = unified_diff("run.sh", b"first\n" + same + b"last\n", b"FIRST\n" + same + b"LAST\n")
    assert b"+FIRST\n" in diff
    assert b"+LAST\n" in diff
    assert sum(one.callcount for one in profile.getstats()) < 500_000
