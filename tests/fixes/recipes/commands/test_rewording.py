"""Commands through a shell, under a new name, with an option, and scripts that look in their own folder."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import OwnFolder, PassOption, ReplaceCommand, RunWithShell

OWN = ".github/workflows/own.yml"
SHELL, REPLACE = RunWithShell("{path}"), ReplaceCommand("{command}")
PASS, FOLDER = PassOption("{option}"), OwnFolder("{script}", "{path}")


def repository(run: str, **files: str) -> MemoryTree:
    lines = "".join(f"          {line}\n" for line in run.split("\n"))
    step = f"      - name: Go\n        run: |\n{lines}"
    return tree({OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{step}", **files})


@pytest.mark.parametrize(
    ("run", "path", "head", "expected"),
    [
        ("./tools/a.sh --x", "./tools/a.sh", "#!/bin/bash", ["+bash ./tools/a.sh --x"]),
        ("tools/a.sh", "tools/a.sh", "mkdir in", ["+bash tools/a.sh"]),
        ("./a/b.sh", "./a/b.sh", "#!/bin/bash -e", ["+bash -e ./a/b.sh"]),
        ("./a/b.sh", "./a/b.sh", "#!/usr/bin/env -S bash -eu", ["+bash -eu ./a/b.sh"]),
        ("tools/b.py", "tools/b.py", "#!/usr/bin/env python3", ["+python3 tools/b.py"]),
    ],
)
def test_a_script_without_its_bit_is_started_by_its_shell(run: str, path: str, head: str, expected: list[str]) -> None:
    there = repository(run, **{path.removeprefix("./"): f"{head}\nmkdir out\n"})
    made = patch(SHELL, "unit", OWN, step="Go", captures={"path": path}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1:] == expected


@pytest.mark.parametrize(
    ("run", "path", "head", "state"),
    [
        ("bash tools/a.sh", "tools/a.sh", "#!/bin/bash", PatchState.IN_PLACE),
        ("build/a.sh", "build/a.sh", "", PatchState.REFUSED),  # the repository has none: an earlier command made it
        ("tools/a.pl", "tools/a.pl", "#!/usr/bin/perl", PatchState.REFUSED),
        ("cat tools/a.sh", "tools/a.sh", "#!/bin/bash", PatchState.REFUSED),
    ],
)
def test_what_is_no_script_of_the_repository_is_not_started(run: str, path: str, head: str, state: PatchState) -> None:
    there = repository(run, **({path: f"{head}\nmkdir out\n"} if head else {}))
    assert draft(SHELL, "unit", OWN, step="Go", captures={"path": path}, repository=there).state is state


def test_the_program_that_took_the_place_of_another_is_called_in_the_whole_job() -> None:
    there = repository("huggingface-cli whoami\nhuggingface-cli download a/b --repo-type dataset")
    made = patch(REPLACE, "unit", OWN, captures={"command": "huggingface-cli"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[2:] == ["+hf auth whoami", "+hf download a/b --repo-type dataset"]


@pytest.mark.parametrize(
    ("run", "command", "state"),
    [
        ("hf download a/b", "huggingface-cli", PatchState.IN_PLACE),
        ("huggingface-cli repo create a", "huggingface-cli", PatchState.ADVICE),  # it has another shape now
        ("huggingface-cli download a --local-dir-use-symlinks False", "huggingface-cli", PatchState.ADVICE),
        ("CLI=huggingface-cli\n$CLI download a", "huggingface-cli", PatchState.REFUSED),
        ("rm -rf x", "rm", PatchState.REFUSED),
    ],
)
def test_a_call_whose_new_form_is_not_known_is_left(run: str, command: str, state: PatchState) -> None:
    made = draft(REPLACE, "unit", OWN, captures={"command": command}, repository=repository(run))
    assert made.state is state


@pytest.mark.parametrize(
    ("run", "option", "expected"),
    [
        ("sudo apt-get install -y a b", "--allow-change-held-packages", "+sudo apt-get install {} -y a b"),
        ("pip install a", "--break-system-packages", "+pip install {} a"),
        ("python3 -m pip install a", "--break-system-packages", "+python3 -m pip install {} a"),
    ],
)
def test_the_option_that_an_installer_demands_is_passed(run: str, option: str, expected: str) -> None:
    made = patch(PASS, "unit", OWN, step="Go", captures={"option": option}, repository=repository(run))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == expected.format(option)


@pytest.mark.parametrize(
    ("run", "option", "state"),
    [
        ("apt-get install -y a\napt-get install -y b", "--allow-downgrades", PatchState.ADVICE),
        ("apt-get install -y --allow-downgrades a", "--allow-downgrades", PatchState.IN_PLACE),
        ("apt-get install -y a", "--allow-remove-essential", PatchState.REFUSED),
        ("npm install", "--break-system-packages", PatchState.REFUSED),
    ],
)
def test_an_option_goes_to_the_one_command_that_takes_it(run: str, option: str, state: PatchState) -> None:
    made = draft(PASS, "unit", OWN, step="Go", captures={"option": option}, repository=repository(run))
    assert made.state is state


def sourced(line: str) -> MemoryTree:
    return repository("source models/small.sh", **{"models/small.sh": line, "models/base.sh": "A=1\n"})


SAID = {"script": "models/small.sh", "path": "/work/base.sh"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('A=2 source "$(dirname "$0")/base.sh"\n', '+A=2 source "$(dirname "${BASH_SOURCE[0]}")/base.sh"'),
        ("source $(dirname -- $0)/base.sh\n", "+source $(dirname -- ${BASH_SOURCE[0]})/base.sh"),
    ],
)
def test_a_script_that_is_read_in_looks_in_its_own_folder(line: str, expected: str) -> None:
    made = patch(FOLDER, "unit", OWN, step="Go", captures=SAID, repository=sourced(line))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == expected


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ('source "$(dirname "${BASH_SOURCE[0]}")/base.sh"\n', PatchState.IN_PLACE),
        ('source "$(dirname "$0")/gone.sh"\n', PatchState.REFUSED),
        ('#!/bin/sh\n. "$(dirname "$0")/base.sh"\n', PatchState.REFUSED),  # that shell has no such variable
        ("source base.sh\n", PatchState.REFUSED),
    ],
)
def test_a_script_that_looks_elsewhere_is_left(line: str, state: PatchState) -> None:
    assert draft(FOLDER, "unit", OWN, step="Go", captures=SAID, repository=sourced(line)).state is state


PRERELEASE = PassOption("--prerelease=allow")
BY_BRANCH = """if [ "$BIG" = "1" ]; then
    PIP="pip"
    MORE="--break-system-packages"
