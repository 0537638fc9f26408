"""Install commands of a job, read from parsed arguments: which program, which files, which distributions."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.project import MANIFESTS
from triage.fixes.requirements import Named, naming, parsed

_PIP = re.compile(r"pip(?:3(?:\.[0-9]+)?)?\Z")
_PYTHON = re.compile(r"python(?:3(?:\.[0-9]+)?)?\Z")
# Options of pip and uv pip that take the next word.
TAKES = frozenset(
    [
        "-r",
        "--requirement",
        "-c",
        "--constraint",
        "-e",
        "--editable",
        "-i",
        "--index-url",
        "--extra-index-url",
        "-f",
        "--find-links",
        "--no-binary",
        "--only-binary",
        "--python",
        "--target",
        "-t",
        "--prefix",
        "--root",
        "--timeout",
        "--retries",
        "--trusted-host",
        "--config-settings",
        "-C",
        "--override",
        "--index",
        "--default-index",
        "--proxy",
        "--cache-dir",
        "--log",
        "--progress-bar",
        "--upgrade-strategy",
        "--report",
        "--extra",
        "--group",
    ]
)
# With `run` they start a program in one of their environments.
_CONDA = ("conda", "mamba", "micromamba")
_FILE = ("-r", "--requirement")
_BY_ENVIRONMENT = ("PIP_CONSTRAINT", "UV_CONSTRAINT", "UV_OVERRIDE")
# With `-r`, uv installs what these declare.
_CONSTRAINTS = ("-c", "--constraint", "--override")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of the repository, "." its root, as the word of an install command names it, with the extras chosen."""

    folder: str
    extras: tuple[str, ...]
    word: Value


@dataclass(frozen=True, slots=True)
class Install:
    """One `install` (or `uninstall`) command. `head` is its program as words, up to the verb: ("uv", "pip").

    `files` are those of `-r`, `constraints` those of `-c`, from the repository's root. `named` are the distributions,
    with the word that names each; `local` is `.` or `-e .`.
    `places` are the folders of the repository that it installs with what they require.
    """

    invocation: Invocation
    head: tuple[str, ...]
    verb: str
    files: tuple[str, ...] = ()
    named: tuple[tuple[Named, Value], ...] = ()
    flags: tuple[str, ...] = ()
    local: bool = False
    places: tuple[Place, ...] = ()
    constraints: tuple[str, ...] = ()

    @property
    def projects(self) -> tuple[str, ...]:
        return tuple(one.folder for one in self.places)

    @property
    def call(self) -> Call:
        return self.invocation.calls[-1]

    def with_word(self, word: str, behind: int) -> str:
        """The command line with one more word, which `behind` words follow."""
        words = [str(value) for value in self.invocation.argv]
        words.insert(len(words) - behind, word)
        return " ".join(words)

    @property
    def uv(self) -> bool:
        return "uv" in self.head


def installs(invocations: Iterable[Invocation], verb: str = "install") -> tuple[Install, ...]:
    """In the order in which the job runs them. Commands in `$( )` are none."""
    found = (_install(one, verb) for one in invocations if one.calls and not one.substitution)
    return tuple(one for one in found if one is not None)


def _install(invocation: Invocation, verb: str) -> Install | None:
    words = [value.text or "" for value in invocation.argv]
    at = verb_at(words, verb)
    if at < 0:
        return None
    files, named, flags, constraints, local = [], [], [], [], False
    extras: list[str] = []
    folders: list[tuple[str, Value]] = []
    values = list(invocation.argv[at + 1 :])
    while values:
        value = values.pop(0)
        word = invocation.word(value)
        option, equals, rest = word.partition("=")
        if option in TAKES or (word.startswith("-r") and len(word) > 2 and not word.startswith("--")):
            value = values.pop(0) if values and option in TAKES and not equals else value
            argument = rest if equals else word[2:] if option not in TAKES else invocation.word(value)
            flags.append(option)
            extras += _chosen(option, argument)
            files += [_rooted(invocation, argument)] if option in _FILE or option.startswith("-r") else []
            constraints += [_rooted(invocation, argument)] if option in _CONSTRAINTS else []
            editable = option in ("-e", "--editable") and _is_folder(argument)
            local, folders = local or editable, [*folders, *([(argument, value)] if editable else [])]
        elif word.startswith("-"):
            flags.append(word)
            extras += ["*"] if word == "--all-extras" else []
        elif is_local(word):
            local, folders = True, [*folders, (word, value)]
        else:
            named += [(one, value) for one in parsed(word, invocation.calls[-1].path, invocation.calls[-1].line)]
    for variable in _BY_ENVIRONMENT:
        held = invocation.environment.get(variable)
        constraints += [_rooted(invocation, path) for path in (held.text or "").split()] if held is not None else []
    declaring = [path for path in files if posixpath.basename(path) in MANIFESTS]
    places = () if "--no-deps" in flags else tuple(_places(invocation, folders))
    places += tuple(Place(posixpath.dirname(path) or ".", tuple(extras), value) for path in declaring)
    head, kept = tuple(words[:at]), tuple(filter(None, constraints))
    read = tuple(path for path in files if path and path not in declaring)
    return Install(invocation, head, verb, read, tuple(named), tuple(flags), local, places, kept)


