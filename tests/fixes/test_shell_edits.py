from __future__ import annotations

import pytest
import yaml

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.test_evaluate import PATH, evaluated, one_step
from triage.fixes.document import splice
from triage.fixes.evaluate.invocation import Call
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument, insert_line, remove_command, replace_command, replace_value
from triage.fixes.yaml.edits import Edits


def workflow(step: str) -> MemoryTree:
    return MemoryTree(
        {PATH: f"jobs:\n  test:\n    runs-on: x\n    steps:\n      {step}\n".encode(), "s.sh": b'prog "$@"\n'}
    )


def call_of(tree: MemoryTree, start: str = "") -> Call:
    found = [one.calls[0] for one in evaluated(tree).invocations if one.command_line.startswith(start)]
    assert found
    return found[0]


def made(tree: MemoryTree, edits: Edits | Refusal, path: str = PATH) -> str:
    assert not isinstance(edits, Refusal), edits
    edited = splice(tree.read(path), edits)
    assert isinstance(edited, bytes)
    return edited.decode()


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("- run: bash s.sh a # note", '- run: bash s.sh a "${V}" # note'),
        ("- run: 'bash s.sh ''a'''", "- run: 'bash s.sh ''a'' \"${V}\"'"),
        ('- run: "bash s.sh a"', '- run: "bash s.sh a \\"${V}\\""'),
        (
            "- run: |\n          A=1 bash s.sh a 2>&1 | tee log",
            '- run: |\n          A=1 bash s.sh a "${V}" 2>&1 | tee log',
        ),
        ("- run: >-\n          bash s.sh\n          a", '- run: >-\n          bash s.sh\n          a "${V}"'),
        (
            "- run: |\n          bash s.sh \\\n            a \\\n\n          b",
            '- run: |\n          bash s.sh \\\n            a "${V}" \\\n\n          b',
        ),
        ("- run: |\n          bash s.sh && x", '- run: |\n          bash s.sh "${V}" && x'),
        ("- run: |\n          if true; then bash s.sh; fi", '- run: |\n          if true; then bash s.sh "${V}"; fi'),
        ("- run: |\n          (bash s.sh a)", '- run: |\n          (bash s.sh a "${V}")'),
        (
            "- run: |\n          bash s.sh <<EOF\n          x\n          EOF",
            '- run: |\n          bash s.sh "${V}" <<EOF\n          x\n          EOF',
        ),
        ("- run: bash s.sh ${{ matrix.x }}", '- run: bash s.sh ${{ matrix.x }} "${V}"'),
        ("- {run: 'bash s.sh é'}", "- {run: 'bash s.sh é \"${V}\"'}"),
    ],
)
def test_an_argument_goes_behind_the_last_one(step: str, expected: str) -> None:
    tree = workflow(step)
    text = made(tree, append_argument(tree, call_of(tree, "prog"), '"${V}"', why="test"))
    assert text == tree.read(PATH).decode().replace(step, expected)
    again = MemoryTree({**tree.files, PATH: text.encode()})
    (invocation,) = [one for one in evaluated(again).invocations if one.command_line.startswith("prog")]
    assert invocation.argv[-1].text == ""


def test_an_argument_that_would_end_the_scalar_is_refused() -> None:
    tree = workflow("- run: bash s.sh")
    assert isinstance(append_argument(tree, call_of(tree), "'a # b'", why=""), Refusal)
    flow = workflow("- {run: bash s.sh}")
    assert isinstance(append_argument(flow, call_of(flow), '"${V}"', why=""), Refusal)
    assert isinstance(insert_line(flow, call_of(flow), "x", why=""), Refusal)
    tree = workflow("- run: eval 'bash s.sh'")
    refused = append_argument(tree, evaluated(tree).invocations[0].calls[-2], "x", why="")
    assert isinstance(refused, Refusal)
    assert "at run time" in refused.reason


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("x=1\nprog key=$x", "2", "x=2\nprog key=$x"),
        ("prog key=${x:-1}", "2", "prog key=${x:-2}"),
        ('prog key="1"', "a b", 'prog key="a b"'),
        ("prog 'key=1'", "a b", "prog 'key=a b'"),
        ("x=1 bash s.sh key=1", "0.5", "x=1 bash s.sh key=0.5"),
    ],
)
def test_a_value_is_replaced_where_it_is_decided(text: str, new: str, expected: str) -> None:
    tree = one_step(text, {"s.sh": 'prog "$@"\n'})
    setting = find_setting(evaluated(tree).invocations[-1], "key")
    assert setting is not None
    edits = replace_value(tree, setting.sites[0], "1", new, why="")
    assert made(tree, edits) == one_step(expected).read(PATH).decode()


