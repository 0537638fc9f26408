"""Of scripts in other shells, only commands that read alike everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.evaluate.foreign import plain_commands

KEPT = ["pip install -U pip", 'python -m pip install ".[test, docs]"', "uv pip install 'numpy<2'", "cd tests"]


@pytest.mark.parametrize("line", KEPT)
def test_plain_installs_are_read(line: str) -> None:
    assert plain_commands(f"# first\n  {line}\n".encode()) == f"{' ' * 7}\n  {line}\n".encode()


@pytest.mark.parametrize(
    "text",
    [
        "pip install $package",
        'pip install "$package"',
        "pip install a; Get-Item b",
        "pip install (Get-Content requirements.txt)",
        "if ($IsWindows) {\n  pip install a\n}",
        "pip download `\n  pip install a",
        "Get-Item pip install",
        "pip",
    ],
)
def test_what_another_shell_reads_in_its_own_way_is_left_out(text: str) -> None:
    assert not plain_commands(text.encode()).strip()


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="pip install{}\n`\"'$ .", max_size=120))
def test_offsets_and_lines_stay(text: str) -> None:
    before, after = text.encode(), plain_commands(text.encode())
    assert [len(line) for line in before.split(b"\n")] == [len(line) for line in after.split(b"\n")]
