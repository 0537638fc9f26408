"""Which modules the files import that a step's script starts, and by which way, as a traceback would show it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tests.seeded.site import HOME, Job
from triage.interfaces import Tree

# File, line and what stands there, from what was started on.
Chain = tuple[tuple[str, int, str], ...]

_LEAD = r"^\s*(?:[A-Z_]+=\S*\s+)*(?:uv run\s+(?:--\S+\s+)*|poetry run\s+|pdm run\s+|hatch run\s+)?"
_PYTEST = re.compile(_LEAD + r"(?:(?:coverage run -m|python[\d.]* -m)\s+)?pytest\b(?P<rest>.*)")
_SCRIPT = re.compile(_LEAD + r"(?:python[\d.]*|torchrun(?:\s+--\S+)*)\s+(?P<path>[\w./-]+\.py)\b")
_IMPORT = re.compile(r"(?:import\s+([\w.]+)|from\s+(\.*[\w.]*)\s+import\s+(.*))")
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_MOST = 400
# A test that skips itself where the module is missing does not break.
_CAREFUL = re.compile(r"importorskip\([\"'](\w+)|^[ \t]*try:\n\s+(?:import|from) (\w+)", re.M)


def modules_of(tree: Tree, job: Job, number: int) -> Mapping[str, Chain]:
    """By the first name of what is no file of the tree: the way to the first top-level import of it, and nothing that
    some file looks for with care."""
    step = job.steps[number]
    folder = posixpath.normpath(str(step.get("working-directory") or "."))
    return _imported(tree, tuple(started(tree, job.filled(step["run"]), "" if folder == "." else folder)))


def is_pytest(script: str) -> bool:
    return any(_PYTEST.match(line) for line in script.replace("\\\n", " ").split("\n"))


def started(tree: Tree, script: str, folder: str) -> Iterator[str]:
    """The files that the first command starts which starts any: scripts, and tests that pytest collects."""
    if "${" in folder or re.search(r"^\s*(?:cd|pushd) ", script, re.M):
        return
    for line in script.replace("\\\n", " ").split("\n"):
        found = _SCRIPT.match(line)
        if found and (path := posixpath.normpath(posixpath.join(folder, found["path"]))) in tree:
            yield path
            return
        if found := _PYTEST.match(line):
            named = [posixpath.normpath(posixpath.join(folder, one.partition("::")[0]))
                     for one in found["rest"].split() if not one.startswith("-")]  # fmt: skip
            places = [one for one in named if one in tree or any(path.startswith(f"{one}/") for path in tree.paths())]
            tests = [one for one in sorted(tree.paths()) if _TEST.search(one)]
            inside = [one for one in tests if any(one == at or one.startswith(f"{at}/") for at in places)]
            default = [one for one in tests if one.startswith(posixpath.join(folder, "test"))]
            yield from (inside if places else default)[:_MOST]
            return


@lru_cache(maxsize=64)
def _imported(tree: Tree, files: tuple[str, ...]) -> Mapping[str, Chain]:
    found: dict[str, Chain] = {}
    careful: set[str] = set()
    for file in files:
        # Each test is imported by itself; what the package imports is met once.
        queue: list[tuple[str, Chain]] = [(file, ())]
        seen = {file}
        while queue and len(seen) < _MOST:
            path, way = queue.pop()
            careful |= {name for names in _CAREFUL.findall(_text(tree, path)) for name in names}
            for at, line, module, own in _lines(tree, path, posixpath.dirname(file)):
                step = (*way, (path, at, line))
                if own:
                    queue += [(one, step) for one in reversed(own) if one not in seen]
                    seen |= {*own}
                elif module:
                    found.setdefault(module, step)
        if len(found) > _MOST:
            break
    return {module: way for module, way in found.items() if module not in careful}


def _lines(tree: Tree, path: str, beside: str) -> Iterator[tuple[int, str, str, list[str]]]:
    for at, line in enumerate(_text(tree, path).splitlines()[:400], start=1):
        said = _IMPORT.match(line)
        if not said:
            continue
        name = said[1] or said[2]
        if name.startswith("."):
            dots = len(name) - len(name.lstrip("."))
            folder = path
            for _ in range(dots):
                folder = posixpath.dirname(folder)
            name = f"{folder.replace('/', '.')}.{name.lstrip('.')}".strip(".")
            own = _files(tree, name, said[3] or "", ("",))
        else:
            own = _files(tree, name, said[3] or "", ("", "src", "python", "tests", beside))
        top = name.split(".")[0]
        # A folder of that name is a package of the tree, whatever file of it is meant.
        local = own or top in _tops(tree)
        yield at, line, "" if local else top, own


def _files(tree: Tree, name: str, rest: str, roots: tuple[str, ...]) -> list[str]:
    parts = name.split(".")
    for root in roots:
        found = []
        for upto in range(1, len(parts) + 1):
            base = posixpath.join(root, *parts[:upto])
            found += [one for one in (f"{base}/__init__.py", f"{base}.py") if one in tree][:1]
        if found:
            base = posixpath.join(root, *parts)
            words = re.findall(r"\w+", rest.partition(" as ")[0])
            found += [
                one for word in words for one in (f"{base}/{word}.py", f"{base}/{word}/__init__.py") if one in tree
            ]
            return found
    return []


@lru_cache(maxsize=8)
def _tops(tree: Tree) -> frozenset[str]:
    """Names of every folder and module: what the tree holds anywhere is taken for its own."""
    every = (part for path in tree.paths() if path.endswith(".py") for part in path.removesuffix(".py").split("/"))
    return frozenset(every)


@lru_cache(maxsize=4096)
def _text(tree: Tree, path: str) -> str:
    return tree.read(path).decode("utf-8", "replace")


def printed(way: Chain, error: str, *, pytest: bool) -> Iterator[str]:
    if not pytest:
        yield "Traceback (most recent call last):"
        for file, at, line in way:
            yield f'  File "{HOME}/{file}", line {at}, in <module>'
            yield f"    {line.strip()}"
        yield error
        return
    test = way[0][0]
    yield "============================= test session starts =============================="
    yield "platform linux -- Python 3.11.9, pytest-8.3.5, pluggy-1.5.0"
    yield "collected 37 items / 1 error"
    yield ""
    yield "==================================== ERRORS ===================================="
    yield f"_______________________ ERROR collecting {test} _______________________"
    yield f"ImportError while importing test module '{HOME}/{test}'."
    yield "Hint: make sure your test modules/packages have valid Python names."
    yield "Traceback:"
    yield "/opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/importlib/__init__.py:126: in import_module"
    yield "    return _bootstrap._gcd_import(name[level:], package, level)"
    for file, at, line in way:
        yield f"{file}:{at}: in <module>"
        yield f"    {line.strip()}"
    yield f"E   {error}"
    yield "=========================== short test summary info ============================"
    yield f"ERROR {test}"
    yield "!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!"
    yield "=============================== 1 error in 2.31s ==============================="
