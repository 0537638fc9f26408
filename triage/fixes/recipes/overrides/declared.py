"""The flags that a program of the repository declares, by argparse, click or dataclasses, and what starts it."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.hydra.entry import module_path
from triage.fixes.project import MANIFESTS
from triage.fixes.python_text import python_nodes
from triage.fixes.resembling import one_slip, resembling
from triage.interfaces import Tree

FLAG = re.compile(r"--[A-Za-z][\w.-]*")
# Options that may be given to pytest more than once.
REPEATED = frozenset({"--cov", "--cov-report", "--deselect", "--ignore", "--ignore-glob", "--override-ini"})
# What makes the flags of a program from the fields of dataclasses.
_OF_DATACLASSES = (b"HfArgumentParser", b"TrlParser", b"simple_parsing", b"tyro", b"transformers.HfArg")
# Calls that declare a flag: argparse, click, typer.
_DECLARING = ("add_argument", "option", "Option", "Argument")
# `name = "package.module:function"` in pyproject.toml, 'name=package.module:function' in setup.py and setup.cfg.
_SCRIPT = r"[\"']?\b{}[\"']?\s*=\s*[\"']?(?P<module>[A-Za-z_][\w.]*):\w+"
PYTEST = "pytest"
# Of pytest 8, and of the plugins that are most often beside it.
_OF_PYTEST = frozenset(
    """
    --assert --basetemp --cache-clear --cache-show --capture --code-highlight --collect-only
    --color --confcutdir --config-file --continue-on-collection-errors --debug --deselect
    --disable-plugin-autoload --disable-pytest-warnings --disable-warnings
    --doctest-continue-on-failure --doctest-glob --doctest-ignore-import-errors
    --doctest-modules --doctest-report --durations --durations-min --exitfirst --failed-first
    --fixtures --fixtures-per-test --force-short-summary --full-trace --help --ignore
    --ignore-glob --import-mode --junit-prefix --junit-xml --junitxml --keep-duplicates
    --last-failed --last-failed-no-failures --log-auto-indent --log-cli-date-format
    --log-cli-format --log-cli-level --log-date-format --log-disable --log-file
    --log-file-format --log-file-level --log-format --log-level --markers --maxfail --new-first
    --no-fold-skipped --no-header --no-showlocals --no-summary --noconftest --override-ini
    --pastebin --pdb --pdbcls --pyargs --pythonwarnings --quiet --rootdir --runxfail
    --setup-only --setup-plan --setup-show --show-capture --showlocals --stepwise
    --stepwise-reset --stepwise-skip --strict --strict-config --strict-markers --tb --trace
    --trace-config --verbose --verbosity --version --xfail-tb --numprocesses --dist
    --maxprocesses --max-worker-restart --cov --cov-append --cov-branch --cov-config
    --cov-context --cov-fail-under --cov-report --no-cov --timeout --timeout-method --reruns
    --reruns-delay --only-rerun --forked --asyncio-mode --html --self-contained-html
    --benchmark-only --benchmark-skip --benchmark-json --json-report --report-log
    """.split()  # noqa: SIM905 - a list of so many words is easier to read so
)


def flags_of(tree: Tree, invocation: Invocation) -> tuple[str, frozenset[str]]:
    """The program's file and its flags; of a command that the repository's package installs, those of the package.
    `PYTEST` and its options for the test runner."""
    if is_pytest(invocation):
        return PYTEST, _OF_PYTEST
    path = module_path(tree, invocation)
    if path:
        return path, frozenset(declared_flags(tree, path))
    package = _package(tree, posixpath.basename(_first(invocation)))
    return package, frozenset(_of_package(tree, package)) if package else frozenset()


def is_pytest(invocation: Invocation) -> bool:
    words = [value.text for value in invocation.program]
    return ("-m", PYTEST) in pairwise(words) or posixpath.basename(_first(invocation)) in (PYTEST, "py.test")


def _first(invocation: Invocation) -> str:
    return (invocation.program[0].text if invocation.program else "") or ""


def meant(flag: str, known: Iterable[str]) -> str:
    """The one flag that is spelled nearly alike, or that has the name below a group: `--beta`, `--model.beta`."""
    names = sorted(known)
    below = [one for one in names if one.rpartition(".")[2] == flag.lstrip("-") and "." in one]
    return resembling(flag, names) or (below[0] if len(below) == 1 else "")


def meant_of_pytest(tree: Tree, flag: str) -> str:
    """The option of pytest that the flag is a slip of. One that only resembles it (`--json-report-file`) may be an
    option of a plugin that is not installed, or of a conftest.py of the tree."""
    adds = (tree.read(path) for path in tree.paths() if path.endswith(".py"))
    if any(b"addoption" in source and flag.encode() in source for source in adds):
        return ""
    alike = flag.lower().replace("_", "-")
    return alike if alike in _OF_PYTEST else one_slip(flag, _OF_PYTEST)


def meant_elsewhere(tree: Tree, program: str, flag: str) -> str:
    """The one flag that is spelled nearly alike, of all that the packages declare from which the program imports; ""
    where some parser of the tree declares the flag itself."""
    known = _everywhere(tree)
    if any(flag in flags for flags in known.values()):
        return ""
    tops = {name.partition(".")[0] for above, name in _modules(tree.read(program)) if not above}
    own = {path for path in known if path.removeprefix("src/").partition("/")[0].removesuffix(".py") in tops}
    return resembling(flag, {each for path in own for each in known[path]})


@lru_cache(maxsize=2)
def _everywhere(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """By file."""
    sources = ((path, tree.read(path)) for path in tree.paths() if path.endswith(".py"))
    return {path: declared(source) for path, source in sources if b"add_argument" in source}


def _package(tree: Tree, command: str) -> str:
    """The folder of the package whose console script the command is; "" for any other command."""
    if not re.fullmatch(r"[A-Za-z][\w.-]*", command):
        return ""
    wanted = re.compile(_SCRIPT.format(re.escape(command)))
    for name in MANIFESTS:
        found = wanted.search(tree.read(name).decode("utf-8", "replace")) if name in tree else None
        if found:
            top = found["module"].partition(".")[0]
            return next((root for root in (top, f"src/{top}") if f"{root}/__init__.py" in tree), "")
    return ""


def _of_package(tree: Tree, package: str) -> Iterator[str]:
    for path in tree.paths():
        if path.startswith(f"{package}/") and path.endswith(".py"):
            source = tree.read(path)
            yield from declared(source) if b"add_argument" in source else ()
            yield from (f"--{field}" for field in fields(source)) if b"dataclass" in source else ()


def declared_flags(tree: Tree, path: str) -> set[str]:
    """Flags that the program's file declares, and those of the modules of the repository that it imports."""
    files = {path, *_imported(tree, path)}
    found = {flag for one in files for flag in declared(tree.read(one))}
    if any(parser in tree.read(path) for parser in _OF_DATACLASSES):
        found |= {f"--{field}" for one in files for field in fields(tree.read(one))}
    return found


