"""Options that a program of the repository does not declare, at the lines of scripts and definitions that pass them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from triage.fixes.document import line_end, line_of, line_start, splice
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.commands.definitions import kinds_of_definitions
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.overrides.declared import FLAG, declared_flags, declares_by_name, meant
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised

_OPTION = re.compile(r"--[A-Za-z][\w-]{0,60}\Z")
_VALUE = re.compile(r"[\w./:,+-]{1,80}\Z")
_BLANK = rb"(?:[ \t]|\\[ \t]*\r?\n)+"
_GIVEN = rb"(?:\"[^\"\n]*\"|'[^'\n]*'|\$\{\{[^{}\n]*\}\}|[^\s\"',)&|;-][^\s\"',)&|;]*)"
_IF, _END_IF = rb"(?:\$\(if [^,\n]*,[ \t]*)?", rb"(?:,[ \t]*\))?"
_WORKFLOW = re.compile(r"\.github/(?:workflows|actions)/.*\.ya?ml\Z")
_LARGEST, _MOST = 1_000_000, 8
_WHY = "the program declares no such option, and none that resembles it"


def drop_undeclared(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """Only where the program's own parser is in the tree and knows neither the option nor one that resembles it."""
    words, program = captures.get("argument", "").split(), posixpath.basename(captures.get("program", ""))
    options = [word.partition("=")[0] for word in words if word.startswith("--") and word != "--"]
    if not program.endswith(".py") or not options or not all(_is_word(word) for word in words) or words[0][:2] != "--":
        return Refusal("the log names no program of the repository and its options")
    pattern = _pattern(words)
    found = [one for path in tree.paths() if _is_read(path) for one in _of_file(tree, path, pattern, program, options)]
    edits = [one for one in found if isinstance(one, Edit)]
    if not found:
        return Refusal(f"no command passes {' '.join(options)} to a program that does not declare it")
    kept = next((one for one in found if isinstance(one, Refusal)), None)
    if kept is not None:
        return Words(
            f"{kept.path}:{kept.line} passes {' '.join(options)} to {program}, {kept.reason}: take it away there"
        )
    if len(edits) > _MOST:
        return Words(f"{len(edits)} lines pass {' '.join(options)} to {program}: take it away there")
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    title = f"Do not pass {', '.join(options)} to {program}"
    return Edited(tuple(edits), paths, tuple(_left(tree, job, edits)), title=title)


def _is_word(word: str) -> bool:
    option = word.partition("=")[0]
    return word == "--" or bool(_VALUE.match(word) if not word.startswith("-") else _OPTION.match(option))


def _is_read(path: str) -> bool:
    return is_dockerfile(path) or any(kind.match(path) for kind in (*kinds_of_definitions(), _WORKFLOW))


def _pattern(words: list[str]) -> re.Pattern[bytes]:
    """The options as they are written, with whatever value: another value is refused as well. In a makefile they may
    stand in `$(if ...)`."""
    parts = []
    for word in words:
        option, sign, _ = word.partition("=")
        own = re.escape(option.encode()) if word.startswith("--") else _GIVEN
        parts.append(own + (b"=" + _GIVEN if sign else b""))
    inner = (_BLANK + _IF).join(parts)
    return re.compile(_IF + rb"(?<![\w=-])" + inner + _END_IF + rb"(?=[\s\"']|\Z)")


def _of_file(
    tree: Tree, path: str, pattern: re.Pattern[bytes], program: str, options: list[str]
) -> Iterator[Edit | Refusal]:
    data = tree.read(path)
    if len(data) > _LARGEST or program.encode() not in data or options[0].encode() not in data:
        return
    named = re.compile(rb"(?<![\w./-])(?:\./)?((?:[\w.-]+/)*" + re.escape(program.encode()) + rb")(?![\w/.-])")
    for hit in pattern.finditer(data):
        start = _first(data, hit.start())
        before = data[start : hit.start()]
        runs = list(named.finditer(before))
        if b"#" in data[line_start(data, hit.start()) : hit.start()] or not runs:
            continue
        file = _in_tree(tree, runs[-1][1].decode())
        if file and not _knows(tree, file, options) and not re.search(rb"&&|;|\|", before[runs[-1].end() :]):
            yield _cut(path, data, hit.start(), hit.end())


