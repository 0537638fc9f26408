"""A test that a command names by its id, and that its file does not have under that name."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from triage.fixes.document import line_of, line_start
from triage.fixes.python_text import parse_python, python_nodes
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.interfaces import Tree
from triage.model.patch import Edit

_TEXTS = re.compile(r".*(?:\.(?:sh|bash|ya?ml|mk|toml|ini|cfg|bat|ps1)|[Mm]akefile|noxfile\.py)\Z")
_LARGEST = 1_000_000


def name_test(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """Its own name without parameters that it is not collected with any more; the nearly same name of the file; or the
    one other file of the tree that has the test."""
    path, test = _in_tree(tree, captures.get("path", "")), captures.get("test", "")
    bare, _, parameters = test.partition("[")
    names = bare.split("::")
    if not path or not all(re.fullmatch(r"[A-Za-z_]\w*", one) for one in names):
        return Refusal("the repository has no such file of tests")
    held = list(dict.fromkeys(_tests(tree, path)))
    if bare in held and parameters:
        return _written(tree, job, path, test, path, bare)
    if bare in held or _may_inherit(tree, path, names[:-1]):
        return Refusal(f"{path} has {bare}, or may: it was not collected for another reason", path)
    *owner, name = names
    given = test.removeprefix(bare)
    if same := [one for one in held if one.split("::")[-1] == name]:
        several = Refusal(f"{path} has {name} as {', '.join(same)}", path)
        return _written(tree, job, path, test, path, same[0] + given) if len(same) == 1 else several
    beside = [one.split("::")[-1] for one in held if one.split("::")[:-1] == owner]
    if near := resembling(name, sorted(one for one in beside if one.startswith("test"))):
        return _written(tree, job, path, test, path, "::".join([*owner, near]) + given)
    files = (one for one in tree.paths() if _is_tests(one) and one != path and name.encode() in tree.read(one))
    others = [(file, one) for file in files for one in _tests(tree, file) if one.split("::")[-1] == name]
    if len(others) != 1 or len(names) > 1:
        return Refusal(f"no one file of the repository has {name}", path)
    ((file, one),) = others
    return _written(tree, job, path, test, file, one + given)


def _in_tree(tree: Tree, missing: str) -> str:
    """The path behind the folder of the checkout."""
    parts = posixpath.normpath(missing).strip("/").split("/")
    return next((one for at in range(len(parts) - 1) if (one := "/".join(parts[at:])) in tree), "")


def _is_tests(path: str) -> bool:
    name = posixpath.basename(path)
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _tests(tree: Tree, path: str) -> Iterator[str]:
    """The functions of the module and of its classes, as pytest names them: `TestCase::test_one`."""
    module = parse_python(tree.read(path))
    return iter(()) if isinstance(module, Refusal) else _of_body(module.body, "")


def _of_body(body: Sequence[ast.stmt], owner: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield f"{owner}{node.name}"
            case ast.ClassDef():
                yield from _of_body(node.body, f"{owner}{node.name}::")
            case ast.If() | ast.Try():
                yield from _of_body([*node.body, *node.orelse], owner)
            case _:
                pass


def _may_inherit(tree: Tree, path: str, owner: Sequence[str]) -> bool:
    """Whether the class is there and has a class of tests above it."""
    classes = (node for node in python_nodes(tree.read(path)) if isinstance(node, ast.ClassDef))
    bases = [ast.unparse(base) for node in classes if node.name in owner[-1:] for base in node.bases]
    return any(base.rpartition(".")[2] not in ("TestCase", "IsolatedAsyncioTestCase", "object") for base in bases)


def _written(tree: Tree, job: str, path: str, test: str, new_path: str, new_test: str) -> Outcome:
    """Wherever a script or a definition names the test with its file, or with the end of the file's path."""
    edits: list[Edit] = []
    for file in (one for one in tree.paths() if _TEXTS.match(one)):
        data = tree.read(file)
        if len(data) > _LARGEST or test.encode() not in data:
            continue
        pattern = rb"(?<![\w./-])(?P<path>[\w./-]+\.py)::(?P<test>" + re.escape(test.encode()) + rb")(?![\w\[.-])"
        for one in re.finditer(pattern, data):
            written = posixpath.normpath(one["path"].decode())
            if not f"/{path}".endswith(f"/{written}") or b"#" in data[line_start(data, one.start()) : one.start()]:
                continue
            moved = new_path if written == path else ""
            if new_path != path and not moved:
                return Refusal(f"{written} is told from another folder", file, line_of(data, one.start()))
            new = f"{moved if new_path != path else one['path'].decode()}::{new_test}"
            edits.append(Edit(file, one.start(), one.end(), new.encode(), f"{path} has no test of that name"))
    if not edits:
        return Refusal(f"no script or workflow names {test}", path)
    if len({edit.path for edit in edits}) > 1:
        return Refusal(f"several files name {test}", edits[0].path)
    declared = (edits[0].path,)
    title = f"Name {new_path}::{new_test} in {edits[0].path}"
    return Edited(tuple(edits), declared, promised_of(tree, job, edits), title=title)