else
    PIP="uv pip"
    MORE="--index-strategy unsafe-best-match"
fi
$PIP install -e ".[dev]" $MORE --force-reinstall
$PIP install extras $MORE
"""


@pytest.mark.parametrize(
    ("run", "script", "traced", "line"),
    [
        ("uv pip install -r r.txt", "", "", "+uv pip install -r r.txt --prerelease=allow"),
        (
            "uv pip install boards\nuv pip install tables",
            "",
            "uv pip install tables",
            "+uv pip install tables --prerelease=allow",
        ),
        (
            "bash ci.sh",
            BY_BRANCH,
            "uv pip install -e '.[dev]' --index-strategy unsafe-best-match --force-reinstall",
            '+MORE="--index-strategy unsafe-best-match --prerelease=allow"',
        ),
    ],
    ids=["plain", "the-traced-one", "options-by-branch"],
)
def test_uv_is_told_to_take_pre_releases_where_it_failed(run: str, script: str, traced: str, line: str) -> None:
    there = repository(run, **({"ci.sh": script} if script else {}))
    facts = Facts(traced=(traced,) if traced else ())
    proved = patch(PRERELEASE, "unit", OWN, repository=there, step="Go", facts=facts)
    assert proved.state is PatchState.PATCH, proved.reason
    assert [one.replace("+    ", "+") for one in changed(proved) if one.startswith("+")] == [line]


@pytest.mark.parametrize("run", ["uv pip install boards\nuv pip install tables", "pip install boards", "uv sync"])
def test_which_command_of_uv_failed_has_to_be_known(run: str) -> None:
    assert not draft(PRERELEASE, "unit", OWN, repository=repository(run), step="Go").edits
