from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.fixes.document import splice, unified_diff
from triage.fixes.recipes.outcome import Edited, Words
from triage.fixes.recipes.wiring.unparsed import repair_unparsed
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import check
from triage.fixes.yaml.nodes import parse_yaml

PATH = ".github/workflows/train.yml"
GOOD = """\
name: train
on:
  push:
    branches: [main]
    paths:
      - src/**
env:
  MODE: fast
jobs:
  train:
    if: ${{ !cancelled() }}
    runs-on: gpu-8
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: |
          pip install -e .
          pip list
      - name: Train
        env:
          STEPS: "2"
        run: bash tests/run.sh
"""


def repaired(old: str, new: str) -> list[str] | str:
    """What the repair of GOOD with `old` replaced by `new` changes, or says."""
    assert old in GOOD
    data = GOOD.replace(old, new, 1).encode()
    document = parse_yaml(PATH, data)
    assert isinstance(document, Refusal), "the broken file parses"
    made = repair_unparsed(PATH, data, document.line)
    if not isinstance(made, Edited):
        return made.reason if isinstance(made, Refusal) else made.text if isinstance(made, Words) else "in place"
    after = splice(data, made.edits)
    assert isinstance(after, bytes)
    assert not check(PATH, after)
    lines = unified_diff(PATH, data, after, 0).decode().splitlines()[2:]
    return [line for line in lines if not line.startswith("@@")]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("          STEPS", "\t  STEPS", ['-\t  STEPS: "2"', '+          STEPS: "2"']),
        ("run: bash tests/run.sh", "run: echo done: yes", ["-        run: echo done: yes", "+        run: |", "+          echo done: yes"]),
        ("- src/**", "- **.py", ["-      - **.py", '+      - "**.py"']),
        ("MODE: fast", "MODE: @fast # quick", ["-  MODE: @fast # quick", '+  MODE: "@fast" # quick']),
        ("name: Train\n", "name: Train: fast\n", ["-      - name: Train: fast", '+      - name: "Train: fast"']),
        ("    runs-on: gpu-8", "    runs-on gpu-8", ["-    runs-on gpu-8", "+    runs-on: gpu-8"]),
        ("    branches: [main]", "    branches: [main", ["-    branches: [main", "+    branches: [main]"]),
        ("      - name: Train", "     - name: Train", ["-     - name: Train", "+      - name: Train"]),
        ("        env:\n", "#        env:\n", ['-          STEPS: "2"', '+#          STEPS: "2"']),
        ("if: ${{ !cancelled() }}", "if: !cancelled() && true", ["-    if: !cancelled() && true", "+    if: ${{ !cancelled() && true }}"]),
        ("        run: |\n          pip install -e .\n          pip list\n", "        pip install -e .\n        pip list\n", ["-        pip install -e .", "-        pip list", "+        run: |", "+          pip install -e .", "+          pip list"]),
        ("        run: |\n          pip install -e .\n", "        run:\n          echo a: b\n", ["-        run:", "+        run: |"]),
    ],
)  # fmt: skip
def test_one_slip_is_mended_where_it_stands(old: str, new: str, changed: list[str]) -> None:
    assert repaired(old, new) == changed


def test_another_kind_of_file_is_named_and_not_edited() -> None:
    data = b"#!/usr/bin/env bash\nset -x\ncommon=(\n  a=b: c\n)\n"
    made = repair_unparsed(PATH, data, 4)
    assert isinstance(made, Words)
    assert f"{PATH} holds a script" in made.text
    assert "git checkout" in made.text


def test_conflict_markers_are_named_with_their_line() -> None:
    said = repaired("  MODE: fast\n", "<<<<<<< HEAD\n  MODE: fast\n=======\n  MODE: slow\n>>>>>>> other\n")
    assert isinstance(said, str)
    assert said.startswith(f"{PATH}:8: ")


def test_what_no_one_slip_explains_is_refused() -> None:
    said = repaired(
        "    steps:\n      - uses: actions/checkout@v4\n", "    steps: [\n      - uses: actions/checkout@v4\n"
    )
    assert isinstance(said, str)


