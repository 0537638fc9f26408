"""The harness that scores must itself be right: what a change turned, and what a patch is worth against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replay.cases import Case, Knob, read_cases, write_cases
from tests.replay.knobs import turned
from tests.replay.scoring import Proposal, in_band, score


def knobs(path: str, old: str, new: str) -> list[tuple[str, str, str, str]]:
    return [(one.kind, one.name, one.old, one.new) for one in turned({path: old.encode()}, {path: new.encode()})]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("requirements.txt", "ray\ntorch\n", "ray==2.46.0\ntorch\n", ("dist", "ray", "", "==2.46.0")),
        ("setup.py", '    "numpy>=1.18",\n', '    "numpy>=1.18,<2",\n', ("dist", "numpy", ">=1.18", ">=1.18,<2")),
        (
            "pyproject.toml",
            'x = [\n  "a",\n]\n',
            'x = [\n  "a",\n  "py_arrow<21",\n]\n',
            ("dist", "py-arrow", "", "<21"),
        ),
        ("w.yml", "    timeout-minutes: 25\n", "    timeout-minutes: 30\n", ("path", "timeout-minutes", "25", "30")),
        (
            "w.yml",
            "    python-version: 3.10\n",
            "    python-version: '3.10'\n",
            ("path", "python-version", "3.10", '"3.10"'),
        ),
        ("run.sh", "NUM_MINUTES=300\n", "NUM_MINUTES=240\n", ("name", "NUM_MINUTES", "300", "240")),
        ("run.sh", "  a.b_c.size=1 \\\n", "  a.b_c.size=2 \\\n", ("key", "a.b_c.size", "1", "2")),
        ("run.sh", "wait --timeout 60\n", "wait --timeout 90\n", ("flag", "--timeout", "60", "90")),
        ("Dockerfile", "RUN pip install -U a b\n", "RUN pip install -U a 'b<3'\n", ("dist", "b", "", "<3")),
        ("w.yml", "      run: pip install a\n", "      run: pip uninstall -y a\n", ("dist", "-a", "", "")),
        ("Dockerfile", "FROM cuda:12.1\n", "FROM cuda:12.6\n", ("image", "image", "cuda:12.1", "cuda:12.6")),
    ],
)
def test_what_a_change_turned(path: str, old: str, new: str, expected: tuple[str, str, str, str]) -> None:
    assert expected in knobs(path, old, new)


def test_what_only_moved_and_what_is_a_comment_is_no_knob() -> None:
    assert knobs("run.sh", "A=1\nB_C=2\necho\n", "echo\nA=1\nB_C=2\n") == []
    assert knobs("w.yml", "a: 1\n", "a: 1\n# timeout-minutes: 30\n") == []


CASE = Case("x", "example/train", "b", "a", "deps", "yes", held=False)
MERGED = (Knob("setup.py", "dist", "numpy", "", "<2.0.0"),)


def proposal(*knobs: Knob, state: str = "patch", **fields: object) -> Proposal:
    return Proposal(state, files=tuple({one.file for one in knobs}), knobs=knobs, **fields)  # type: ignore[arg-type]


def test_a_patch_is_right_only_in_a_file_that_was_merged_and_at_the_knob_that_was_turned() -> None:
    right = score(CASE, proposal(Knob("setup.py", "dist", "numpy", "", "<2")), ["setup.py"], MERGED)
    assert (right.verdict, right.right_file, right.right_knob, right.in_band) == ("right", True, True, True)
    other = score(CASE, proposal(Knob("setup.py", "dist", "torch", "", "<2")), ["setup.py"], MERGED)
    assert (other.verdict, other.right_file, other.right_knob) == ("wrong knob", True, False)
    away = score(CASE, proposal(Knob("ci.yml", "dist", "numpy", "", "<2")), ["setup.py"], MERGED)
    assert (away.verdict, away.unrelated) == ("unrelated file", ("ci.yml",))
    broken = score(CASE, proposal(MERGED[0], applies=False), ["setup.py"], MERGED)
    assert broken.verdict == "does not apply"


def test_no_patch_is_honest_and_counts_as_named_when_its_words_name_the_knob() -> None:
    named = score(CASE, proposal(state="advice", words="hold numpy below 2"), ["setup.py"], MERGED)
    silent = score(CASE, proposal(state="refused", words="no workflow"), ["setup.py"], MERGED)
    assert [named.verdict, silent.verdict] == ["named", "honest"]
    assert not named.right_file


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        (("25", "40"), ("25", "30"), True),
        (("25", "65"), ("25", "30"), False),
        (("50", "75"), ("50", "10"), False),
        (("", "<4.57"), ("", "==4.56.2"), True),
        (("", "<4.50"), ("", "==4.56.2"), False),
        (("", "<0.9.0"), ("", "<0.9"), True),
        (("", ">=2"), ("", "<2"), False),
    ],
)
def test_the_band(own: tuple[str, str], other: tuple[str, str], expected: bool) -> None:
    kind = "path" if own[0] else "dist"
    assert in_band(Knob("f", kind, "k", *own), Knob("f", kind, "k", *other)) is expected


def test_the_list_is_read_as_it_was_written(tmp_path: Path) -> None:
    cases = (Case("x", "example/train", "b", "a", "deps", "yes", held=True, job="unit", expected=MERGED),)
    write_cases(tmp_path / "cases.json", cases)
    assert read_cases(tmp_path / "cases.json", tmp_path / "logs") == cases


def test_words_count_where_no_setting_changes() -> None:
    joined = turned(
        {"Dockerfile": b"RUN pip uninstall -y a b \\\n  rm x\n"},
        {"Dockerfile": b"RUN pip uninstall -y a b && \\\n  rm x\n"},
    )
    assert [(knob.kind, knob.name, knob.old, knob.new) for knob in joined] == [("text", "RUN pip uninstall", "", "&&")]
    extra = turned({"Dockerfile": b"  t[a]@git+https://h/o/t\n"}, {"Dockerfile": b"  t[a,b]@git+https://h/o/t\n"})
    assert [(knob.kind, knob.name, knob.new) for knob in extra] == [("text", "t", "t[a,b]@git+https://h/o/t")]
    assert turned({"x.sh": b"# a\n"}, {"x.sh": b"# b\n"}) == ()


def test_a_file_that_equals_the_merged_one_is_right_whatever_it_turns() -> None:
    made = Proposal("patch", files=("setup.py",), new={"setup.py": b"a = 1\n"})
    assert score(CASE, made, ["setup.py"], MERGED, {"setup.py": b"a = 1\n"}).verdict == "right"
    assert score(CASE, made, ["setup.py"], MERGED, {"setup.py": b"a = 2\n"}).verdict == "wrong knob"
    assert score(CASE, made, ["other.py"], MERGED, {"setup.py": b"a = 1\n"}).verdict == "unrelated file"


def test_where_a_comment_stands_is_no_difference_unless_it_ends_a_command() -> None:
    own = Proposal("patch", files=("a.sh",), new={"a.sh": b"# why\nrun \\\n  --a\n"})
    merged = {"a.sh": b"set -e\nrun \\\n  --a\n"}
    assert not score(CASE, own, ["a.sh"], [], merged).right_knob
    assert score(CASE, own, ["a.sh"], [], {"a.sh": b"run \\\n  --a\n# why\n"}).right_knob
    assert not score(CASE, own, ["a.sh"], [], {"a.sh": b"run \\\n  # why\n  --a\n"}).right_knob
