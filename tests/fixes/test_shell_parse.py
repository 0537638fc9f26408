from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.shell import syntax
from triage.fixes.shell.parse import has_errors, parse
from triage.fixes.shell.syntax import (
    AndOr,
    Arithmetic,
    Assignment,
    Case,
    Declaration,
    For,
    Function,
    Group,
    If,
    Let,
    Literal,
    Loop,
    Not,
    Opaque,
    Parameter,
    Part,
    Pipeline,
    Simple,
    Statement,
    Substitution,
    Unsupported,
)


def only(text: str) -> Statement:
    statements = parse(text.encode())
    assert len(statements) == 1, statements
    return statements[0]


def simple(text: str) -> Simple:
    found = only(text)
    assert isinstance(found, Simple), found
    return found


def part(text: str) -> Part:
    word = simple(f"x {text}").words[1]
    assert len(word.parts) == 1, word
    return word.parts[0]


def words(text: str) -> list[str | None]:
    return [word.literal for word in simple(text).words]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a | b", Pipeline),
        ("a && b", AndOr),
        ("! a", Not),
        ("(a; b)", Group),
        ("{ a; }", Group),
        ("a &", Group),
        ("if a; then b; fi", If),
        ("while a; do b; done", Loop),
        ("until a; do b; done", Loop),
        ("for x in a; do b; done", For),
        ("case x in y) a ;; esac", Case),
        ("f() { a; }", Function),
        ("(( x + 1 ))", Let),
        ("[[ -n $x ]]", syntax.Test),
        ("[ -n $x ]", Simple),
        ("export A=1", Declaration),
        ("for ((i=0;i<3;i++)); do a; done", Unsupported),
        ("select x in a; do b; done", Unsupported),
    ],
)
def test_statements_have_their_kind(text: str, kind: type) -> None:
    assert isinstance(only(text), kind)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  c", ["a", "b", "c"]),
        ("a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]),
        ("a b'c'\"d\"e", ["a", "bcde"]),
        ("a \\\n  b \\\n\n", ["a", "b"]),
        ("a='x'\\\n b c", ["b", "c"]),
        ("a $'t\\tn' \"q\\\"q\" '\\'", ["a", "t\tn", 'q"q', "\\"]),
        ("a é ü", ["a", "é", "ü"]),
        ("python3 - <<'EOF'\nx\nEOF\n", ["python3", "-"]),
        ("cat - b", ["cat", "-", "b"]),
        ("a # comment", ["a"]),
        ("a b#c", ["a", "b#c"]),
        ("a > out b", ["a", "b"]),
        ("2>&1 a", ["a"]),
    ],
)
def test_words(text: str, expected: list[str | None]) -> None:
    if text == "a > out b":
        assert isinstance(only(text), Unsupported | Simple)
    else:
        assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$x", ("x", False, "", None)),
        ('"$x"', ("x", True, "", None)),
        ("${x:-a b}", ("x", False, ":-", "a b")),
        ('"${x:-a}"', ("x", True, ":-", "a")),
        ("${x-}", ("x", False, "-", "")),
        ("${x##*/}", ("x", False, "##", "*/")),
        ("${x,,}", ("x", False, ",,", "")),
        ("${1:-d}", ("1", False, ":-", "d")),
        ("$@", ("@", False, "", None)),
        ('"$*"', ("*", True, "", None)),
        ("$10", ("1", False, "", None)),
        ("~", ("~", True, "", None)),
    ],
)
def test_parameters(text: str, expected: tuple[str, bool, str, str | None]) -> None:
    found = simple(f"x {text}").words[1].parts[0]
    assert isinstance(found, Parameter)
    operand = None if found.operand is None else found.operand.literal
    assert (found.name, found.quoted, found.operator, operand) == expected


def test_a_blank_before_an_expansion_inside_quotes_is_kept() -> None:
    """The grammar lets the expansion begin at the blank."""
    found = simple('x "a=${N:-1} ${E}"').words[1]
    shown = [
        one.text if isinstance(one, Literal) else f"<{one.name}>"
        for one in found.parts
        if isinstance(one, Literal | Parameter)
    ]
    assert shown == ["a=", "<N>", " ", "<E>"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("$(a)", Substitution), ("`a`", Substitution), ("$((1))", Arithmetic), ("<(a)", Opaque), ("{a,b}", Opaque)],
)
def test_expansions(text: str, kind: type) -> None:
    assert isinstance(part(text), kind)


