"""Edits in scripts that stand in quotes (`bash -c '...'`): bash itself says what the inner script reads afterwards."""

from __future__ import annotations

import shlex
import subprocess
from textwrap import indent

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.test_evaluate import PATH, evaluated
from triage.fixes.document import splice
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import (
    append_argument,
    insert_line,
    remove_command,
    replace_command,
    replace_value,
    replace_word,
)
from triage.fixes.shell.nested import written
from triage.fixes.yaml.edits import Edits
from triage.gates.escapes import keeps

# A container's program that prints the script which it is given.
STUB = 'docker() { printf %s "${@: -1}"; }\nset -- a b\n'


def tree_of(script: str, style: str = "|") -> MemoryTree:
    if style == "sh":
        run = "bash s.sh"
        return MemoryTree({PATH: workflow(run).encode(), "s.sh": script.encode()})
    return MemoryTree({PATH: workflow(script, style).encode()})


def workflow(script: str, style: str = "") -> str:
    body = script if not style else f"|\n{indent(script, ' ' * 10)}"
    return f"on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: {body}\n"


def inner(tree: MemoryTree, start: str = "pip") -> Invocation:
    found = [one for one in evaluated(tree).invocations if one.system and one.command_line.startswith(start)]
    assert found, [one.command_line for one in evaluated(tree).invocations]
    return found[0]


def made(tree: MemoryTree, path: str, edits: Edits | Refusal) -> MemoryTree:
    assert not isinstance(edits, Refusal), edits
    edited = splice(tree.read(path), edits)
    assert isinstance(edited, bytes)
    return MemoryTree({**tree.files, path: edited})


def text_of(tree: MemoryTree) -> str:
    """The script outside the quotes."""
    import yaml

    document = yaml.safe_load(tree.read(PATH))
    run = document["jobs"]["test"]["steps"][0]["run"]
    return tree.read("s.sh").decode() if "s.sh" in tree else run


def bash(script: str, *options: str) -> str:
    ended = subprocess.run(("bash", *options), input=script.encode(), capture_output=True, check=False)
    assert ended.returncode == 0, (script, ended.stderr)
    return ended.stdout.decode()


def given_to(tree: MemoryTree) -> str:
    """What bash gives the container, which must be a script as well."""
    text = bash(STUB + text_of(tree))
    bash(text, "-n")
    return text


QUOTED = {
    "'": lambda text: f"'{text}'",
    '"': lambda text: '"' + "".join(f"\\{c}" if c in '\\$"`' else c for c in text) + '"',
}
WORDS = st.sampled_from(
    [
        "a",
        "b<5",
        "é",
        "x=1",
        "\\",
        "$A",
        "`b`",
        '"',
        "'",
        "#",
        "{}",
        "*",
        "a b",
        "!",
        "ß[x]",
        "-e",
        ".",
        "~",
        "%s",
        "|",
        "",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=4),
    st.lists(WORDS, max_size=3),
    st.sampled_from(["a", '"${V}"', "'x<5'", '"q<5"', "a\\ b", "$V", "`c`", 'a="b c"', "'it'"]),
    st.sampled_from(["'", '"']),
    st.sampled_from(["|", "sh"]),
    st.booleans(),
)
def test_an_argument_arrives_as_one(
    before: list[str], after: list[str], argument: str, quote: str, style: str, several: bool
) -> None:
    """Appended to a command in either quotes, in a block of YAML and in a script."""
    line = "pip install " + " ".join(shlex.quote(word) for word in before)
    rest = "python a.py " + " ".join(shlex.quote(word) for word in after)
    text = f"\n  set -e\n  {line}\n  {rest}\n" if several else f"{line} && {rest}"
    assume(quote == '"' or "'" not in text)
    tree = tree_of(f"docker exec c bash -c {QUOTED[quote](text)}\n", style)
    call = inner(tree).calls[-1]
    edits = append_argument(tree, call, argument, why="")
    if isinstance(edits, Refusal):
        assert quote == "'"
        assert "'" in argument
        return
    found = given_to(made(tree, call.path, edits))
    wanted = text.replace(line, f"{line} {argument}", 1)
    assert found in (wanted, text.replace(line, f"{line} {argument.replace(chr(39), chr(34))}", 1))