def _first(data: bytes, at: int) -> int:
    """Where the command's first line begins: the lines above it that end in a backslash belong to it."""
    start = line_start(data, at)
    while start > 0 and data[line_start(data, start - 1) : start].rstrip().endswith(b"\\"):
        start = line_start(data, start - 1)
    return start


def _in_tree(tree: Tree, name: str) -> str:
    found = [path for path in tree.paths() if path == name or path.endswith(f"/{name}")]
    return name if name in tree else found[0] if len(found) == 1 else ""


def _knows(tree: Tree, file: str, options: list[str]) -> bool:
    known = declared_flags(tree, file)
    lax = b"parse_known_args" in tree.read(file)
    return (
        lax
        or not known
        or declares_by_name(tree, file)
        or any(option in known or meant(option, known) for option in options)
    )


def _cut(path: str, data: bytes, start: int, end: int) -> Edit | Refusal:
    """With the blanks before it; on lines of its own with those lines. Refused for an item of a list, of which an empty
    one would be left, and for a value that ends elsewhere than a word does."""
    word, quote = data[start:end], data[start - 1 : start]
    if (
        any(word.count(opened) != word.count(closed) for opened, closed in ((b"(", b")"), (b"{", b"}")))
        or word.count(b"`") % 2
    ):
        return Refusal("with a value that is worked out", path, line_of(data, start))
    if quote in (b'"', b"'") and data[end : end + 1] == quote:
        if data[start - 2 : start - 1] not in (b" ", b"\t") or not re.match(rb"\s|\Z", data[end + 1 : end + 2]):
            return Refusal("as an item of a list", path, line_of(data, start))
        start, end = start - 1, end + 1
    begin = start - (len(data[:start]) - len(data[:start].rstrip(b" \t")))
    follows = re.match(rb"[ \t]*\\[ \t]*\r?\n", data[end:])
    if begin == line_start(data, start) and follows:
        return Edit(path, begin, end + follows.end(), b"", _WHY)
    if begin == line_start(data, start) and (head := re.search(rb"[ \t]*\\[ \t]*\r?\n\Z", data[:begin])):
        begin = head.start()
    return Edit(path, begin, end, b"", _WHY)


def _left(tree: Tree, job: str, edits: Sequence[Edit]) -> Iterator[Expectation]:
    """The line that is left of each command, once all of them are made."""
    for path in dict.fromkeys(edit.path for edit in edits):
        own = sorted((edit for edit in edits if edit.path == path), key=lambda edit: edit.start)
        made, gone = splice(tree.read(path), own), 0
        if isinstance(made, Refusal):
            continue
        for edit in own:
            at = edit.start - gone
            gone += edit.end - edit.start
            at -= at > 0 and made[at - 1 : at] == b"\n"
            if text := as_promised(made[line_start(made, at) : line_end(made, at)]):
                yield Expectation("line", text, job, path)


def name_extra(tree: Tree, job: str, captures: Mapping[str, str], extras: Mapping[str, str]) -> Outcome:
    """`uv sync --flash` for `uv sync --extra flash`: what the project calls an extra, or a group, is no option of uv.
    `extras`: for each name the option that takes it."""
    found = FLAG.fullmatch(captures.get("argument", ""))
    name = found[0].removeprefix("--") if found else ""
    if name not in extras:
        return Refusal("the project has no extra and no group of that name")
    wanted = re.compile(
        rb"\buv[ \t]+(?:sync|run|export)\b[^\n&|;#]*?[ \t](?P<option>--"
        + re.escape(name.encode())
        + rb")(?=[\s\"']|\Z)"
    )
    edits = [
        Edit(path, *hit.span("option"), f"{extras[name]} {name}".encode(), f"`{name}` is what the project calls it")
        for path in tree.paths()
        if _is_read(path)
        for hit in wanted.finditer(tree.read(path))
    ]
    if not edits:
        return Refusal(f"no command gives uv --{name}")
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    title = f"Ask for {extras[name]} {name} at {edits[0].path}:{line_of(tree.read(edits[0].path), edits[0].start)}"
    return Edited(tuple(edits), paths, promised_of(tree, job, edits), title=title)
