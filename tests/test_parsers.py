"""What a repository, a log or GitHub hands over may be nested without an end: Python's own parsers answer that with a
RecursionError (or a MemoryError), which is neither of the errors that they document."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import triage
from tests.fixes.memory_tree import tree
from triage.errors import ConfigurationError
from triage.fixes.project import _of_pyproject
from triage.fixes.requirements import in_pyproject
from triage.sources.configuration import decode_configuration

PARSERS = {
    "ast.parse": {"RecursionError", "MemoryError"},
    "json.loads": {"RecursionError"},
    "tomllib.loads": {"RecursionError"},
}
# They read what triage itself, or a linter, has just written.
OWN = ("demo/", "gates/", "storage/rows.py", "catalogue/stored.py")
ROOT = Path(triage.__file__).parent
DEEP = b"a = " + b"[" * 20_000 + b"]" * 20_000


def unguarded(source: str) -> Iterator[str]:
    """Calls of a parser that no handler around them keeps from ending triage."""

    def look(node: ast.AST, caught: frozenset[str]) -> Iterator[str]:
        if isinstance(node, ast.Call) and (missing := PARSERS.get(ast.unparse(node.func), set()) - caught):
            yield f"{ast.unparse(node.func)} in line {node.lineno} without {', '.join(sorted(missing))}"
        for name, value in ast.iter_fields(node):
            inside = caught
            if isinstance(node, ast.Try) and name == "body":
                inside = caught | {
                    each.id for one in node.handlers for each in ast.walk(one.type) if isinstance(each, ast.Name)
                }
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from look(each, inside)

    yield from look(ast.parse(source), frozenset())


def test_every_parser_of_foreign_text_survives_what_is_nested_without_an_end() -> None:
    paths = [path for path in sorted(ROOT.rglob("*.py")) if not path.relative_to(ROOT).as_posix().startswith(OWN)]
    found = {path.relative_to(ROOT).as_posix(): list(unguarded(path.read_text("utf-8"))) for path in paths}
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_a_configuration_that_is_nested_without_an_end_is_told() -> None:
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        decode_configuration(DEEP, "triage.toml")


def test_a_project_file_that_is_nested_without_an_end_names_nothing() -> None:
    there = tree({"pyproject.toml": DEEP.decode()})
    assert in_pyproject(there) == ()
    assert _of_pyproject(there) == ""
