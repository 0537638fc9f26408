"""Where in the tree the file is that a command meant by a path which is not there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.resembling import one_slip, resembling
from triage.interfaces import Tree

_EXPRESSION = re.compile(rb"\$\{\{[^}]*\}\}")
# Names that a repository gives to many files: one in a folder of another name is another file.
_COMMON = frozenset(
    (
        *("__init__.py", "__main__.py", "conftest.py", "setup.py", "main.py", "utils.py", "README.md", "index.html"),
        *("requirements.txt", "pyproject.toml", "config.yaml", "config.yml", "config.json", "Makefile", "Dockerfile"),
    )
)
# Folders that a build or a run fills: what is not in them was not made, wherever its like is.
_MADE = frozenset(
    (
        *("build", "dist", "out", "output", "outputs", "results", "logs", "log", "coverage", "htmlcov", "artifacts"),
        *("wheels", "wheelhouse", "checkpoints", "ckpt", "tmp", "temp", "cache", ".cache", "target", "downloads"),
    )
)
# Endings of one format.
_ENDINGS = ((".yml", ".yaml"), (".htm", ".html"), (".jpg", ".jpeg"), (".j2", ".jinja", ".jinja2"), (".sh", ".bash"))
# What a module has for others, by names that are no everyday word.
_DEFINES = re.compile(rb"(?m)^(?:async[ ]+)?(?:def|class)[ ]+([A-Za-z]\w*_\w+|[A-Za-z]\w{7,})")
_NAMES = re.compile(r".*(?:\.(?:py|sh|bash|ya?ml|toml|cfg|ini|mk|json|md|rst|txt|ipynb)|[Mm]akefile|Dockerfile)\Z")
_READS = re.compile(r".*(?:\.(?:sh|bash|ya?ml|toml|cfg|ini|mk)|[Mm]akefile)\Z")


def is_there(tree: Tree, path: str) -> bool:
    return path == "." or path in tree or any(one.startswith(f"{path}/") for one in tree.paths())


def folder_in_tree(tree: Tree, folder: str, text: str) -> str | None:
    """The folder of the repository in which a command that names `text` ran, by the one that the log or a definition
    names, absolute or not; "" is the root. None where nothing tells it. Below a part that is not known ("?") it is the
    folder that is entered from there."""
    parts = [part for part in posixpath.normpath(folder).split("/") if part not in ("", ".")] if folder else []
    unknown = "?" in parts
    parts = parts[len(parts) - parts[::-1].index("?") :] if unknown else parts
    if ".." in parts:
        return None
    for count in range(len(parts), 0, -1):
        below = "/".join(parts[-count:])
        if is_there(tree, below) and below not in tree and _fits(tree, below, text):
            return below
    return "" if not unknown and (not parts or folder.startswith("/")) else None


def _fits(tree: Tree, folder: str, text: str) -> bool:
    """Whether the command can have run there: the path's first folder is in it, or the path is one from the root. A
    checkout is often called as the package inside of it."""
    first = text.partition("/")[0]
    held = is_there(tree, posixpath.join(folder, first)) or not is_there(tree, first)
    return held or text.startswith(f"{folder}/")


def is_made(tree: Tree, text: str) -> bool:
    """Whether a path lies in a folder that a build or a run fills, and that the repository does not have."""
    folders = text.strip("/").split("/")[:-1]
    return any(
        one in _MADE and not is_there(tree, "/".join(folders[: at + 1])) and one not in _named(tree)
        for at, one in enumerate(folders)
    )


def _named(tree: Tree) -> set[str]:
    return {folder for path in tree.paths() for folder in path.split("/")[:-1]}


def home(tree: Tree, folder: str, text: str) -> str:
    """The path of the tree that is meant by `text` in `folder`; "" for none, or several."""
    plain = posixpath.normpath(text)
    if folder and plain.startswith(f"{folder}/") and is_there(tree, plain):
        return plain
    path = posixpath.normpath(posixpath.join(folder, plain))
    name = posixpath.basename(path)
    files = [one for one in tree.paths() if posixpath.basename(one) == name]
    if files and name in _COMMON:
        files = [one for one in files if {*one.split("/")[:-1]} & {*path.split("/")[:-1]}]
    if files:
        inside = [one for one in files if one.startswith(f"{folder}/")] if folder else files
        one = files if len(files) == 1 else inside if len(inside) == 1 and folder else _deeper(files, path)
        return one[0] if len(one) == 1 else ""
    if "." not in name:
        return folder_called(tree, name)
    near = cased(tree, path) or other_ending(tree, path) or misspelt(tree, path)
    return near or _rearranged(tree, path) or _renamed(tree, path)


def _deeper(files: Sequence[str], path: str) -> list[str]:
    """Those whose folders are all that were named, in their order, and more: `a/x/b/f.py` for `a/b/f.py`."""
    found = []
    for one in files:
        parts = iter(one.split("/"))
        if "/" in path and all(part in parts for part in path.split("/")):
            found.append(one)
    return found


def folder_called(tree: Tree, name: str) -> str:
    """The one folder of this name; "" for none, or several."""
    held = {one[: one.index(f"{name}/") + len(name)] for one in tree.paths() if f"/{name}/" in f"/{one}"}
    exact = [one for one in held if posixpath.basename(one) == name]
    return exact[0] if len(exact) == 1 else ""


def cased(tree: Tree, path: str) -> str:
    """The file that differs in upper and lower case alone."""
    found = [one for one in tree.paths() if one.lower() == path.lower()]
    return found[0] if len(found) == 1 else ""


def other_ending(tree: Tree, path: str) -> str:
    """`a.yaml` for `a.yml`: the file beside it whose ending says the same."""
    stem, ending = posixpath.splitext(path)
    alike = next((one for one in _ENDINGS if ending in one), ())
    found = [f"{stem}{one}" for one in alike if f"{stem}{one}" in tree]
    return found[0] if len(found) == 1 else ""


def is_common(path: str) -> bool:
    """Whether repositories give the name to many files."""
    return posixpath.basename(path) in _COMMON


def misspelt(tree: Tree, path: str) -> str:
    """`test_env.py` beside `test_envs.py`. Only a file of the same kind in the folder that was named."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    beside = [one for one in tree.paths() if posixpath.dirname(one) == folder and one.endswith(ending)]
    meant = resembling(stem, [posixpath.splitext(posixpath.basename(one))[0] for one in beside])
    return posixpath.join(folder, f"{meant}{ending}") if meant and ending else ""


