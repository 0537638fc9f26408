"""Python of the repository as the parser reads it, which is never run: what it cannot read is no error of ours."""

from __future__ import annotations

import ast

from triage.fixes.refusal import Refusal


def parse_python(source: bytes) -> ast.Module | Refusal:
    """Refused where this Python cannot read it, nested too deeply for its parser included."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Refusal(f"is no Python: {error}")


def python_nodes(source: bytes) -> list[ast.AST]:
    """Every node of it; none of what the parser cannot read."""
    module = parse_python(source)
    return [] if isinstance(module, Refusal) else list(ast.walk(module))
