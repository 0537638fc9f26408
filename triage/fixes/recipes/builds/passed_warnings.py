"""A warning of an installed package that pytest turns into an error: it is let pass where the project lists such ones.

Where the project's own code names what the warning is about, that is what has to change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from triage.fixes.document import eol_at, line_start
from triage.fixes.manifests import toml
from triage.fixes.manifests.ini import option_of, section_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

# Where pytest looks for its settings, in its order, with what the section is called there (its documentation,
# "Initialization: determining rootdir and configfile").
_PLACES = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "pyproject.toml": "",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
_LIST = ("tool", "pytest", "ini_options", "filterwarnings")
# The categories of Python itself, which a filter names without a module (the documentation of `warnings`).
_BUILTIN = frozenset(
    f"{one}Warning"
    for one in (
        *("", "Bytes", "Deprecation", "Encoding", "Future", "Import", "PendingDeprecation"),
        *("Resource", "Runtime", "Syntax", "Unicode", "User"),
    )
)
_CATEGORY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*Warning\Z")
# What a message is about: a name in quotes, a dotted name, one with an underscore or a capital inside.
_NAMES = re.compile(
    r"[`'\"]([A-Za-z_][\w.]{3,80})(?:\(\))?[`'\"]|\b([A-Za-z_]\w*(?:\.\w+)+|[a-z]+_\w+|[A-Za-z]+[a-z][A-Z]\w+)\b"
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_ ,<>=/`-]")
# An address, a path or a number of this run; nor is a link written that only the log has.
_OF_RUN = re.compile(r"https?:| at 0x[0-9a-f]+|[ '\"(]/[\w.-]+/|[ (][0-9]{3,}")
_UNRAISABLE = re.compile(r"Exception ignored [\w ]{2,40}:? <(?:function|bound method) ([A-Za-z_]\w*(?:\.\w+)+)[ >]")
# What the tests, or the code under them, left open.
_LEAKS = re.compile(r"unclosed|<_io\.|<(?:socket|ssl)\.|never awaited")
_LONGEST, _SHORTEST = 70, 12
_OWN = (".py", ".pyi")


# The line as it is shown, and what is inserted where.
_Insertions = tuple[str, tuple[tuple[int, bytes], ...]]


@dataclass(frozen=True, slots=True)
class _Last:
    """The last filter of the list: its text, and where what follows it is written."""

    path: str
    filters: tuple[str, ...]
    start: int
    end: int


def let_pass(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    category, message = captures.get("category", ""), captures.get("message", "")
    text = _pattern(message)
    if not _CATEGORY.match(category) or len(text) < _SHORTEST:
        return Refusal("the log does not say which warning it is in a way that a filter can name")
    last = next(_lists(tree), None)
    if last is None:
        return Refusal("no settings of pytest in the repository's own folder list `filterwarnings`")
    known = [one for one in last.filters if one.startswith("ignore:") and _passes(one, message)]
    if known:
        return InPlace(f"{last.path} has {known[0]}")
    if not any(one.split(":")[0] == "error" for one in last.filters):
        return Refusal("pytest's settings turn no warning into an error: its command does", last.path)
    if not _names(message) or _LEAKS.search(message):
        return Words(f"Change what the warning is about, or add `ignore:{text}` to `filterwarnings` in {last.path}")
    if own := _own_use(tree, message):
        more = f"change it there, or add `ignore:{text}` to `filterwarnings` in {last.path}"
        return Words(f"{own[1]} has {own[0]}, which the warning is about: {more}")
    kind = category if "." in category or category in _BUILTIN else ""
    return _added(tree, last, f"ignore:{text}:{kind}".rstrip(":"), job)


def _pattern(message: str) -> str:
    """The message's beginning as pytest takes it: an expression from the start, without a colon; no word cut."""
    if told := _UNRAISABLE.match(message):
        return f".*{told[1]}"  # what Python says before it is another thing in each of its releases
    said = _OF_RUN.split(message)[0].strip()
    cut = said if len(said) <= _LONGEST else said[:_LONGEST].rpartition(" ")[0]
    return _UNSAFE.sub(".", cut).rstrip(" .,")


def _passes(line: str, message: str) -> bool:
    """Whether a filter lets this message pass; its expression is the project's, and is compared as a text only."""
    first, *others = re.split(r"[.*^$+?()\[\]\\]+", line.split(":")[1].lower())
    said = message.lower()
    if not said.startswith(first):
        return False
    at = len(first)
    for part in (one for one in others if one):
        found = said.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at > 0


