"""Limits of the program itself: the default of an option that the command does not give it, or a number in its code."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from triage.fixes.document import line_of, offset_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.passing import Verdict, pass_through
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.hydra.entry import module_path
from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.limits import NAMED, Limit, Passed, unit_of
from triage.fixes.whereabouts.naming import ending, in_tree
from triage.fixes.whereabouts.typed import is_typed

_DECLARING = ("add_argument", "option", "Option")
# A name, what it is given, and the long option whose default that is.
_Given = tuple[str, ast.expr, str]


@dataclass(frozen=True, slots=True)
class _Number:
    """`option`: the long option whose default it is, "" for a number that the code itself uses."""

    name: str
    text: str
    start: int
    end: int
    option: str = ""


def default_limits(here: Situation, seconds: Decimal) -> list[Limit]:
    """Of programs that the failed step runs: options with that default which their commands do not give."""
    found: dict[object, Limit] = {}
    for one in failing(here.facts, here.concerned) or here.concerned:
        for path in programs_of(here, one):
            for number in numbers(here.tree.read(path)):
                call = _taker(here, one, path) if number.option and not _gives(one, number.option) else None
                limit = _limit(path, number, here) if call is not None else None
                if call is not None and limit is not None and limit.lasts(seconds):
                    passed = Passed(call, one.step)
                    found.setdefault((call.key, number.option), replace(limit, kind="flag", passed=passed))
    return list(found.values())


def coded_limits(here: Situation) -> list[Limit]:
    """In the code of those programs and of the files that the failure's traceback passes."""
    run = [path for one in here.concerned for path in programs_of(here, one)]
    paths = dict.fromkeys([*run, *(path for frame in here.facts.frames if (path := in_tree(here.tree, frame)))])
    return [_limit(path, one, here) for path in paths for one in numbers(here.tree.read(path)) if not one.option]


def programs_of(here: Situation, one: Invocation) -> list[str]:
    """The Python files of the tree that a command starts; behind a container's or a cluster's command the one in a
    folder that the command enters, else the one whose path ends so."""
    own = module_path(here.tree, one)
    if own:
        return [own]
    words = [word.text or "" for call in one.calls for word in call.words]
    return list(dict.fromkeys(path for word in words if word.endswith(".py") and (path := _path(here, one, word))))


def _path(here: Situation, one: Invocation, word: str) -> str:
    below = posixpath.normpath(posixpath.join(one.directory or ".", word))
    entered = [word.text or "" for call in one.calls for word in call.words if word.head.startswith("/")]
    named = (below, word, *(posixpath.join(folder, word) for folder in entered))
    direct = next((path for each in named if (path := in_tree(here.tree, each))), "")
    return direct or ending(here.tree, word.lstrip("./"))


def _gives(one: Invocation, option: str) -> bool:
    words = [word for call in one.calls for word in call.words] + list(one.argv)
    return any(word.head.partition("=")[0] == option for word in words)


def _taker(here: Situation, one: Invocation, path: str) -> Call | None:
    """The outermost command of the chain that names the program, and whose last argument arrives there."""
    name = posixpath.basename(path)
    for call in one.calls:
        texts = [word.text or "" for word in call.words]
        named = any(posixpath.basename(text) == name for text in texts) or (one.module and one.module in texts)
        if not named or not call.insertable or is_typed(call.path):
            continue
        if call is one.calls[-1]:
            return call
        passing = pass_through(here.tree, here.job, call, here.facts, lambda each: any(_is(name, each)))
        return call if passing.verdict is Verdict.ALL else None
    return None


def _is(name: str, each: Invocation) -> Iterator[bool]:
    return (posixpath.basename(word.text or "") == name for word in each.argv)


def _limit(path: str, number: _Number, here: Situation) -> Limit:
    data = here.tree.read(path)
    site = Site(path, number.start, number.end, line_of(data, number.start), SiteKind.LITERAL, number.name)
    name = number.option or number.name
    return Limit("code", name, number.text, unit_of("", name), site, declared_at(here, path, 0))


@lru_cache(maxsize=128)
def numbers(source: bytes) -> tuple[_Number, ...]:
    """Numbers that names which speak of a time limit are given: by a keyword, an assignment, a parameter's default, an
    entry of a dictionary, pytest's mark. Numbers that stand there as products or come from elsewhere are none."""
    given = [one for node in python_nodes(source) for one in _given(node)]
    read = (_at(source, name, value, option) for name, value, option in given)
    return tuple(_resolved(given, [one for one in read if one is not None]))


def _resolved(given: Iterable[_Given], found: Sequence[_Number]) -> Iterator[_Number]:
    """With the defaults of options that a constant of the module holds: the constant is then no number of its own."""
    constants = {one.name: one for one in found if not one.option}
    taken: set[str] = set()
    for _, value, option in given:
        if option and isinstance(value, ast.Name) and value.id in constants:
            taken.add(value.id)
            yield replace(constants[value.id], option=option)
    yield from (one for one in found if one.option or one.name not in taken)


def _given(node: ast.AST) -> Iterator[_Given]:
    match node:
        case ast.Call():
            yield from _of_call(node)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if NAMED.search(name):
            yield name, value, ""
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if NAMED.search(name):
            yield name, value, ""
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from ((name, value, "") for name, value in _defaults(node.args) if NAMED.search(name))
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and NAMED.search(key.value):
                    yield key.value, value, ""
        case _:
            pass


def _of_call(node: ast.Call) -> Iterator[_Given]:
    function = ast.unparse(node.func)
    texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    option = next((text for text in texts if text.startswith("--") and NAMED.search(text)), "")
    if option and function.rpartition(".")[2] in _DECLARING:
        yield from ((option, one.value, option) for one in node.keywords if one.arg == "default")
        return
    if node.args and function.endswith("mark.timeout"):
        yield "timeout", node.args[0], ""
    yield from ((one.arg, one.value, "") for one in node.keywords if one.arg and NAMED.search(one.arg))


def _defaults(arguments: ast.arguments) -> Iterable[tuple[str, ast.expr]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    plain = zip(reversed(positional), reversed(arguments.defaults), strict=False)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*((one.arg, value) for one, value in plain), *((one.arg, value) for one, value in named if value)]


def _at(source: bytes, name: str, value: ast.expr, option: str) -> _Number | None:
    if not isinstance(value, ast.Constant) or isinstance(value.value, bool) or value.end_col_offset is None:
        return None
    start = offset_of(source, value.lineno) + value.col_offset
    end = offset_of(source, value.end_lineno or value.lineno) + value.end_col_offset
    text = source[start:end].decode("utf-8", "replace")
    return _Number(name, text, start, end, option) if decimal(text) is not None else None
