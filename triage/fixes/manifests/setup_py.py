"""Requirements of setup.py, which is parsed and never run: strings that reach `install_requires` or the extras."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.document import offset_of
from triage.fixes.python_text import parse_python
from triage.fixes.refusal import Refusal

# The extras of a requirement when the file works their names out.
ANY = "*"
_OPTIONS = ("install_requires", "extras_require")


@dataclass(frozen=True, slots=True)
class Item:
    """A string that stands at bytes `start`..`end` exactly as it reads. Among `extras`, "" is what always comes."""

    extras: frozenset[str]
    text: str
    start: int
    end: int
    line: int


def items(data: bytes) -> tuple[Item, ...] | Refusal:
    """Requirements that lists of the file hold."""
    module = parse_python(data)
    if isinstance(module, Refusal):
        return module
    nodes: dict[ast.Constant, set[str]] = {}
    for extra, node, listed in _reached_strings(module):
        if listed:
            nodes.setdefault(node, set()).add(extra)
    found = (item_at(data, node, frozenset(extras)) for node, extras in nodes.items())
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.start))


def lists(data: bytes) -> tuple[tuple[str, tuple[Item, ...]], ...]:
    """Extra and items of each list of nothing but strings that is given as it stands: what is added to it is required.

    Lists from which a program picks are none.
    """
    module = parse_python(data)
    if isinstance(module, Refusal):
        return ()
    values, found = _values(module), []
    for option, value in _given(module):
        for extra, root in _roots(option, value, values):
            terms = (term for one in _bound(root, values) for term in _terms(one))
            for one in terms:
                items = [item_at(data, node, frozenset({extra})) for node in getattr(one, "elts", []) if _is_text(node)]
                kept = tuple(item for item in items if item is not None)
                if isinstance(one, ast.List) and kept and len(kept) == len(one.elts) and extra != ANY:
                    found.append((extra, kept))
    return tuple(found)


def _bound(root: ast.AST, values: dict[str, list[ast.AST]]) -> Sequence[ast.AST]:
    return values.get(root.id, []) if isinstance(root, ast.Name) else [root]


def _terms(node: ast.AST) -> Iterator[ast.AST]:
    """The lists that `others + ["one", "two"]` is put together from."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (*_terms(left), *_terms(right))
        case _:
            yield node


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def mentioned(data: bytes) -> tuple[tuple[str, str], ...]:
    """Extra and text of every other string that the requirements come from: files that are read are among them."""
    module = parse_python(data)
    if isinstance(module, Refusal):
        return ()
    return tuple(dict.fromkeys((extra, str(node.value)) for extra, node, _ in _reached_strings(module)))


def shape(data: bytes) -> tuple[str, tuple[str, ...]] | Refusal:
    """The program with its strings taken out, and the strings in order: two files may differ in the latter only.

    Lists of nothing but strings may differ in length, and a file that is read may have its encoding named. What
    `setup()` takes by keyword counts as a string, by the keyword's name.
    """
    module = parse_python(data)
    if isinstance(module, Refusal):
        return module
    texts: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
            node.value = ""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "setup":
            texts += [one.arg for one in node.keywords if one.arg]
            node.keywords = [ast.keyword("" if one.arg else None, one.value) for one in node.keywords]
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords if one.arg != "encoding" or not _is_text(one.value)]
        if isinstance(node, ast.List) and node.elts and all(_is_text(one) for one in node.elts):
            node.elts = node.elts[:1]
    return ast.dump(module), tuple(texts)


def _reached_strings(module: ast.Module) -> Iterator[tuple[str, ast.Constant, bool]]:
    """Extra, string, and whether it is an item of a list."""
    values = _values(module)
    for option, value in _given(module):
        for extra, root in _roots(option, value, values):
            for node, listed in _reached(root, values):
                yield extra, node, listed


def _given(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """What `setup(...)` is given, by keyword or by a dictionary that is spread."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from ((one.arg, one.value) for one in node.keywords if one.arg in _OPTIONS)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in _OPTIONS:
                    yield str(key.value), value


def _values(module: ast.Module) -> dict[str, list[ast.AST]]:
    """What each name of the file is bound to or grows by; of a function, its body."""
    bound: dict[str, list[ast.AST]] = {}
    for node in ast.walk(module):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in (one for whole in targets for one in _unpacked(whole)):
                    bound.setdefault(_base(target), []).append(node if isinstance(target, ast.Subscript) else value)
            case ast.AugAssign(target=ast.Subscript() as target, value=value):
                bound.setdefault(_base(target), []).append(ast.Assign([target], value))
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                bound.setdefault(_base(target), []).append(value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" | "update")):
                bound.setdefault(name, []).extend(node.args)
            case ast.Call(func=ast.Attribute(value=ast.Subscript() as target, attr="append" | "extend")):
                bound.setdefault(_base(target), []).extend(ast.Assign([target], value) for value in node.args)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                bound.setdefault(_base(target), []).append(value)
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                bound.setdefault(_base(target), []).append(value)
            case ast.FunctionDef(name=name):
                bound.setdefault(name, []).append(node)
            case _:
                pass
    return bound


def _unpacked(target: ast.expr) -> Sequence[ast.expr]:
    """`a, b = both()` binds each of them to something of the whole."""
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


def _base(target: ast.expr) -> str:
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _roots(option: str, value: ast.expr, values: dict[str, list[ast.AST]]) -> Iterator[tuple[str, ast.AST]]:
    """Expressions with the extra that they belong to."""
    if option == "install_requires":
        yield "", value
        return
    value = _returned(value, values)
    for one in values.get(value.id, []) if isinstance(value, ast.Name) else [value]:
        match one:
            case ast.Dict(keys=keys, values=held):
                yield from ((_key(key), inner) for key, inner in zip(keys, held, strict=True))
            case ast.Assign(targets=[ast.Subscript(slice=key)], value=inner):
                yield _key(key), inner
            case _:
                yield ANY, one


def _returned(value: ast.expr, values: dict[str, list[ast.AST]]) -> ast.expr:
    """What a function of the file gives back that takes nothing and has one `return`; else the expression itself."""
    match value:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            functions = [one for one in values.get(name, []) if isinstance(one, ast.FunctionDef)]
            given = [one.value for each in functions for one in ast.walk(each) if isinstance(one, ast.Return)]
            return given[0] if len(functions) == 1 and len(given) == 1 and given[0] is not None else value
        case _:
            return value


def _key(key: ast.expr | None) -> str:
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY


def _reached(root: ast.AST, values: dict[str, list[ast.AST]]) -> Iterator[tuple[ast.Constant, bool]]:
    """Strings below the expression and below what its names are bound to; which of them are items of lists."""
    queue: list[ast.AST] = [root]
    seen: set[str] = set()
    while queue:
        listed: set[ast.AST] = set()
        for node in ast.walk(queue.pop()):
            if isinstance(node, ast.List | ast.Tuple | ast.Set):
                listed.update(node.elts)
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                queue += values.get(node.id, [])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node, node in listed


def item_at(data: bytes, node: ast.Constant, extras: frozenset[str]) -> Item | None:
    """Where a string of the file stands; None where that does not hold it as it reads: escapes, prefixes, joined or
    triple-quoted strings."""
    start = offset_of(data, node.lineno) + node.col_offset + 1
    text = str(node.value)
    end = start + len(text.encode())
    quote = data[start - 1 : start]
    as_read = data[start:end] == text.encode() and quote in (b'"', b"'") and data[end : end + 1] == quote
    return Item(extras, text, start, end, node.lineno) if as_read else None
