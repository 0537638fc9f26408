"""Where a script's variables stand."""

from __future__ import annotations

import pytest

from triage.fixes.shell.variables import variables


@pytest.mark.parametrize(
    ("text", "read", "given"),
    [
        ("A=1 python x\nls $B\n", "B", ""),
        ("A=1\nls $A\nexport B=2; local c=$A\n", "A A", "A B c"),
        ("A=1 \\\nB=2 \\\n  run\n", "", ""),
        ('for x in $y; do echo "${x[0]} $((z+1)) ${#w[@]}"; done\n', "y x z w", "x"),
        ("A[0]=1\nB+=(1 $C)\n", "C", "A B"),
        ("awk '{print $A}' \"$(sed 's/$B/' $C)\" # $D\necho \"\\$E $F\"\n", "C F", ""),
        ("cat <<'E'\n$A\nE\ncat <<E\n$B\nE\n", "B", ""),
        ("ä='ü'\nX=1; echo ü$X\n", "X", "ä X"),
        ("if x; then\nA=$(run $B)\n", "B", "A"),
    ],
)
def test_what_is_read_and_what_gets_a_value(text: str, read: str, given: str) -> None:
    found = variables(text)
    assert all(text.startswith(one.name, one.at) for one in found)
    assert [one.name for one in found if one.is_set] == given.split()
    assert [one.name for one in found if not one.is_set and not one.for_command] == read.split()