def declares_by_name(tree: Tree, path: str) -> bool:
    """Whether the program, or a module that it imports, also declares flags whose names it works out."""
    return any(_works_out(tree.read(one)) for one in {path, *_imported(tree, path)})


@lru_cache(maxsize=256)
def _works_out(source: bytes) -> bool:
    calls = (node for node in python_nodes(source) if isinstance(node, ast.Call) and node.args)
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"
        and not all(isinstance(one, ast.Constant) for one in call.args)
        for call in calls
    )  # fmt: skip


def _imported(tree: Tree, path: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    for above, name in _modules(tree.read(path)):
        relative = name.replace(".", "/")
        beside = posixpath.normpath(posixpath.join(folder, "../" * max(above - 1, 0), f"{relative}.py"))
        for place in (beside,) if above else (f"{relative}.py", f"src/{relative}.py", beside):
            if place in tree:
                yield place


@lru_cache(maxsize=256)
def _modules(source: bytes) -> tuple[tuple[int, str], ...]:
    """What it imports, also what may be a module of a package, with the dots before it."""
    found: list[tuple[int, str]] = []
    for node in python_nodes(source):
        if isinstance(node, ast.ImportFrom):
            package = [node.module] if node.module else []
            found += [(node.level, ".".join(package))] * bool(package)
            found += [(node.level, ".".join((*package, one.name))) for one in node.names]
        elif isinstance(node, ast.Import):
            found += [(0, one.name) for one in node.names]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=512)
def declared(source: bytes) -> tuple[str, ...]:
    """Texts that begin with two dashes, as arguments of calls that declare flags."""
    found = []
    for node in python_nodes(source):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _DECLARING:
            texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
            found += [text for text in texts if isinstance(text, str) and FLAG.fullmatch(text)]
    return tuple(found)


@lru_cache(maxsize=512)
def fields(source: bytes) -> tuple[str, ...]:
    """The fields of dataclasses, each of which such a parser makes a flag of."""
    found: list[str] = []
    for node in python_nodes(source):
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(one) for one in node.decorator_list):
            named = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
            found += [target.id for target in named if isinstance(target, ast.Name)]
    return tuple(found)
