"""A folder that an earlier step was to fill under a name one slip apart."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.recipe import MendCommand

OWN = ".github/workflows/own.yml"


@pytest.mark.parametrize(
    ("path", "looked", "files", "expected"),
    [
        ("ptyhon/dist/", "python/dist/", {"python/setup.py": ""}, ["-path: ptyhon/dist/", "+path: python/dist/"]),
        ("./ptyhon/dist", "python/dist", {"python/setup.py": ""}, ["-path: ./ptyhon/dist", "+path: ./python/dist"]),
        ("python/dsit", "python/dist", {"python/setup.py": ""}, ["-path: python/dsit", "+path: python/dist"]),
        ("ptyhon/dist/", "python/dist/", {}, []),  # nothing says which is meant
        ("ptyhon/dist/", "python/dist/", {"python/a": "", "ptyhon/b": ""}, []),
        ("wheels/dist/", "python/dist/", {"python/setup.py": ""}, []),
        ("python/dist", "python/dist/", {"python/setup.py": ""}, []),
    ],
)
def test_it_is_filled_under_the_name_that_is_looked_for(
    path: str, looked: str, files: dict[str, str], expected: list[str]
) -> None:
    steps = f"      - uses: actions/download-artifact@v4\n        with:\n          path: {path}\n      - name: Show\n        run: ls {looked}\n"
    held = tree({OWN: f"on: push\njobs:\n  ship:\n    runs-on: x\n    steps:\n{steps}", **files})
    made = patch(MendCommand("slipped-input"), "ship", OWN, step="Show", repository=held, captures={"path": looked})
    assert changed(made) == expected, made.reason
