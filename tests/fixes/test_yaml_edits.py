from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.document import splice
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import steps_of
from triage.fixes.yaml.edits import (
    Edits,
    add_env,
    comment_above,
    remove_entry,
    replace_scalar,
    set_key,
)
from triage.fixes.yaml.encode import encoded, is_plain, quoted
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml
from triage.fixes.yaml.steps import insert_step

Change = Callable[[YamlDocument, yaml.Node], Edits | Refusal]


def changed(text: str, change: Change, *route: str | int) -> str:
    document = parse_yaml("w.yml", text.encode())
    assert isinstance(document, YamlDocument), document
    node = child(document.root, *route)
    assert node is not None
    edits = change(document, node)
    assert not isinstance(edits, Refusal), edits
    edited = splice(document.data, edits)
    assert isinstance(edited, bytes)
    return edited.decode()


def refused(text: str, change: Change, *route: str | int) -> str:
    document = parse_yaml("w.yml", text.encode())
    assert isinstance(document, YamlDocument), document
    node = child(document.root, *route)
    assert node is not None
    edits = change(document, node)
    assert isinstance(edits, Refusal)
    return edits.reason


def env(name: str = "NEW", value: str = "a b", comment: str = "") -> Change:
    return lambda document, node: add_env(document, node, name, value, why="test", comment=comment)


def test_an_entry_goes_behind_the_last_one_with_its_comment() -> None:
    text = """\
jobs:
  test:
    env:
      A: "1" # stays
      # about B
      B: >-
        folded
        text

    # about the steps
    steps: []
"""
    assert changed(text, env(comment="why"), "jobs", "test") == text.replace(
        "        text\n", '        text\n      # why\n      NEW: "a b"\n'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("env: {A: 1}\njobs: {}\n", 'env: {A: 1, NEW: "a b"}\njobs: {}\n'),
        ("env: {}\njobs: {}\n", 'env: {NEW: "a b"}\njobs: {}\n'),
        ("name: x\n# jobs\njobs: {}\n", 'name: x\nenv:\n  NEW: "a b"\n# jobs\njobs: {}\n'),
        ("jobs:\n  a: 1\n", 'env:\n  NEW: "a b"\njobs:\n  a: 1\n'),
        ("on:\njobs: {}\n", 'on:\nenv:\n  NEW: "a b"\njobs: {}\n'),
        ("env:\r\n  A: 1\r\njobs: {}\r\n", 'env:\r\n  A: 1\r\n  NEW: "a b"\r\njobs: {}\r\n'),
        ("jobs: {}\nenv:\n    A: 1", 'jobs: {}\nenv:\n    A: 1\n    NEW: "a b"'),
        ("env:\n  Ä: ü\njobs: {}\n", 'env:\n  Ä: ü\n  NEW: "a b"\njobs: {}\n'),
    ],
)
def test_env_is_added_to_every_shape_of_mapping(text: str, expected: str) -> None:
    assert changed(text, env()) == expected


def test_a_step_gets_its_env_before_its_script() -> None:
    text = "steps:\n  - name: one\n    run: |\n      x\n  - run: y\n"
    assert changed(text, env(), "steps", 0) == text.replace("one\n", 'one\n    env:\n      NEW: "a b"\n')
    assert yaml.safe_load(changed(text, env(), "steps", 1))["steps"][1] == {"run": "y", "env": {"NEW": "a b"}}


@pytest.mark.parametrize(
    ("text", "route", "said"),
    [
        ("env: {NEW: 1}\n", (), "already has"),
        ("env: ${{ fromJSON(x) }}\n", (), "no mapping"),
        ("env:\njobs: {}\n", (), "no mapping"),
        ("x: &e {A: 1}\nenv: *e\n", (), "shared through an anchor"),
        ("x: &e {A: 1}\nenv:\n  <<: *e\n  B: 2\n", (), "shared through an anchor"),
        ("{name: x, jobs: {}}\n", (), "no block mapping"),
    ],
)
def test_what_cannot_take_an_entry_is_refused(text: str, route: tuple[str, ...], said: str) -> None:
    assert said in refused(text, env(), *route)