@settings(max_examples=120, deadline=None)
@given(
    st.lists(WORDS, max_size=4), st.sampled_from(["'", '"']), st.sampled_from(["|", "sh"]), st.booleans(), st.booleans()
)
def test_a_line_more_stays_in_the_quotes(words: list[str], quote: str, style: str, several: bool, before: bool) -> None:
    line = "pip install x " + " ".join(shlex.quote(word) for word in words)
    line = line.rstrip()
    text = f"\n  set -e\n  {line}\n  python a.py\n" if several else f"set -e; {line} && python a.py"
    assume(quote == '"' or "'" not in text)
    tree = tree_of(f"docker exec c bash -c {QUOTED[quote](text)}\n:\n", style)
    call = inner(tree).calls[-1]
    changed = made(tree, call.path, insert_line(tree, call, 'pip install "y<2"', why="", before=before))
    found = given_to(changed)
    more = 'pip install "y<2"'
    own = f"{more}\n  {line}" if before else f"{line}\n  {more}"
    joined = f"{more} && {line}" if before else f"{line} && {more}"
    assert found == text.replace(line, own if several else joined, 1)
    again = [one.command_line for one in evaluated(changed).invocations if one.system]
    assert "pip install y<2" in again


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            "docker exec c bash -c 'pip install a'",
            "docker exec c bash -c 'pip install a && pip install \"y<2\"'",
        ),
        (
            'docker exec c bash -c "pip install a"',
            'docker exec c bash -c "pip install a && pip install \\"y<2\\""',
        ),
        ("docker exec c pip install a", 'docker exec c pip install a\ndocker exec c pip install "y<2"'),
        (
            "docker exec -e B='x y' c pip install a",
            "docker exec -e B='x y' c pip install a\ndocker exec -e B='x y' c pip install \"y<2\"",
        ),
        (
            "docker exec c bash -c '\\\n  apt-get update && \\\n  pip install a && \\\n  ls \\\n'",
            "docker exec c bash -c '\\\n  apt-get update && \\\n  pip install a && pip install \"y<2\" && \\\n  ls \\\n'",
        ),
        (
            'docker exec c bash -c "\n  pip install a\n  ls"',
            'docker exec c bash -c "\n  pip install a\n  pip install \\"y<2\\"\n  ls"',
        ),
        (
            'docker exec c bash -c "\n  pip install a"',
            'docker exec c bash -c "\n  pip install a && pip install \\"y<2\\""',
        ),
        (
            "docker exec -i c bash <<'EOF'\npip install a\nls\nEOF",
            "docker exec -i c bash <<'EOF'\npip install a\npip install \"y<2\"\nls\nEOF",
        ),
        (
            "docker exec -i c bash <<EOF\npip install a\nEOF",
            'docker exec -i c bash <<EOF\npip install a\npip install "y<2"\nEOF',
        ),
        (
            "docker exec c bash -c 'bash -c \"pip install a\"'",
            'docker exec c bash -c \'bash -c "pip install a && pip install \\"y<2\\""\'',
        ),
        ("ssh host 'pip install a'", "ssh host 'pip install a && pip install \"y<2\"'"),
        ('docker exec c bash -c "pip install $A"', 'docker exec c bash -c "pip install $A && pip install \\"y<2\\""'),
        (
            'f() { docker exec c "$@"; }\nf bash -c "pip install a"',
            'f() { docker exec c "$@"; }\nf bash -c "pip install a && pip install \\"y<2\\""',
        ),
    ],
)
@pytest.mark.parametrize("style", ["|", "sh"])
def test_a_command_more_for_each_form(script: str, expected: str, style: str) -> None:
    tree = tree_of(f"A=a\n{script}\n", style)
    call = inner(tree).calls[-1]
    changed = made(tree, call.path, insert_line(tree, call, 'pip install "y<2"', why=""))
    assert text_of(changed) == f"A=a\n{expected}\n"
    bash(text_of(changed), "-n")
    found = [one.command_line for one in evaluated(changed).invocations if one.system]
    assert found[found.index("pip install a") + 1] == "pip install y<2"


@pytest.mark.parametrize(
    "script",
    [
        "docker exec c bash -c 'if pip install a; then ls; fi'",
        "docker exec c bash -c 'pip install a || ls'",
        "docker exec c bash -c 'pip install a | tee x'",
        "docker exec c bash -c 'pip install a > x'",
        "docker exec c bash -c 'pip install a & wait'",
        "docker exec c bash -c 'for x in 1 2; do pip install a; done'",
        "docker exec c bash -c '! pip install a; ls'",
        "docker exec c bash -c 'ls || pip install a; ls'",
        "docker exec c bash -c 'f() { pip install a; }; f'",
        "docker exec c bash -c 'case x in x) pip install a;; esac'",
        "docker exec c bash -c 'pip '\"install\"' a'",
        "docker exec c bash -c pip\\ install\\ a",
        "docker exec c bash -c $'pip install a'",
        "T='pip install a'; docker exec c bash -c \"$T\"",
        "docker exec c \\\n  pip install a",
        'f() { docker exec c "$@"; }\nf pip install a',
        'docker exec c bash -c "bash -c \\"pip install a\\""',
        'docker exec c bash -c "$(echo pip install a)"',
        "docker exec c pip install a && ls",
        "if docker exec c pip install a; then ls; fi",
    ],
)
def test_what_another_line_could_change_is_refused(script: str) -> None:
    tree = tree_of(f"{script}\n")
    edits = insert_line(tree, inner(tree).calls[-1], "pip install y", why="")
    if isinstance(edits, Refusal):
        return
    changed = made(tree, PATH, edits)
    bash(text_of(changed), "-n")
    assert script.endswith("&& ls")  # the line after the whole chain


