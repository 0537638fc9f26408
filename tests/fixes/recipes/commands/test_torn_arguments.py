"""A path among arguments that the shell ran, as the line above it lost its backslash."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.recipes.commands.absolute import move_absolute
from triage.fixes.recipes.commands.definitions import kinds_of_definitions
from triage.fixes.recipes.outcome import Edited
from triage.fixes.target import Target

FILE = ".buildkite/pipeline.yml"
RUN = """steps:
  - commands:
      - |
        run.sh pytest \\
          /work/lib/tests/test_a.py \\
          /work/lib/tests/test_b.py
          /work/lib/tests/test_c.py \\
          /work/lib/tests/test_d.py
"""
HELD = {f"tests/test_{one}.py": "" for one in "abcd"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (RUN, 6),
        (RUN.replace("test_b.py", "test_b.py \\"), 0),  # it goes on
        (RUN.replace("          /work/lib/tests/test_c", "        /work/lib/tests/test_c"), 0),  # another command
        (RUN.replace("/work/lib/tests/test_b.py", "--verbose=1 x"), 0),
        (RUN.replace("/work/lib/tests/test_b.py", "/other/b/test_b.py"), 0),
        (RUN.replace("test_a.py \\", "test_a.py"), 0),
    ],
)
def test_the_line_above_goes_on(text: str, line: int) -> None:
    there = tree({FILE: text, **HELD})
    made = [
        one
        for kind in kinds_of_definitions()
        if isinstance(one := move_absolute(there, Target("", ""), kind, "/work/lib/tests/test_c.py"), Edited)
    ]
    assert [edit.new for one in made for edit in one.edits] == ([b" \\"] if line else []), made
    assert not line or made[0].title.endswith(f":{line}")
