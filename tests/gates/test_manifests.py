"""What differs between two versions of a project's file, as its own parser sees it."""

from __future__ import annotations

import pytest

from triage.fixes.refusal import Refusal
from triage.gates.manifests import changed_values

SETUP = b'from setuptools import setup\nsetup(install_requires=["torch", "rich"], name="train")\n'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b'"rich"', b'"rich<9"', ("rich<9",)),
        (b'"rich"]', b'"rich", "wandb<2"]', ("wandb<2",)),
        (b'"torch"', b'"torch==2", "vision==1"', ("torch==2", "vision==1")),
    ],
)
def test_strings_that_are_new(old: bytes, new: bytes, expected: tuple[str, ...]) -> None:
    assert changed_values("setup.py", SETUP, SETUP.replace(old, new)) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b', "rich"]', b"]"),
        (b"setup(install", b"print(1)\nsetup(install"),
        (b'"rich"]', b"name]"),
        (b"(install", b"((install"),
    ],
)
def test_a_string_that_is_lost_or_another_program(old: bytes, new: bytes) -> None:
    assert isinstance(changed_values("setup.py", SETUP, SETUP.replace(old, new)), Refusal)
