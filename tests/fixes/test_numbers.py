from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import triage.fixes
import triage.gates
from triage.fixes.evaluate.arithmetic import compute
from triage.fixes.manifests.poetry import as_bounds
from triage.fixes.numbers import is_plain, whole
from triage.fixes.recipes.dependencies.releases import nearest
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.values import decimal, same

# Decimal digits of other scripts, which `\d`, `isdecimal` and `int` all take for numbers.
LOOK_ALIKES = [
    char for char in map(chr, range(0x80, 0x1E951)) if unicodedata.decimal(char, None) is not None and char.isdecimal()
]
numbers = st.integers(0, 10**6).map(str)
versions = st.lists(st.integers(0, 200), min_size=2, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@st.composite
def disguised(draw: st.DrawFn, of: st.SearchStrategy[str]) -> str:
    """A number with one digit from another script."""
    text = draw(of)
    at = draw(st.sampled_from([at for at, char in enumerate(text) if char.isdecimal()]))
    return text[:at] + draw(st.sampled_from(LOOK_ALIKES)) + text[at + 1 :]


@given(st.integers(-(10**17), 10**17))
def test_numbers_are_read(number: int) -> None:
    assert whole(str(number)) == number
    assert is_plain(str(abs(number)))


@pytest.mark.parametrize("text", ["", "-", "--5", "1_000", " 1", "1\n", "²", "9" * 19, "0x10", None])
def test_what_is_no_number_is_none(text: str | None) -> None:
    assert whole(text) is None


@pytest.mark.parametrize(
    ("text", "is_one"), [("1.5", True), ("2.", True), (".5", True), (".", False), ("1.2.3", False)]
)
def test_plain_numbers_have_one_point_at_most(text: str, is_one: bool) -> None:
    assert is_plain(text) is is_one


@given(disguised(numbers))
def test_look_alikes_are_no_numbers(text: str) -> None:
    assert int(text) >= 0, "Python would take it"
    assert whole(text) is None
    assert not is_plain(text)
    assert decimal(text) is None
    assert not same(text, str(int(text)))
    assert compute(text, lambda _name: None, lambda _name, _value: None) is None


@given(disguised(versions), versions)
def test_look_alikes_are_no_versions(text: str, listed: str) -> None:
    assert nearest(text, (listed, "999.0.0")) == ""
    assert nearest(listed, (text,)) == ""
    # What poetry would not read stays as it is written.
    assert as_bounds(f"^{text}") == f"^{text}"
    assert as_bounds(text) == text


@given(versions, disguised(versions))
def test_a_bound_counts_up_to_the_first_look_alike(version: str, text: str) -> None:
    read = re.match(r"[0-9.]*", text)
    assert read is not None
    assert satisfied(f">={text}", version) == satisfied(f">={read[0] or '0'}", version)


def _patterns(path: Path) -> Iterator[tuple[int, str]]:
    """Text literals that ask for a digit of any script; patterns of bytes know only ASCII."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and r"\d" in node.value:
            yield node.lineno, node.value
        if isinstance(node, ast.Attribute) and node.attr in ("isdigit", "isdecimal", "isnumeric"):
            yield node.lineno, node.attr


@pytest.mark.parametrize("package", [triage.fixes, triage.gates])
def test_no_pattern_takes_digits_of_other_scripts(package: object) -> None:
    root = Path(getattr(package, "__file__", "")).parent
    every = ((path.relative_to(root), line, text) for path in root.rglob("*.py") for line, text in _patterns(path))
    found = [f"{path}:{line}: {text}" for path, line, text in every]
    assert found == []
