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


def test_the_example_is_what_the_demo_prints_after_a_plain_installation_in_eighty_columns() -> None:
    shown = section(TEXT, "demo")
    assert shown == section(readme.written(), "demo"), "run `python -m tests.readme`"
    # A diff is never wrapped.
    prose = re.sub(r"^    --- a/.*?(?=^  checked)", "", shown, flags=re.DOTALL | re.MULTILINE)
    assert max(map(len, prose.splitlines())) <= 80
    for name in ("actionlint", "zizmor", "check-jsonschema"):
        assert f"{name} is not installed" in " ".join(shown.split())


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