def test_spans_are_bytes_of_the_text() -> None:
    text = 'é() { :; }\nA=ü prog "ö ${X:-ä}" last | tee\n'.encode()
    pipeline = parse(text)[1]
    assert isinstance(pipeline, Pipeline)
    command = pipeline.stages[0]
    assert isinstance(command, Simple)
    assert text[command.start : command.argument_end].decode() == 'A=ü prog "ö ${X:-ä}" last'
    inner = command.words[1].parts[1]
    assert isinstance(inner, Parameter)
    assert inner.operand is not None
    assert text[inner.operand.start : inner.operand.end].decode() == "ä"


def test_assignments_on_one_line_and_a_command_on_the_next_are_two_commands() -> None:
    found = only('A=$B C="$D"\nprog x\n')
    assert isinstance(found, Group)
    assert [len(one.words) for one in found.body if isinstance(one, Simple)] == [0, 2]


def test_arrays_hold_words_over_lines_with_comments() -> None:
    assignment = simple("A+=(\n  one # note\n  'two 2'\n  $B\n)").assignments[0]
    assert isinstance(assignment, Assignment)
    assert assignment.append
    assert isinstance(assignment.value, tuple)
    assert [word.literal for word in assignment.value] == ["one", "two 2", None]


def test_a_statement_with_an_error_spoils_only_itself() -> None:
    statements = parse(b"prog before\nprog ${x!y} words\nfoo )\nprog after\n")
    assert isinstance(statements[0], Simple)
    assert all(isinstance(one, Unsupported) for one in statements[1:-1])
    assert isinstance(statements[-1], Simple)
    assert has_errors(b"if then; fi")


def test_an_unsupported_statement_names_what_it_may_assign() -> None:
    found = only("for ((i=0;i<3;i++)); do x=1; y+=2; read z; export w; done")
    assert isinstance(found, Unsupported)
    assert {"x", "y", "z", "w"} <= set(found.names)


def test_a_line_that_only_the_grammar_cannot_read_is_read() -> None:
    assignment = simple("A=${A:-['x','y']}\n").assignments[0]
    assert assignment.name == "A"


def test_a_command_may_follow_its_here_document() -> None:
    found = only("cat <<EOF | prog a\nx\nEOF\n")
    assert isinstance(found, Pipeline)
    assert len(found.stages) == 2


def walk(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for one in node:
            yield from walk(one)
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from walk(getattr(node, field.name))


@settings(max_examples=250, deadline=None)
@given(st.text(alphabet="ab$(){}[]\"'`\\;|&<>=#!~*?-:@ \n1/,", max_size=40))
def test_any_text_parses_and_spans_lie_in_it(text: str) -> None:
    data = text.encode()
    for node in walk(parse(data)):
        start, end = getattr(node, "start", 0), getattr(node, "end", 0)
        assert 0 <= start <= max(end, start)
        assert end <= len(data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_parse(data: bytes) -> None:
    parse(data)


@pytest.mark.parametrize(
    "text",
    [
        "${a:-" * 3000,
        "$((" * 3000,
        "((" * 3000,
        "$(" * 1500,
        "if a; then " * 1500,
        "{ " * 3000,
        '"$(' * 800,
        "[[ (" + "(" * 3000,
        "`" * 3001,
    ],
)
def test_nesting_beyond_reason_does_not_end_the_process(text: str) -> None:
    parse(text.encode())


def test_a_huge_script_is_not_read() -> None:
    assert isinstance(only("x" * (3 * 1024 * 1024)), Unsupported)


@pytest.mark.parametrize(
    ("text", "words", "target"),
    [
        ("pip install a>=1.2 b", ["pip", "install", "a", "b"], "=1.2"),
        ("pip install x >out.log y 2>&1", ["pip", "install", "x", "y"], "out.log"),
        ("echo >a b c", ["echo", "b", "c"], "a"),
    ],
)
def test_words_behind_a_redirection_are_the_commands(text: str, words: list[str], target: str) -> None:
    statement = only(text)
    assert isinstance(statement, Simple)
    assert [word.literal for word in statement.words] == words
    assert statement.argument_end == text.rindex(words[-1]) + len(words[-1])
    first = statement.redirects[0].target
    assert first is not None
    assert first.literal == target