def test_an_entry_is_removed_with_its_line() -> None:
    text = "env:\n  A: 1\n  B: 2 # gone\n  C: 3\n"
    assert (
        changed(text, lambda document, node: remove_entry(document, node, "B", why=""), "env")
        == "env:\n  A: 1\n  C: 3\n"
    )
    assert "lines alone" in refused(
        "env:\n  A: 1\n", lambda document, node: remove_entry(document, node, "A", why=""), "env"
    )


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("a: old # note", "new", "a: new # note"),
        ("a: 60 # note", "90", "a: 90 # note"),
        ("a: 'o''ld'", "it's", "a: 'it''s'"),
        ('a: "old"', 'q"\\', 'a: "q\\"\\\\"'),
        ("a: org/image:1.0", "org/image:2.0", "a: org/image:2.0"),
        ("a: old", "x # y", 'a: "x # y"'),
        ("a: old", "yes", 'a: "yes"'),
        ("a:", "new", "a: new"),
    ],
)
def test_a_scalar_is_replaced_in_its_own_style(before: str, new: str, after: str) -> None:
    def replace(document: YamlDocument, node: yaml.Node) -> Edits | Refusal:
        assert isinstance(node, yaml.ScalarNode)
        return replace_scalar(document, node, new, why="")

    edited = changed(before + "\n", replace, "a")
    assert edited == after + "\n"
    assert str(yaml.load(edited, yaml.BaseLoader)["a"]) == new


def test_a_scalar_of_several_lines_is_not_replaced() -> None:
    def replace(document: YamlDocument, node: yaml.Node) -> Edits | Refusal:
        assert isinstance(node, yaml.ScalarNode)
        return replace_scalar(document, node, "new", why="")

    assert "several lines" in refused("a: |\n  x\n", replace, "a")
    assert "anchor" in refused("b: &x 1\na: *x\n", replace, "a")


def test_keys_are_set_where_they_are_or_before_the_steps() -> None:
    minutes: Change = lambda document, node: set_key(document, node, "timeout-minutes", "90", why="")  # noqa: E731
    assert changed("job:\n  timeout-minutes: '60' # x\n  steps: []\n", minutes, "job") == (
        "job:\n  timeout-minutes: '90' # x\n  steps: []\n"
    )
    assert changed("job:\n  runs-on: x\n  steps: []\n", minutes, "job") == (
        "job:\n  runs-on: x\n  timeout-minutes: 90\n  steps: []\n"
    )


def test_a_comment_takes_the_indentation_of_its_line() -> None:
    text = "jobs:\n  test:\n    image: x\n"
    above: Change = lambda document, node: comment_above(document, node, "built by hand", why="")  # noqa: E731
    assert changed(text, above, "jobs", "test", "image") == text.replace("    image", "    # built by hand\n    image")


STEPS = """\
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      -   name: Install
          run: |
            pip install .

      # the tests
      - run: pytest
"""


def step(at: int, before: bool = False) -> Change:
    def insert(document: YamlDocument, node: yaml.Node) -> Edits | Refusal:
        return insert_step(
            document, steps_of(document, node)[at], "Check: it", "pip list\npip check\n", why="", before=before
        )

    return insert


def test_a_step_copies_its_neighbours_spelling() -> None:
    new = '      -   name: "Check: it"\n          run: |\n            pip list\n            pip check\n'
    assert changed(STEPS, step(1), "jobs", "test", "steps") == STEPS.replace("pip install .\n", f"pip install .\n{new}")
    edited = changed(STEPS, step(2, before=True), "jobs", "test", "steps")
    assert yaml.safe_load(edited)["jobs"]["test"]["steps"][2] == {"name": "Check: it", "run": "pip list\npip check\n"}
    assert "block list" in refused("jobs: [{run: x}]\n", step(0), "jobs")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="aB1é.:#'\"\\ -~yno{}[]&*!|>%@`,?", min_size=1, max_size=12))
def test_what_is_encoded_reads_back(text: str) -> None:
    written = quoted(text)
    assert isinstance(written, str)
    assert yaml.load(f"a: {written}\n", yaml.BaseLoader) == {"a": text}
    single = encoded(text, "'")
    assert yaml.load(f"a: '{single}'\n", yaml.BaseLoader) == {"a": text}
    if is_plain(text):
        assert yaml.safe_load(f"a: {text} # c\nb: 1\n") == {"a": text, "b": 1}