@pytest.mark.parametrize(
    "line", ["export A=1", "cd x", "A=1 ls", "ls > x", "ls | cat", "ls && ls", "ls; ls", "(ls", ""]
)
def test_a_container_runs_one_program_and_no_shell(line: str) -> None:
    tree = tree_of("docker exec c pip install a\n")
    assert isinstance(insert_line(tree, inner(tree).calls[-1], line, why=""), Refusal)


def test_values_words_and_commands_are_replaced_in_their_quotes() -> None:
    tree = tree_of("docker exec c bash -c \"pip install 'a<5' b==1\"\n")
    one = inner(tree)
    call = one.calls[-1]
    (site,) = one.argv[3].sites
    assert text_of(made(tree, PATH, replace_value(tree, site, "b==1", "b==2", why=""))).endswith("'a<5' b==2\"\n")
    assert isinstance(replace_value(tree, site, "b==1", "b==$X", why=""), Refusal)
    changed = made(tree, PATH, replace_word(tree, site, '"b<2"', why=""))
    assert text_of(changed).endswith('\'a<5\' \\"b<2\\""\n')
    assert [str(word) for word in inner(changed).argv] == ["pip", "install", "a<5", "b<2"]
    changed = made(tree, PATH, replace_command(tree, call, "pip install", "uv pip install", why=""))
    assert inner(changed, "uv").command_line == "uv pip install a<5 b==1"


def test_a_command_goes_with_its_line_and_not_the_last_one() -> None:
    tree = tree_of("docker exec c bash -c '\n  set -e\n  pip install a\n  ls'\n")
    changed = made(tree, PATH, remove_command(tree, inner(tree).calls[-1], why=""))
    assert text_of(changed) == "docker exec c bash -c '\n  set -e\n  ls'\n"
    for script in (
        "docker exec c bash -c 'pip install a'\nls\n",
        "docker exec c bash -c '\n  pip install a\n'\nls\n",
        "docker exec c bash -c '\n  ls\n  pip install a'\nls\n",
        "docker exec c bash -c '\n  ls && \\\n  pip install a\n'\nls\n",
    ):
        tree = tree_of(script)
        assert isinstance(remove_command(tree, inner(tree).calls[-1], why=""), Refusal), script
    tree = tree_of("ls\ndocker exec c pip install a\n")
    assert text_of(made(tree, PATH, remove_command(tree, inner(tree).calls[-1], why=""))) == "ls\n"


@pytest.mark.parametrize("run", ["docker exec c bash -c 'pip install a'", "\"docker exec c bash -c 'pip install a'\"",
                                 "'docker exec c bash -c ''pip install a'''",
                                 ">-\n          docker exec c\n          bash -c 'pip install a'"])  # fmt: skip
def test_every_style_of_yaml(run: str) -> None:
    tree = tree_of(run, "")
    call = inner(tree).calls[-1]
    changed = made(tree, PATH, insert_line(tree, call, 'pip install "y<2"', why=""))
    assert text_of(changed).strip() == "docker exec c bash -c 'pip install a && pip install \"y<2\"'"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab $`\"'\\<;\n", max_size=12), st.lists(st.sampled_from(["'", '"', "<", "<<"]), max_size=3))
def test_what_is_written_keeps_to_the_quotes(text: str, nested: list[str]) -> None:
    shown = written(text, tuple(nested))
    if not isinstance(shown, Refusal):
        assert keeps(shown, tuple(nested))


@pytest.mark.parametrize(
    ("text", "nested", "stays"),
    [
        ("a", ("'",), True),
        ("'a'", ("'",), False),
        ('"a"', ("'",), True),
        ('"a"', ('"',), False),
        ('\\"a\\"', ('"',), True),
        ("$A", ('"',), False),
        ("\\$A", ('"',), True),
        ("\\\\$A", ('"',), False),
        ("'a'", ('"',), True),
        ("'a'", ("'", '"'), False),
        ("\\'a", ('"', "'"), False),
        ("$A", ("<",), True),
        ("$A", ("<<",), False),
    ],
)
def test_an_edit_that_would_leave_its_quotes_is_seen(text: str, nested: tuple[str, ...], stays: bool) -> None:
    assert keeps(text, nested) is stays


def test_calls_say_where_they_stand() -> None:
    tree = tree_of("docker exec c bash -c '\n  pip install a\n  ls'\n")
    call: Call = inner(tree).calls[-1]
    data = tree.read(PATH)
    assert data[call.start : call.end] == b"pip install a"
    assert data[call.span[0] : call.span[1]].strip() == b"pip install a\n            ls"
    assert call.nested == ("'",)
    assert call.line == 8
