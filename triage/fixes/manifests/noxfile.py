"""What the sessions of nox install: the strings that `session.install` is given. The file is parsed and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.manifests.setup_py import Item, item_at
from triage.fixes.python_text import parse_python
from triage.fixes.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Session:
    """`installs`: the strings of each call in order, those of a list of the file that it is given as well; None where
    such a call takes something else."""

    name: str
    installs: tuple[tuple[Item, ...] | None, ...]


def sessions(data: bytes) -> tuple[Session, ...] | Refusal:
    module = parse_python(data)
    if isinstance(module, Refusal):
        return module
    lists = {
        one.targets[0].id: one.value.elts
        for one in module.body
        if isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Name)
        and isinstance(one.value, ast.List | ast.Tuple)
    }
    found = (_session(data, one, lists) for one in module.body if isinstance(one, ast.FunctionDef))
    return tuple(one for one in found if one is not None)


def _session(data: bytes, function: ast.FunctionDef, lists: dict[str, list[ast.expr]]) -> Session | None:
    name = next((_named(one) or function.name for one in function.decorator_list if _is_session(one)), "")
    if not name or not function.args.args:
        return None
    own = function.args.args[0].arg
    return Session(name, tuple(_strings(data, call, lists) for call in _installs(function, own)))


def _is_session(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return "session" in (getattr(called, "attr", ""), getattr(called, "id", ""))


def _named(node: ast.expr) -> str:
    given = node.keywords if isinstance(node, ast.Call) else []
    values = (one.value for one in given if one.arg == "name")
    return next((one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)), "")


def _installs(function: ast.FunctionDef, own: str) -> Iterator[ast.Call]:
    """Those that every run of the session makes: none behind a condition."""
    left: list[ast.AST] = [function]
    while left:
        node = left.pop(0)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=who), attr="install")) if who == own:
                yield node
            case ast.If() | ast.Try() | ast.IfExp():
                continue
            case _:
                pass
        left += ast.iter_child_nodes(node)


def _strings(data: bytes, call: ast.Call, lists: dict[str, list[ast.expr]]) -> tuple[Item, ...] | None:
    nodes: Sequence[ast.expr] = call.args
    match nodes:
        case [ast.Starred(value=ast.Name(id=name))] if name in lists:
            nodes = lists[name]
        case _:
            pass
    items = [item_at(data, one, frozenset()) for one in nodes if isinstance(one, ast.Constant)]
    kept = tuple(one for one in items if one is not None)
    return kept if kept and len(kept) == len(nodes) else None