@given(st.integers(0, len(GOOD)), st.sampled_from(["\t", "{", "]", '"', ":", " ", "\n", "&", "# ", "- ", "é"]))
def test_whatever_is_edited_is_valid_afterwards(at: int, text: str) -> None:
    data = (GOOD[:at] + text + GOOD[at:]).encode()
    document = parse_yaml(PATH, data)
    if not isinstance(document, Refusal):
        return
    made = repair_unparsed(PATH, data, document.line)
    if isinstance(made, Edited):
        after = splice(data, made.edits)
        assert isinstance(after, bytes)
        assert not check(PATH, after)
        lines = [line.partition(" #")[0].strip() for line in after.decode().splitlines()]
        assert all(one.text in lines for one in made.expectations)


def test_tabs_of_a_script_stay() -> None:
    script = "          cat <<-EOF\n          \tkept\n          EOF\n"
    data = GOOD.replace("          pip list\n", "          pip list\n" + script)
    data = data.replace("        env:\n", "\tenv:\n").encode()
    document = parse_yaml(PATH, data)
    assert isinstance(document, Refusal)
    made = repair_unparsed(PATH, data, document.line)
    assert isinstance(made, Edited)
    after = splice(data, made.edits)
    assert isinstance(after, bytes)
    assert b"          \tkept\n" in after


def test_where_a_quote_ends_before_what_may_be_a_comment_is_not_guessed() -> None:
    assert isinstance(repaired("- name: Install", '- name: "Install # the thing'), str)
    assert isinstance(repaired("[main]", "[main # only"), str)


@pytest.mark.parametrize("tail", ["      - name: bad: x: [\n", "\t\trun: x\n"])
def test_no_step_is_made_a_line_of_the_script_above_it(tail: str) -> None:
    data = (GOOD.partition("      - name: Train")[0] + tail).encode()
    document = parse_yaml(PATH, data)
    assert isinstance(document, Refusal)
    assert isinstance(repair_unparsed(PATH, data, document.line), Refusal)


@pytest.mark.parametrize(
    ("line", "taken"), [("Job 2\n", True), ("Train the model\n", True), ("pip install x\n", False)]
)
def test_words_of_a_comment_get_their_sign_back(line: str, taken: bool) -> None:
    data = f"{GOOD}{line}  other:\n    runs-on: cpu\n    steps:\n      - run: ls\n".encode()
    document = parse_yaml(PATH, data)
    assert isinstance(document, Refusal)
    made = repair_unparsed(PATH, data, document.line)
    after = splice(data, made.edits) if isinstance(made, Edited) else b""
    assert (f"# {line}".encode() in after if isinstance(after, bytes) else False) is taken


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('STEPS: "2"', 'STEPS: "2'),
        ("    runs-on: gpu-8", "\truns-on: gpu-8"),
        ("    runs-on: gpu-8\n", "    runs-on gpu-8\n    # a\n    # long\n    # comment\n    # here\n"),
        ("uses: actions/checkout@v4\n      - name: Install\n", "uses: actions/checkout@v4\n      - name Install\n"),
    ],
)
def test_the_line_with_the_slip_may_stand_above_the_one_that_is_named(old: str, new: str) -> None:
    later = 'run: bash tests/run.sh "x"\n        shell: "bash"\n'
    data = GOOD.replace("run: bash tests/run.sh\n", later).replace(old, new, 1).encode()
    document = parse_yaml(PATH, data)
    assert isinstance(document, Refusal)
    made = repair_unparsed(PATH, data, document.line)
    assert isinstance(made, Edited), made
    after = splice(data, made.edits)
    assert isinstance(after, bytes)
    assert old.split("\n")[0].encode() in after


def test_an_action_without_its_colon_is_no_command() -> None:
    assert repaired(
        "      - name: Install\n        run: |\n", "      - name: Get\n        uses actions/cache@v4\n      - run: |\n"
    ) == [
        "-        uses actions/cache@v4",
        "+        uses: actions/cache@v4",
    ]


@pytest.mark.parametrize("character", ["\a", "\0"])
def test_a_character_that_no_yaml_has_is_no_end_of_the_program(character: str) -> None:
    made = repair_unparsed(PATH, GOOD.replace('"2"', f'"{character}').encode(), 1)
    assert isinstance(made, Refusal)