def test_a_value_is_not_replaced_where_it_is_computed_changed_or_unsafe() -> None:
    tree = one_step("x=2\nprog key=$((x / 2))\nprog other=$x")
    computed = find_setting(evaluated(tree).invocations[0], "key")
    plain = find_setting(evaluated(tree).invocations[1], "other")
    assert computed is not None
    assert plain is not None
    assert "computed" in str(replace_value(tree, computed.sites[0], "1", "2", why=""))
    assert "not what the file holds" in str(replace_value(tree, plain.sites[0], "3", "4", why=""))
    assert "other quotes" in str(replace_value(tree, plain.sites[0], "2", "a b", why=""))


def test_env_of_the_workflow_is_replaced_in_its_own_style() -> None:
    tree = one_step("prog key=$SIZE", extra='env:\n  SIZE: "1" # size')
    setting = find_setting(evaluated(tree).invocations[0], "key")
    assert setting is not None
    assert 'SIZE: "4" # size' in made(tree, replace_value(tree, setting.sites[0], "1", "4", why=""))
    number = one_step("prog key=$SIZE", extra="env:\n  SIZE: 1")
    setting = find_setting(evaluated(number).invocations[0], "key")
    assert setting is not None
    assert "SIZE: 4\n" in made(number, replace_value(number, setting.sites[0], "1", "4", why=""))


@pytest.mark.parametrize(
    ("step", "after", "before"),
    [
        (
            "- run: |\n          one\n          pip install a\n          two",
            ["one", "pip install a", "new", "two"],
            ["one", "new", "pip install a", "two"],
        ),
        ("- run: pip install a", ["pip install a", "new"], ["new", "pip install a"]),
        ('- run: "pip install a" # note', ["pip install a", "new"], ["new", "pip install a"]),
        ("- name: x\n        run: pip install a", ["pip install a", "new"], ["new", "pip install a"]),
        (
            "- run: |\n          pip install \\\n            a\n          two",
            ["pip install \\", "  a", "new", "two"],
            ["new", "pip install \\", "  a", "two"],
        ),
        (
            "- run: |\n          if x; then\n            pip install a\n          fi",
            ["if x; then", "  pip install a", "  new", "fi"],
            ["if x; then", "  new", "  pip install a", "fi"],
        ),
    ],
)
def test_a_line_is_inserted_beside_a_command(step: str, after: list[str], before: list[str]) -> None:
    tree = workflow(step)
    call = call_of(tree, "pip")
    for first, expected in ((False, after), (True, before)):
        text = made(tree, insert_line(tree, call, "new", why="", before=first))
        assert yaml.safe_load(text)["jobs"]["test"]["steps"][0]["run"].rstrip("\n").split("\n") == expected


@pytest.mark.parametrize(
    "step",
    [
        "- run: a; pip install a",
        "- run: >\n          pip install a",
        "- run: |\n          if x; then pip install a; fi",
        "- run: |\n          pip install a <<X\n          y\n          X",
    ],
)
def test_a_line_that_has_no_certain_place_is_refused(step: str) -> None:
    tree = workflow(step)
    assert isinstance(insert_line(tree, call_of(tree, "pip"), "new", why=""), Refusal)


def test_lines_of_scripts_keep_their_line_ends() -> None:
    tree = MemoryTree({**workflow("- run: bash t.sh").files, "t.sh": b"  prog a\r\nprog b"})
    first, second = (one.calls[-1] for one in evaluated(tree).invocations)
    assert made(tree, insert_line(tree, second, "prog c", why=""), "t.sh") == "  prog a\r\nprog b\r\nprog c"
    assert made(tree, remove_command(tree, second, why=""), "t.sh") == "  prog a\r\n"
    assert "prog a" not in made(tree, remove_command(tree, first, why=""), "t.sh")


def test_commands_are_removed_with_their_lines_and_replaced_in_part() -> None:
    tree = workflow("- run: |\n          one\n          pip install \\\n            a==1\n          two")
    call = call_of(tree, "pip")
    assert (
        yaml.safe_load(made(tree, remove_command(tree, call, why="")))["jobs"]["test"]["steps"][0]["run"]
        == "one\ntwo\n"
    )
    assert "a==2" in made(tree, replace_command(tree, call, "a==1", "a==2", why=""))
    assert isinstance(replace_command(tree, call, "nothing", "x", why=""), Refusal)
    alone = workflow("- run: |\n          pip install a")
    assert "only command" in str(remove_command(alone, call_of(alone, "pip"), why=""))