def _chosen(option: str, argument: str) -> list[str]:
    """What `uv pip install -r pyproject.toml` chooses of the project."""
    return {"--extra": [argument], "--group": [f"group:{argument}"]}.get(option, [])


def brought_along(invocations: Iterable[Invocation]) -> Iterator[Install]:
    """`uv run --with NAME` and `uvx --with NAME`: what a command brings for itself alone."""
    for one in invocations:
        words = [value.text or "" for value in one.argv]
        if one.calls and not one.substitution and "--with" in words:
            pairs = zip(words, one.argv[1:], strict=False)
            given = [value for before, value in pairs if before == "--with"]
            call = one.calls[-1]
            named = tuple((found, value) for value in given for found in parsed(value.text or "", call.path, call.line))
            yield Install(one, tuple(words[:1]), "run", named=named)


def _rooted(invocation: Invocation, path: str) -> str:
    """From the repository's root; "" for a file of an image that did not come from the repository."""
    if invocation.inside is not None:
        return invocation.inside.own(path)
    return posixpath.normpath(posixpath.join(folder_of(invocation), path))


def folder_of(invocation: Invocation) -> str:
    """Where a command runs, from the repository's root; the root where that is not known, or outside of it."""
    folder = invocation.directory or "."
    return "." if folder.startswith("/") else folder


def _places(invocation: Invocation, folders: Iterable[tuple[str, Value]]) -> Iterator[Place]:
    for folder, word in folders:
        directory = invocation.directory
        path, _, chosen = folder.partition("[")
        place = posixpath.normpath(posixpath.join(directory or "", path or "."))
        if invocation.system and invocation.inside is not None and path.startswith("/"):
            place = invocation.inside.own(path) or path
            directory = "."
        if directory is not None and not place.startswith(("/", "..")):
            extras = (part.strip() for part in chosen.partition("]")[0].split(","))
            yield Place(place, tuple(extra for extra in extras if extra), word)


def _is_folder(argument: str) -> bool:
    """What `-e` takes is a folder, whatever it begins with, or the address of a repository."""
    return is_local(argument) or (argument[:1].isalnum() and "://" not in argument and "+" not in argument[:5])


def without_required(done: Iterable[Install]) -> bool:
    """Whether the repository's own project is installed, and always without what it requires: an image has that."""
    own = [one for one in done if one.local]
    return bool(own) and all("--no-deps" in one.flags for one in own)


def installs_one(install: Install, names: Iterable[str]) -> bool:
    """Whether the command names one of the distributions; separators do not tell names apart."""
    return bool(naming((named for named, _ in install.named), names))


def is_local(word: str) -> bool:
    """`.`, `./x`, `.[extra]`: the repository itself."""
    return word == "." or word.startswith(("./", ".[", "/", "../"))


def verb_at(words: Sequence[str], verb: str) -> int:
    """Where the verb stands in `pip install`, `python -m pip install` (or `-mpip`), `uv pip install`; -1 elsewhere."""
    for at in range(1, len(words)):
        if words[at] != verb:
            continue
        if words[at - 1] == "-mpip" and at > 1 and _PYTHON.match(posixpath.basename(words[at - 2])):
            return at
        pip = next((back for back in range(at - 1, -1, -1) if not words[back].startswith("-")), 0)
        if _PIP.match(posixpath.basename(words[pip])) and (pip == 0 or _leads(words[:pip])):
            return at
    return -1


def _leads(words: Sequence[str]) -> bool:
    """Whether the words before `pip` may stand there: `uv`, `python -m`, or wrappers that run it."""
    last = posixpath.basename(words[-1])
    if words[0] in _CONDA:
        return words[1:2] == ["run"]
    return last in ("uv", "-m") or bool(_PYTHON.match(last)) or words[0] in ("uv", "env", "sudo", "timeout", "nice")


def words_of(line: str) -> Sequence[str]:
    """Words of a command that has its line to itself; none for what is put together from several."""
    if any(sign in line for sign in ("|", ";", "&&", "\\")):
        return ()
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return ()
