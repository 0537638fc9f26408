"""setup.py and setup.cfg: what is located reads as it stands, and what does not parse is refused."""

from __future__ import annotations

import pytest

from triage.fixes.manifests import setup_cfg, setup_py
from triage.fixes.refusal import Refusal

PY = """\
# é
from setuptools import setup
names = ["ray", 'num' 'py', r"torch", "a\\tb"]
setup(install_requires=names + ["x>=1"], keywords=["y"])
"""
CFG = "[metadata]\nname = x\n[options]\ninstall_requires = ray\n    numpy>=1\n[options.extras_require]\ntest =\n    pytest\n"


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_items_of_setup_py_stand_where_they_are_said_to(eol: str) -> None:
    data = PY.replace("\n", eol).encode()
    found = setup_py.items(data)
    assert not isinstance(found, Refusal)
    assert [data[one.start : one.end].decode() for one in found] == [one.text for one in found] == ["ray", "x>=1"]


def test_what_a_function_gives_back_beside_other_things_is_followed() -> None:
    text = b"""
from setuptools import setup
def read():
    with open("./requirements.txt") as lines:
        return lines.readlines(), []
required, links = read()
setup(install_requires=required, dependency_links=links)
"""
    assert ("", "./requirements.txt") in setup_py.mentioned(text)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_lines_of_setup_cfg_stand_where_they_are_said_to(eol: str) -> None:
    data = CFG.replace("\n", eol).encode()
    found = setup_cfg.requirement_lines(data)
    assert not isinstance(found, Refusal)
    assert [data[one.start : one.end].decode() for one in found] == [one.text for one in found]
    assert [(one.extra, one.text) for one in found] == [("", "ray"), ("", "numpy>=1"), ("test", "pytest")]


@pytest.mark.parametrize("damaged", [b"def (", b"\x00", b"x = '", b"\xff = 1"])
def test_damaged_programs_are_refused(damaged: bytes) -> None:
    assert isinstance(setup_py.items(damaged), Refusal)
    assert isinstance(setup_py.shape(damaged), Refusal)


@pytest.mark.parametrize("damaged", [b"x = 1\n", b"[a]\nx=1\nx=2\n", b"[a]\n[a]\n", b"\xff"])
def test_damaged_configuration_is_refused(damaged: bytes) -> None:
    assert isinstance(setup_cfg.requirement_lines(damaged), Refusal)


LISTS = b"""
from setuptools import setup

base = ["torch"]
extras = {"test": ["pytest", "tables"], "mixed": ["rich", base[0]]}
extras["docs"] = ["sphinx"]
setup(install_requires=base, extras_require=extras)
"""


def test_lists_are_those_that_are_given_as_they_stand() -> None:
    found = {extra: [item.text for item in items] for extra, items in setup_py.lists(LISTS)}
    assert found == {"": ["torch"], "test": ["pytest", "tables"], "docs": ["sphinx"]}
