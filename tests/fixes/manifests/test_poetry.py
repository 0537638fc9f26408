"""Poetry's tables: where versions stand, and what they mean."""

from __future__ import annotations

import pytest

from triage.fixes.manifests import poetry, toml

PROJECT = b"""
[tool.poetry.dependencies]
python = "^3.11"
ray = "^2.9"
kernels = { version = "*", extras = ["cuda"] }
other = { git = "https://github.com/example/other" }
[tool.poetry.group.test.dependencies]
pytest = ">=7"
[tool.poetry.dev-dependencies]
black = "24.1"
"""


def test_every_version_is_found_with_its_group() -> None:
    placed = toml.strings(PROJECT)
    assert isinstance(placed, tuple)
    found = [(one.name, one.version, one.extra) for one in poetry.wanted(placed)]
    assert found == [
        ("python", "^3.11", ""),
        ("ray", "^2.9", ""),
        ("kernels", "*", ""),
        ("pytest", ">=7", "group:test"),
        ("black", "24.1", "group:dev"),
    ]


@pytest.mark.parametrize(
    ("version", "bounds"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^3", ">=3,<4"),
        ("~1.2", ">=1.2,<1.3"),
        ("~1", ">=1,<2"),
        ("1.2.3", "==1.2.3"),
        ("*", ""),
        (">=1,<3", ">=1,<3"),
    ],
)
def test_bounds_in_the_manner_of_everybody(version: str, bounds: str) -> None:
    assert poetry.as_bounds(version) == bounds
