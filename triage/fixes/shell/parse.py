"""From text to statements: tree-sitter-bash finds their structure, the lexer reads the words inside.

A statement with an error inside is `Unsupported`; the statements around it are read as usual.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

import tree_sitter
import tree_sitter_bash
from tree_sitter import Node

from triage.fixes.shell.commands import command_items, simple_command
from triage.fixes.shell.compound import CompoundReader
from triage.fixes.shell.heredocs import descriptor, for_the_grammar, goes_on
from triage.fixes.shell.lexer import Lexer, decode
from triage.fixes.shell.syntax import (
    AndOr,
    Declaration,
    Group,
    Let,
    Literal,
    Not,
    Opaque,
    Pipeline,
    Redirect,
    Simple,
    Statement,
    Substitution,
    Test,
    Unsupported,
    Word,
)

_ASSIGNED = re.compile(
    r"\b([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=|\b(?:read|export|local|declare|unset|for)\s+(?:-\w+\s+)*(\w+)"
)
_DECLARES = ("export", "declare", "local", "readonly", "typeset")
_TEST_OPERATORS = re.compile(r"&&|\|\||[()<>!]")
# Nesting beyond this is no script that a person wrote.
DEPTH_CAP = 100
SIZE_CAP = 2 * 1024 * 1024


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(_language())


@cache
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_bash.language())


@cache
def _substitutions() -> tree_sitter.Query:
    return tree_sitter.Query(_language(), "[(command_substitution) (process_substitution)] @found")


@lru_cache(maxsize=512)
def parse(data: bytes) -> tuple[Statement, ...]:
    """The statements of a script. Any bytes parse; what is no shell becomes `Unsupported`."""
    if len(data) > SIZE_CAP:
        return (Unsupported((), 0, len(data)),)
    return _Reader(data).script()


def has_errors(data: bytes) -> bool:
    """Whether the grammar finds an error anywhere."""
    return _parser().parse(data).root_node.has_error


class _Reader(CompoundReader):
    def __init__(self, data: bytes) -> None:
        super().__init__(data.decode("latin-1"))
        self.root, self.believed = for_the_grammar(data, lambda text: _parser().parse(text).root_node)
        self.nodes: dict[int, Node] = {}
        if "$(" in self.text or "`" in self.text or "<(" in self.text or ">(" in self.text:
            found = tree_sitter.QueryCursor(_substitutions()).captures(self.root)
            self.nodes = {node.start_byte: node for node in found.get("found", [])}
        self.lexer = Lexer(self.text, self._substitution)

    def script(self) -> tuple[Statement, ...]:
        """What stands in a here-document whose end the grammar does not see is no statement."""
        if self.believed == len(self.text):
            return self._body(self.root)
        read = [child for child in self.root.children if child.end_byte <= self.believed and child.is_named]
        rest = max((child.end_byte for child in read), default=0)
        lost = Unsupported(_names(self.text[rest:]), rest, len(self.text))
        return (*map(self._statement, (one for one in read if one.type != "comment")), lost)

    def _substitution(self, at: int) -> Substitution | Opaque | None:
        """The node may begin at a blank before `$(`; the lexer asks at the `$`."""
        node = self.nodes.get(at)
        if node is None or self.depth > DEPTH_CAP:
            return None
        if node.type != "command_substitution" or (node.has_error and not self.text.startswith("$(", at)):
            return Opaque(node.start_byte, node.end_byte)
        return Substitution(self._body(node), node.start_byte, node.end_byte)

    def _body(self, node: Node) -> tuple[Statement, ...]:
        """The statements among a node's children; `a &` runs in a subshell. What shares a line with an error is not
        believed: the grammar may have left out some of its words."""
        self.depth += 1
        children = [child for child in node.children if child.type != "comment"]
        found: list[Statement] = []
        for before, child, after in zip([None, *children], children, [*children[1:], None], strict=False):
            if not child.is_named and child.type != "ERROR":
                continue
            beside = any(
                one is not None and one.is_error and not self._newline_between(one, child) for one in (before, after)
            )
            statement = self._unsupported(child) if beside else self._statement(child)
            background = after is not None and after.type == "&"
            found.append(Group((statement,), subshell=True) if background else statement)
        self.depth -= 1
        return tuple(found)

    def _newline_between(self, one: Node, other: Node) -> bool:
        first, second = sorted((one, other), key=lambda node: node.start_byte)
        return "\n" in self.text[first.end_byte : second.start_byte]

    def _statement(self, node: Node) -> Statement:
        if self.depth > DEPTH_CAP or self._broken(node):
            return self._unsupported(node)
        self.depth += 1
        reader = getattr(self, f"_{node.type}", None)
        statement = reader(node) if reader is not None else self._unsupported(node)
        self.depth -= 1
        return statement

    def _broken(self, node: Node) -> bool:
        errors = any(child.is_error or child.is_missing for child in node.children)
        return errors and not self._is_line_of_assignment(node)

    def _unsupported(self, node: Node) -> Unsupported:
        return Unsupported(_names(self.text[node.start_byte : node.end_byte]), node.start_byte, node.end_byte)

    def _simple(self, node: Node, until: int = 0, redirects: tuple[Redirect, ...] = ()) -> Statement:
        start, end = node.start_byte, max(node.end_byte, until)
        if node.has_error and not self._is_line_of_assignment(node):
            return self._unsupported(node)
        return simple_command(self.lexer, start, end, redirects)

    def _is_line_of_assignment(self, node: Node) -> bool:
        """`A=${A:-['x']}` alone on its line: an error for this grammar, plain to the lexer."""
        line = self.text[self.text.rfind("\n", 0, node.start_byte) + 1 : node.end_byte]
        return (
            node.type == "variable_assignment"
            and "\n" not in line
            and line.strip() == self.text[node.start_byte : node.end_byte]
            and self.text[node.end_byte : node.end_byte + 1] in ("", "\n")
        )

    _command = _unset_command = _variable_assignment = _variable_assignments = _simple

    def _declaration_command(self, node: Node) -> Statement:
        if node.has_error:
            return self._unsupported(node)
        found, _ = command_items(self.lexer, node.start_byte, node.end_byte, declares=True)
        keyword = found[0].literal if found and isinstance(found[0], Word) else None
        if keyword not in _DECLARES or keyword is None:
            return self._unsupported(node)
        items = tuple(item for item in found[1:] if not isinstance(item, Redirect))
        return Declaration(keyword, items, node.start_byte, node.end_byte)

    def _list(self, node: Node) -> Statement:
        parts = [child for child in node.children if child.type != "comment"]
        if len(parts) != 3 or parts[1].type not in ("&&", "||"):
            return self._unsupported(node)
        return AndOr(self._statement(parts[0]), parts[1].type, self._statement(parts[2]))

    def _pipeline(self, node: Node) -> Statement:
        return Pipeline(self._body(node), node.start_byte, node.end_byte)

    def _negated_command(self, node: Node) -> Statement:
        body = self._body(node)
        return Not(body[0]) if len(body) == 1 else self._unsupported(node)

    def _subshell(self, node: Node) -> Statement:
        return Group(self._body(node), subshell=True)

    def _compound_statement(self, node: Node) -> Statement:
        if node.children[0].type == "((":
            return Let(self.lexer.quoted(node.start_byte + 2, node.end_byte - 2), node.start_byte, node.end_byte)
        return Group(self._body(node))

    def _do_group(self, node: Node) -> Statement:
        return Group(self._body(node))

    def _test_command(self, node: Node) -> Statement:
        if self.text.startswith("[[", node.start_byte):
            return self._test(node)
        if self.text.startswith("((", node.start_byte):
            return Let(self.lexer.quoted(node.start_byte + 2, node.end_byte - 2), node.start_byte, node.end_byte)
        return self._bracket(node)

    def _bracket(self, node: Node) -> Statement:
        """`[ a || b ]` is no test of two parts: `||` ends the command `[ a`, and what stands behind it is another."""
        at, parts, operators = node.start_byte, [node.start_byte], []
        while (at := self.lexer.skip(at, node.end_byte, newlines=True)) < node.end_byte:
            operator = self.text[at : at + 2]
            if operator in ("&&", "||"):
                parts += [at, at + 2]
                operators.append(operator)
            at = at + 2 if operator in ("&&", "||") else max(self.lexer.word(at, node.end_byte)[1], at + 1)
        if not operators or node.has_error:
            return self._simple(node)
        spans = zip(parts[::2], [*parts[1::2], node.end_byte], strict=True)
        commands = [simple_command(self.lexer, *span) for span in spans]
        whole: Statement = commands[0]
        for operator, command in zip(operators, commands[1:], strict=True):
            whole = AndOr(whole, operator, command)
        return whole

    def _test(self, node: Node) -> Statement:
        at, end = node.start_byte + 2, node.end_byte - 2
        tokens: list[Word | str] = []
        while (at := self.lexer.skip(at, end, newlines=True)) < end:
            operator = _TEST_OPERATORS.match(self.text, at, end)
            if operator and (operator.group() != "!" or self.text[at + 1 : at + 2] in " \t"):
                tokens.append(operator.group())
                at = operator.end()
                continue
            regex = bool(tokens) and isinstance(tokens[-1], Word) and tokens[-1].literal == "=~"
            word, after = self.lexer.word(at, end, " \t\n" if regex else " \t\n;&|<>()")
            tokens.append(word)
            at = max(after, at + 1)
        return Test(tuple(tokens), node.start_byte, node.end_byte)

    def _redirected_statement(self, node: Node) -> Statement:
        body, found = node.child_by_field_name("body"), node.children_by_field_name("redirect")
        if any(len(one.children_by_field_name("destination")) > 1 for one in found):  # words follow: `a >b c`
            plain = body is not None and body.type == "command" and {one.type for one in found} == {"file_redirect"}
            whole = plain and not node.has_error
            return simple_command(self.lexer, node.start_byte, node.end_byte) if whole else self._unsupported(node)
        redirects = tuple(redirect for one in found for redirect in self._redirects(one))
        behind = next((one for one in found if one.type == "heredoc_redirect" and goes_on(one)), None)
        if behind is not None and body is not None:
            return self._behind_heredoc(node, self._redirected(node, body, found, redirects), behind)
        return self._redirected(node, body, found, redirects)

    def _behind_heredoc(self, node: Node, first: Statement, heredoc: Node) -> Statement:
        """`cat <<EOF | b`, `cat <<EOF && b`: the rest of the line hangs on the here-document."""
        piped = next((child for child in heredoc.children if child.type == "pipeline"), None)
        if piped is not None:
            return Pipeline((first, *self._body(piped)), node.start_byte, node.end_byte)
        right, operator = heredoc.child_by_field_name("right"), heredoc.child_by_field_name("operator")
        if right is None or operator is None or operator.type not in ("&&", "||"):
            return self._unsupported(node)
        return AndOr(first, operator.type, self._statement(right))

    def _redirected(
        self, node: Node, body: Node | None, found: list[Node], redirects: tuple[Redirect, ...]
    ) -> Statement:
        if body is None:
            return Simple((), (), node.start_byte, node.end_byte, node.start_byte, redirects)
        if body.type == "command":
            # The grammar loses a lone `-` before a here-document, so the words are read up to the redirection.
            return self._simple(body, max(body.end_byte, found[0].start_byte if found else 0), redirects)
        return Group((self._statement(body),), redirects=redirects)

    def _heredoc(self, node: Node) -> Word | None:
        """The text between the lines: as it stands where the end is quoted, else with its expansions. None for `<<-`,
        and where backslashes take a meaning away."""
        parts = {child.type: child for child in node.children}
        start, body = parts.get("heredoc_start"), parts.get("heredoc_body")
        if start is None or body is None or "<<" not in parts or node.has_error:
            return None
        begin, end = self.text.find("\n", start.end_byte, body.start_byte + 1) + 1, body.end_byte
        if begin <= 0 or self.text[begin : body.start_byte].strip():
            return None
        if any(sign in self.text[start.start_byte : start.end_byte] for sign in "'\"\\"):
            return Word((Literal(decode(self.text[begin:end]), begin, end, "<"),), begin, end)
        if "\\" in self.text[begin:end]:
            return None
        word = self.lexer.quoted(begin, end)
        read = (replace(part, quote="<<") if isinstance(part, Literal) else part for part in word.parts)
        return Word(tuple(read), begin, end)

    def _redirects(self, node: Node) -> list[Redirect]:
        if node.type == "heredoc_redirect":
            inner = [child for child in node.children if child.type == "file_redirect"]
            number = descriptor(self.text, node)
            return [
                Redirect(f"{number}<<", None, self._heredoc(node) if number in ("", "0") else None),
                *(one for child in inner for one in self._redirects(child)),
            ]
        found, _ = command_items(self.lexer, node.start_byte, node.end_byte)
        return [item for item in found if isinstance(item, Redirect)]


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for pair in _ASSIGNED.findall(text) for name in pair if name))
