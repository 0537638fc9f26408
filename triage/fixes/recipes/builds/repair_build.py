"""`repair_build`: two commands of a RUN that lost what joins them, where the log shows which words went astray."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from triage.fixes.document import eol_at, line_end, line_of, line_start, line_with
from triage.fixes.manifests.dockerfile import KNOWN, Instruction, is_dockerfile, simple_commands
from triage.fixes.recipes.builds.building import candidates, locate_build
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.fixes.shell.syntax import Word
from triage.interfaces import Tree
from triage.model.diagnosis import BuildStep
from triage.model.patch import Edit, Expectation, as_promised

_COMMANDS = frozenset(
    (
        *("apt", "apt-get", "bash", "cd", "chmod", "chown", "cmake", "conda", "cp", "curl", "dnf", "dpkg", "echo"),
        *("export", "find", "git", "ldconfig", "ln", "make", "mkdir", "mv", "npm", "pip", "pip3", "python", "python3"),
        *("rm", "sed", "sh", "source", "tar", "test", "touch", "unzip", "useradd", "uv", "wget", "yum"),
    )
)
_SIGN = re.compile(rb"[ \t]+=[ \t]*|[ \t]*=[ \t]+")
_ONE_VALUE = re.compile(rb"[\w.-]+[ \t]*=[ \t]*(?:[^\s\"'=\\]+|\"[^\"\n]*\"|'[^'\n]*')[ \t\r]*\Z")
_OPEN = (b"&&", b"||", b"|", b";", b"{", b"(", b"then", b"do", b"else")


def repair_build(tree: Tree, build: BuildStep | None, captures: Mapping[str, str], job: str) -> Outcome:
    """`captures`: `word`, which no program understood; `instruction` or `assignment`, which the builder did not."""
    if build is None:
        return Refusal("the log shows no failed build of an image")
    if "instruction" in captures:
        return _unknown_instruction(tree, build, captures["instruction"], job)
    found = locate_build(tree, build, ())
    if isinstance(found, Refusal):
        return found
    data, word = tree.read(found.path), captures.get("word", "") or _swallowed_file(captures)
    word = word if word.partition(" ")[0] not in KNOWN else word.partition(" ")[0]
    if "assignment" in captures:
        return _spaced(data, found.path, found.instruction, job)
    if word in KNOWN:
        return _swallowed_instruction(data, found.path, found.instruction, word, job)
    places = list(_swallowed(data, found.instruction, word))
    if len(places) != 1:
        return Refusal(f"no two commands are joined where the log shows `{word}`", found.path)
    before, first, second = places[0]
    line = line_of(data, before.start)
    why = f"`{first.literal} {second.literal}` on the next line is read as words of this command"
    edit = Edit(found.path, before.end, before.end, b" &&", why)
    promise = Expectation("image", f"{first.literal} {second.literal}", job, found.path)
    broken = data[line_start(data, before.start) : line_end(data, before.end)].strip()
    made = Edited((edit,), (found.path,), (promise,), title=f"Join the commands at {found.path}:{line} with `&&`")
    return made.noting(*_same_elsewhere(tree, found.path, broken))


def _swallowed_file(captures: Mapping[str, str]) -> str:
    """`rm -rf` as words of `pip`: `-r` takes the rest of its word as the file to read."""
    return f"-r{captures['file']}" if "file" in captures else ""


def _swallowed(data: bytes, one: Instruction, word: str) -> Iterator[tuple[Word, Word, Word]]:
    """The word before a command that starts a line among another one's words, the command's own word and the next.

    A line of a list of packages may start like a command: what the log shows must stand on that very line.
    """
    for words in simple_commands(data, one):
        for before, first, second in zip(words, words[1:], words[2:], strict=False):
            starts = b"\n" in data[before.end : first.start]
            line = [other for other in words if first.start <= other.start <= line_end(data, first.start)]
            shown = {data[other.start : other.end].decode("utf-8", "replace").strip("\"'") for other in line}
            meant = word == first.literal or not word[:1].isalnum()  # another name may be one of a list
            if starts and first.literal in _COMMANDS and second.literal is not None and word in shown and meant:
                yield before, first, second


def _swallowed_instruction(data: bytes, path: str, one: Instruction, word: str, job: str) -> Outcome:
    """A backslash before the next instruction takes it in: the shell looks for a program called ENV behind `&& \\`, and
    a command gets CMD and what follows as words."""
    starts = [other for words in simple_commands(data, one) for other in words if other.literal == word]
    for first in starts:
        if data[line_start(data, first.start) : first.start].strip():
            continue
        head = data[: line_start(data, first.start)].rstrip()
        tail = re.search(rb"[ \t]*(?:&&)?[ \t]*\\\Z", head)
        if tail:
            why = f"nothing follows here but the instruction {word}"
            edit = Edit(path, tail.start(), len(head), b"", why)
            start = line_start(data, tail.start())
            promise = Expectation("line", data[start : tail.start()].decode("utf-8", "replace").strip(), job, path)
            title = f"End the instruction before {word} at {path}:{line_of(data, tail.start())}"
            return Edited((edit,), (path, f"{path}:+{word}"), (promise,), title=title)
    return Refusal(f"no instruction takes `{word}` in", path)


def _spaced(data: bytes, path: str, one: Instruction, job: str) -> Outcome:
    """`ENV NAME = value`: no blank may stand around the sign."""
    hits = list(_SIGN.finditer(data, one.start, one.end))
    if one.name not in ("ENV", "ARG", "LABEL") or len(hits) != 1 or not _ONE_VALUE.match(data, one.start, one.end):
        return Refusal(f"the {one.name} is not one name and one value with blanks around `=`", path)
    line = line_of(data, one.start)
    edit = Edit(path, *hits[0].span(), b"=", f"{one.name} takes blanks as the end of a word")
    after = line_with(data, edit.start, edit.end, b"=")
    promise = Expectation("line", as_promised(after), job, path)
    return Edited((edit,), (path,), (promise,), title=f"Take the blanks around `=` away at {path}:{line}")


def _unknown_instruction(tree: Tree, build: BuildStep, name: str, job: str) -> Outcome:
    """A line that lost the backslash before it."""
    number, text = next(iter(build.lines.items()), (0, ""))
    for path in candidates(tree, build):
        data = tree.read(path)
        lines = data.split(b"\n")
        if not 1 < number <= len(lines) or lines[number - 1].decode("utf-8", "replace").strip() != text.strip():
            continue
        above = next((at for at in range(number - 2, -1, -1) if _is_code(lines[at])), -1)
        bare = lines[above].rstrip() if above >= 0 else b""
        if above < 0 or bare.endswith(b"\\"):
            continue
        join = _join(bare, text.split())
        if not join:
            return Words(f"{path}:{number}: `{name}` is no instruction: the line above it may lack `\\` or `&& \\`")
        at = sum(len(line) + 1 for line in lines[:above]) + len(bare)
        edit = Edit(path, at, at, join, f"{path}:{number} goes on with this instruction")
        promise = Expectation("line", (bare + join).decode("utf-8", "replace").strip(), job, path)
        title = f"Join {path}:{number} with the line before it"
        return Edited((edit,), (path,), (promise,), title=title)
    return Refusal(f"no Dockerfile of the tree holds line {number} as the log shows it")


def _is_code(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _join(above: bytes, words: list[str]) -> bytes:
    """What the line above lacks; b"" where that cannot be told."""
    first = words[0] if words else ""
    if above.endswith(_OPEN) or first.startswith(("-", "&&", "||", "|")):
        return b" \\"
    return b" && \\" if first in _COMMANDS and len(words) > 1 and above[:1] in b" \tR" else b""


def _same_elsewhere(tree: Tree, own: str, broken: bytes) -> Iterator[str]:
    for path in tree.paths():
        data = tree.read(path) if is_dockerfile(path) and path != own else b""
        at = data.find(broken + eol_at(data, 0)) if broken in data else -1
        if at >= 0:
            yield f"{path}:{line_of(data, at)} has the same line"