def _own_use(tree: Tree, message: str) -> tuple[str, str] | None:
    """A name of the message that the project's own code has, and where; of a dotted one, its last part as an attribute
    and its first as an import."""
    said = message[: _SHORTEST * 2].encode()
    if raised := next((path for path in _own(tree) if len(said) >= _SHORTEST and said in tree.read(path)), ""):
        return "its text", raised
    for name in sorted(_names(message)):
        parts = [one for one in name.split(".") if not one.startswith("__")]
        word = re.compile(rb"(?<!\w)" + re.escape(parts[-1].encode()) + rb"(?!\w)")
        for path in _own(tree):
            if parts[0].encode() in tree.read(path) and word.search(tree.read(path)):
                return name, path
    return None


def _names(message: str) -> set[str]:
    """Without those that every class has, and nothing else."""
    found = (one[0] or one[1] for one in _NAMES.findall(message))
    return {one for one in found if not one.startswith("__") and "..." not in one}


def _own(tree: Tree) -> Iterator[str]:
    return (path for path in tree.paths() if path.endswith(_OWN))


def _lists(tree: Tree) -> Iterator[_Last]:
    for path, name in _PLACES.items():
        if path in tree:
            found = _of_toml(tree, path) if path.endswith(".toml") else _of_ini(tree, path, name)
            if found is not None:
                yield found
            if found is not None or _is_taken(tree.read(path), path, name):
                return


def _is_taken(data: bytes, path: str, name: str) -> bool:
    """Whether pytest goes by this file, whatever it says, and looks at no other one."""
    if path.endswith(".toml"):
        return re.search(rb"(?m)^\[[ \t]*tool\.pytest\b", data) is not None
    return path.endswith("pytest.ini") or section_of(data, name) is not None


def _of_toml(tree: Tree, path: str) -> _Last | None:
    data = tree.read(path)
    found = toml.strings(data)
    held = [] if isinstance(found, Refusal) else [one for one in found if one.place[:-1] == _LIST]
    return _Last(path, tuple(one.value for one in held), held[-1].start, held[-1].end) if held else None


def _of_ini(tree: Tree, path: str, name: str) -> _Last | None:
    data = tree.read(path)
    section = section_of(data, name)
    option = option_of(data, section, "filterwarnings") if section is not None else None
    if option is None:
        return None
    lines = [one.strip().decode("utf-8", "replace") for one in data[option.at : option.end].split(b"\n")]
    return _Last(path, tuple(one for one in lines if one and not one.startswith("#")), option.start, option.end)


def _added(tree: Tree, last: _Last, line: str, job: str) -> Outcome:
    data = tree.read(last.path)
    made = _in_toml(data, last, line) if last.path.endswith(".toml") else _in_ini(data, last, line)
    if isinstance(made, Refusal):
        return made
    shown, inserted = made
    why = "the warning is a package's own; later filters come first"
    edits = tuple(Edit(last.path, at, at, text, why) for at, text in inserted)
    declared = f"{last.path}:{'.'.join(_LIST)}[{len(last.filters)}]" if last.path.endswith(".toml") else last.path
    promise = Expectation("line", shown, job, last.path)
    return Edited(edits, (declared,), (promise,), title=f"Let the warning pass ({last.path})")


def _in_toml(data: bytes, last: _Last, line: str) -> _Insertions | Refusal:
    """Behind the last item, which stands on a line of its own, in quotes that need no escapes."""
    start = line_start(data, last.start)
    lead = data[start : last.start]
    after = re.compile(rb"(?:'''|\"\"\"|'|\")([ \t]*,)?([^\n]*)\n").match(data, last.end)
    if lead.strip(b" \t'\"") or after is None or (after[2].strip() and not after[2].strip().startswith(b"#")):
        return Refusal("the filters do not stand on lines of their own", last.path)
    quote = lead.strip().decode()
    if quote not in ("'", '"', "'''") or quote[0] in line:
        quote = "'" if "'" not in line else "'''"
    item = f"{quote}{line}{quote},"
    indent = lead[: len(lead) - len(lead.lstrip())]
    text = indent + item.encode() + eol_at(data, start)
    comma = [] if after[1] else [(after.start(2), b",")]
    return item, (*comma, (after.end(), text))


def _in_ini(data: bytes, last: _Last, line: str) -> _Insertions | Refusal:
    lines = [one for one in data[last.start : last.end].split(b"\n")[1:] if one.strip()]
    if not lines:
        return Refusal("the filters do not stand on lines of their own", last.path)
    indent = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())]
    eol = eol_at(data, last.start)
    lead = b"" if data[: last.end].endswith(b"\n") else eol
    return line, ((last.end, lead + indent + line.encode() + eol),)
