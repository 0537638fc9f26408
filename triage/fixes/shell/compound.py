"""Compound commands of the grammar: `if`, `while`, `for`, `case`, functions."""

from __future__ import annotations

from tree_sitter import Node

from triage.fixes.shell.commands import word_list
from triage.fixes.shell.lexer import Lexer
from triage.fixes.shell.syntax import Branch, Case, For, Function, If, Loop, Statement, Unsupported, Word


class CompoundReader:
    """The half of the reader that needs the other half only for bodies and words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexer = Lexer(text, lambda _: None)
        self.depth = 0

    def _statement(self, node: Node) -> Statement:
        return self._unsupported(node)

    def _body(self, node: Node) -> tuple[Statement, ...]:
        return tuple(self._statement(child) for child in node.children)

    def _unsupported(self, node: Node) -> Unsupported:
        return Unsupported((), node.start_byte, node.end_byte)

    def _if_statement(self, node: Node) -> Statement:
        branches = [self._branch(node)]
        otherwise: tuple[Statement, ...] = ()
        for child in node.children:
            if child.type == "elif_clause":
                branches.append(self._branch(child))
            elif child.type == "else_clause":
                otherwise = self._body(child)
        return If(tuple(branches), otherwise)

    def _branch(self, node: Node) -> Branch:
        """Children before `then` are the condition, those after it, up to elif and else, the body."""
        condition: list[Statement] = []
        body: list[Statement] = []
        after, start, end = False, node.start_byte, node.start_byte
        for child in node.children:
            if child.type == "then":
                after = True
            elif child.is_named and child.type not in ("elif_clause", "else_clause", "comment"):
                if not after:
                    start = start if condition else child.start_byte
                    end = child.end_byte
                (body if after else condition).append(self._statement(child))
        return Branch(tuple(condition), tuple(body), start, end)

    def _while_statement(self, node: Node) -> Statement:
        condition = tuple(
            self._statement(child) for child in node.children_by_field_name("condition") if child.is_named
        )
        body = node.child_by_field_name("body")
        if body is None:
            return self._unsupported(node)
        return Loop(condition, self._body(body), node.start_byte, body.start_byte, node.children[0].type == "until")

    def _for_statement(self, node: Node) -> Statement:
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        if variable is None or body is None or node.children[0].type != "for":
            return self._unsupported(node)
        values = node.children_by_field_name("value")
        listed = any(child.type == "in" for child in node.children)
        words = word_list(self.lexer, values[0].start_byte, values[-1].end_byte) if values else ()
        name = self.text[variable.start_byte : variable.end_byte]
        return For(name, words if listed else None, self._body(body), node.start_byte, body.start_byte)

    def _case_statement(self, node: Node) -> Statement:
        value = node.child_by_field_name("value")
        if value is None:
            return self._unsupported(node)
        subject, _ = self.lexer.word(value.start_byte, value.end_byte)
        items = tuple(self._case_item(child) for child in node.children if child.type == "case_item")
        return Case(subject, items, node.start_byte, value.end_byte)

    def _case_item(self, node: Node) -> tuple[tuple[Word, ...], tuple[Statement, ...], str]:
        patterns = node.children_by_field_name("value")
        words = tuple(self.lexer.word(one.start_byte, one.end_byte, "")[0] for one in patterns)
        closing = next((child for child in node.children if child.type == ")"), node)
        body = tuple(
            self._statement(child)
            for child in node.children
            if child.is_named and child.type != "comment" and child.start_byte >= closing.end_byte
        )
        ending = node.children[-1].type
        return words, body, ending if ending in (";&", ";;&") else ";;"

    def _function_definition(self, node: Node) -> Statement:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return self._unsupported(node)
        return Function(self.text[name.start_byte : name.end_byte], self._statement(body))
