"""Which files of the repository a command of the log names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from triage.interfaces import Tree

SCRIPTS = (".sh", ".bash", ".sub", ".slurm")
CONFIGURATIONS = (".yaml", ".yml")
# Options by which programs are given a configuration, or the case of a harness that has one.
OPTIONS = (
    *("--config", "-c", "--config-file", "--config_file", "--config-path", "--cfg", "--recipe"),
    *("--test-case", "--test_case", "--case"),
)
_VARIABLE = r"[A-Za-z_]\w*(?:=[^,]*)?"
_HANDED = re.compile(rf"[\"']?(?:--export=)?{_VARIABLE}(?:,{_VARIABLE})+,?[\"']?\Z")
_QUOTES = "\"'`(){}[];,"
_LEAST_PARTS = 2
# A stem shorter than this, or of one word, may name many things besides the script.
_LEAST_STEM = 8
_MODULE = re.compile(r"(?<![\w-])-m\s+(?P<module>[A-Za-z_]\w*(?:\.\w+)+)(?=\s|$)")


def named_files(tree: Tree, command: str, ends: Sequence[str]) -> tuple[str, ...]:
    """Files with one of the endings whose path is a word of the command, or one of the variables that a word hands on
    (`--export=ALL,CASE=cases/a.yaml`), in its order."""
    found = (in_tree(tree, part.rpartition("=")[2].strip(_QUOTES)) for part in _parts(command))
    return tuple(dict.fromkeys(path for path in found if path.endswith(tuple(ends)) and path))


def _parts(command: str) -> Iterator[str]:
    for word in command.split():
        yield from word.split(",") if _HANDED.match(word) else (word,)


def starts_module(tree: Tree, command: str) -> bool:
    """Whether Python is told to run a module of the repository (`-m train.main`)."""
    found = _MODULE.search(command)
    stem = found["module"].replace(".", "/") if found else ""
    return bool(stem) and any(f"{root}{stem}{end}" in tree for root in ("", "src/") for end in (".py", "/__main__.py"))


def in_tree(tree: Tree, word: str) -> str:
    """The path itself, or an absolute one (`/opt/train/tests/a.sh`, as a container has it) without the folders that
    lead to the repository; "" when it is none of the tree's."""
    path = posixpath.normpath(word) if word else ""
    if not path or path.startswith(".."):
        return ""
    if not path.startswith("/"):
        return path if path in tree else ""
    parts = path.strip("/").split("/")
    below = ("/".join(parts[at:]) for at in range(len(parts) - _LEAST_PARTS + 1))
    return next((one for one in below if one in tree), "")


def of_stem(tree: Tree, name: str, ends: Sequence[str]) -> str:
    """The one file of this stem, or the one of these endings in the one folder of this name; "" otherwise."""
    stems = [path for path in tree.paths() if path.endswith(tuple(ends)) and _stem(path) == name]
    if len(stems) == 1:
        return stems[0]
    inside = [path for path in tree.paths() if f"/{name}/" in f"/{path}" and path.endswith(tuple(ends))]
    direct = [path for path in inside if posixpath.basename(posixpath.dirname(path)) == name]
    return direct[0] if len(direct) == 1 and not stems else ""


def of_name(tree: Tree, name: str) -> str:
    """The one configuration file of this name, or of this end of its path; "" otherwise."""
    if not name.endswith(CONFIGURATIONS) or name.startswith(("/", ".")):
        return ""
    found = [path for path in tree.paths() if path == name or path.endswith(f"/{name}")]
    return found[0] if len(found) == 1 else ""


def ending(tree: Tree, name: str) -> str:
    """The one file in a folder whose path ends so; "" for none and for several."""
    found = [path for path in tree.paths() if path.endswith(f"/{name}")]
    return found[0] if len(found) == 1 else ""


def shows(commands: Iterable[str], path: str) -> bool:
    """Whether a command names the file: by its path, or by its stem where that is a name of its own, as in the folder
    of a run, the name that the run is given, or the configuration of the same name."""
    stem = _stem(path)
    named = len(stem) >= _LEAST_STEM and re.search(r"[-_]", stem)
    word = re.compile(rf"(?<![\w.-]){re.escape(stem)}(?![\w-])(?!\.(?!(?:ya?ml|json|sh)\b)\w)")
    return any(path in one or (named and word.search(one)) for one in commands)


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def running(tree: Tree, tests: Sequence[str]) -> Iterator[str]:
    """Scripts whose text calls one of the test files by its path."""
    wanted = [test.encode() for test in tests if "/" in test]
    for path in tree.paths():
        if path.endswith(SCRIPTS[:2]) and wanted and any(test in tree.read(path) for test in wanted):
            yield path