def slipped(tree: Tree, path: str) -> str:
    """The path with the one slip mended that keeps it from being there: in the name of a folder on its way, or in its
    own; "" where no one name is nearly the same, or the rest is not there either."""
    parts, folder = path.split("/"), ""
    for at, part in enumerate(parts):
        if not is_there(tree, posixpath.join(folder, part)):
            if part in _MADE:
                return ""
            rest = parts[at + 1 :]
            meant = one_slip(part, _holding(tree, folder, "/".join(rest)))
            return posixpath.join(folder, meant, *rest) if meant else ""
        folder = posixpath.join(folder, part)
    return ""


def _holding(tree: Tree, folder: str, rest: str) -> set[str]:
    """The names in a folder ("" is the root) below which `rest` is, "" for all of them."""
    start = f"{folder}/" if folder else ""
    every = (one[len(start) :].partition("/") for one in tree.paths() if one.startswith(start))
    return {name for name, _, below in every if not rest or f"{below}/".startswith(f"{rest}/")}


def _rearranged(tree: Tree, path: str) -> str:
    """`requirements/test.txt` for `requirements-test.txt`: the one file of the same words, whatever divides them."""
    words, ending = sorted(re.split(r"[/._-]", path.lower())), posixpath.splitext(path)[1]
    found = [one for one in tree.paths() if one.endswith(ending) and sorted(re.split(r"[/._-]", one.lower())) == words]
    return found[0] if len(found) == 1 and len(words) > len(ending.split(".")) else ""


def _renamed(tree: Tree, path: str) -> str:
    """The one script of the folder that begins with the same word, where nothing of the repository calls it, or a call
    of it gets as many arguments as all those of the lost one."""
    folder, name = posixpath.split(path)
    first, ending = re.split(r"[-_.]", name)[0], posixpath.splitext(name)[1]
    beside = [one for one in tree.paths() if posixpath.dirname(one) == folder and one.endswith(ending)]
    alike = [one for one in beside if re.split(r"[-_.]", posixpath.basename(one))[0] == first]
    if len(alike) != 1 or ending not in (".sh", ".bash") or first == name:
        return ""
    texts = [tree.read(one) for one in tree.paths() if one != alike[0] and _READS.match(one)]
    called = {count for text in texts for count in _arguments(text, posixpath.basename(alike[0]))}
    wanted = {count for text in texts for count in _arguments(text, name)}
    words, others = ({*re.split(r"[-_.]", one)[:-1]} for one in (name, posixpath.basename(alike[0])))
    nearly = not called and len(words & others) * 2 >= len(words | others)
    return alike[0] if nearly or (len(wanted) == 1 and wanted <= called) else ""


def follower(tree: Tree, path: str, naming: bytes) -> str:
    """The module of the folder whose name has the words of the lost one and more, and that nothing names yet: it has
    what `naming`, the script that names the lost one, asks of it by name."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    words = {*stem.lower().split("_")}
    beside = [one for one in tree.paths() if posixpath.dirname(one) == folder and one.endswith(".py")]
    stems = {one: posixpath.basename(one)[: -len(ending)] for one in beside} if ending == ".py" else {}
    alike = [one for one, own in stems.items() if words < {*own.lower().split("_")}]
    free = [one for one in alike if not _is_named(tree, one, stems[one])] if "test" not in words else []
    if len(free) != 1:
        return ""
    asked = (one for one in _DEFINES.findall(tree.read(free[0])) if re.search(rb"(?<!\w)" + one + rb"(?!\w)", naming))
    return free[0] if next(asked, b"") else ""


def _is_named(tree: Tree, path: str, stem: str) -> bool:
    word = re.compile(rb"(?<![\w-])" + re.escape(stem.encode()) + rb"(?![\w-])")
    return any(word.search(tree.read(one)) for one in tree.paths() if one != path and _NAMES.match(one))


def _arguments(text: bytes, name: str) -> Iterator[int]:
    """How many arguments each call of a script has."""
    for found in re.finditer(rb"(?<![\w.-])" + re.escape(name.encode()) + rb"(?![\w./-])([^\n;&|)]*)", text):
        yield len(_EXPRESSION.sub(b"x", found[1]).split())
