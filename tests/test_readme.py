"""The README says what is true: its example output, its tables, its commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import readme
from triage.errors import ExitCode

TEXT = readme.README.read_text(encoding="utf-8")


def section(text: str, name: str) -> str:
    found = re.search(rf"<!-- {name}: [^\n]*-->\n(.*?)<!-- /{name} -->", text, re.DOTALL)
    assert found, f"the README has no part {name}"
    return found[1]


def without_gates(text: str) -> str:
    """Which optional tools are installed decides what the gates say: that part differs from machine to machine."""
    return re.sub(r"^  checked .*?(?=^  \w)", "", text, flags=re.DOTALL | re.MULTILINE)


def test_the_example_is_what_the_demo_prints() -> None:
    made = section(readme.written(), "demo")
    assert without_gates(section(TEXT, "demo")) == without_gates(made), "run `python -m tests.readme`"


def test_the_tables_are_those_of_the_code() -> None:
    assert section(TEXT, "commands") == readme.commands() + "\n", "run `python -m tests.readme`"
    assert section(TEXT, "exit-codes") == readme.exit_codes() + "\n"
    assert set(readme.MEANINGS) == set(ExitCode)


def test_the_commands_in_the_examples_exist() -> None:
    known = {row.split("`triage ")[1].split("`")[0].split(" ")[0] for row in readme.commands().splitlines()[2:]}
    used = set(re.findall(r"^triage (\w+)", TEXT, re.MULTILINE))
    assert used <= known


def test_links_within_the_repository_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT):
        assert (readme.ROOT / target).exists(), target


@pytest.mark.parametrize("path", ["README.md", ".github/CONTRIBUTING.md"])
def test_nothing_names_this_machine(path: str) -> None:
    assert not re.search(r"/(?:work|root|home/\w+)/", (Path(readme.ROOT) / path).read_text(encoding="utf-8"))
