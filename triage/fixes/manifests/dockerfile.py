"""Instructions of a Dockerfile, and the install commands of its RUN lines, read by the shell's grammar.

What the builder takes out (comment lines between continued ones, options such as `--mount=`) is blanked, so that every
offset stays the file's own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice

from triage.fixes.document import line_start
from triage.fixes.refusal import Refusal
from triage.fixes.shell.parse import has_errors, parse
from triage.fixes.shell.syntax import Simple, Word

KNOWN = frozenset(
    (
        *("FROM", "RUN", "CMD", "LABEL", "MAINTAINER", "EXPOSE", "ENV", "ADD", "COPY", "ENTRYPOINT", "VOLUME", "USER"),
        *("WORKDIR", "ARG", "ONBUILD", "STOPSIGNAL", "HEALTHCHECK", "SHELL"),
    )
)
_OTHERS = (".md", ".rst", ".txt", ".yml", ".yaml", ".py", ".sh", ".j2", ".jinja", ".jinja2", ".tmpl", ".dockerignore")
_INSTRUCTION = re.compile(rb"[ \t]*([A-Za-z]+)[ \t]+")
_OPTION = re.compile(rb"[ \t]*--[a-z]+(?:=\S*)?[ \t\\]*")
# Among the directives at the top, which are comments of the form `# name=value`.
_ESCAPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:#[ \t]*\w+[ \t]*=[^\n]*\n)*#[ \t]*escape[ \t]*=[ \t]*`", re.I)
# A builder takes 127 layers; every instruction is held with as many blanks as stand before it.
MOST, _LARGEST = 500, 256 * 1024
_HEREDOC = re.compile(rb"<<-?[\"']?(\w+)[\"']?")
# What may come before a heredoc whose text a shell runs.
_SHELL = re.compile(rb"(?:(?:/bin/)?(?:ba)?sh(?:[ \t]+-[a-z]+)*)?[ \t]*")
_ARGUMENT = re.compile(rb"[ \t]*([A-Za-z_]\w*)=([\"']?)([\w.+-]+)\2[ \t\r]*\Z")


@dataclass(frozen=True, slots=True)
class Instruction:
    """`start`..`end` is what follows the name and its options, the first of which stands at `named`.

    `shell` is as long as what comes before `end`, blank where the shell reads nothing. `heredoc`: the shell reads lines
    of their own, not one that backslashes join.
    """

    name: str
    start: int
    end: int
    shell: bytes
    named: int = 0
    heredoc: bool = False


@dataclass(frozen=True, slots=True)
class Default:
    """The value of `ARG NAME=value`, at bytes `start`..`end` of the file, without its quotes."""

    name: str
    text: str
    start: int
    end: int


def instructions(data: bytes) -> tuple[Instruction, ...] | Refusal:
    if _ESCAPE.match(data):
        return Refusal("escapes with backquotes, as for Windows")
    if len(data) > _LARGEST:
        return Refusal(f"it is larger than {_LARGEST // 1024} KiB")
    found = tuple(islice(_instructions(data), MOST + 1))
    return found if len(found) <= MOST else Refusal(f"it holds more than {MOST} instructions")


def is_dockerfile(path: str) -> bool:
    """By its name: Dockerfile, docker/Dockerfile.ci, cuda.Dockerfile, Containerfile. Templates are none."""
    name = posixpath.basename(path).lower()
    return ("dockerfile" in name or "containerfile" in name) and not name.endswith(_OTHERS)


def stage_start(found: Sequence[Instruction], index: int) -> int:
    """The index of the FROM whose stage the instruction at `index` is in; 0 where none stands before it."""
    return max((at for at, one in enumerate(found[:index]) if one.name == "FROM"), default=0)


def instruction_at(data: bytes, offset: int) -> Instruction | Refusal:
    """The instruction that a byte of the file belongs to, its name included."""
    found = instructions(data)
    if isinstance(found, Refusal):
        return found
    holding = [one for one in found if line_start(data, one.named) <= offset <= one.end]
    return holding[-1] if holding else Refusal("no instruction stands there")


def names_of(data: bytes) -> tuple[str, ...] | Refusal:
    """The instructions in order. What is none that a builder knows is left out: a line that lost its backslash."""
    found = instructions(data)
    return found if isinstance(found, Refusal) else tuple(one.name for one in found if one.name in KNOWN)


def runs_shell(data: bytes, one: Instruction) -> bool:
    """Whether it is a RUN that a shell reads: not the form of a JSON list."""
    return one.name == "RUN" and not data[one.start : one.end].lstrip().startswith(b"[")


def run_commands(data: bytes) -> tuple[tuple[Word, ...], ...] | Refusal:
    """The words of every simple command that a RUN line holds; their spans are the file's."""
    found = instructions(data)
    if isinstance(found, Refusal):
        return found
    return tuple(words for one in found for words in simple_commands(data, one))


def simple_commands(data: bytes, one: Instruction) -> tuple[tuple[Word, ...], ...]:
    """Those of one RUN; none where a shell does not read it, or could not."""
    readable = runs_shell(data, one) and not has_errors(one.shell)
    return tuple(simple.words for simple in _simples(parse(one.shell))) if readable else ()


def arguments(data: bytes) -> tuple[Default, ...] | Refusal:
    """Every `ARG` with a plain default."""
    found = instructions(data)
    if isinstance(found, Refusal):
        return found
    named = [(one, _ARGUMENT.match(data[one.start : one.end])) for one in found if one.name == "ARG"]
    return tuple(
        Default(match[1].decode(), match[3].decode(), one.start + match.start(3), one.start + match.end(3))
        for one, match in named
        if match is not None
    )


def _instructions(data: bytes) -> Iterator[Instruction]:
    at = 0
    while at < len(data):
        end = _line_end(data, at)
        named = _INSTRUCTION.match(data, at, end)
        if named is None:
            at = end + 1
            continue
        first = start = named.end()
        while option := _OPTION.match(data, start, end):
            start = option.end()
            if start >= end and option[0].endswith(b"\\") and end < len(data):  # the command begins on the next line
                start, end = end + 1, _line_end(data, end + 1)
                start += len(data[start:end]) - len(data[start:end].lstrip(b" \t"))
        masked = bytearray(b" " * start)
        end = _joined(data, start, end, masked)
        heredoc = _HEREDOC.search(data, start, end)
        if heredoc:
            masked[:] = b" " * len(masked)
            end = _until(data, end, heredoc[1], masked)
            if not _SHELL.fullmatch(data, start, heredoc.start()):  # a file's text, or another program's
                masked[:] = b" " * len(masked)
        stop = min(end, len(data))
        stop -= stop > start and data[stop - 1 : stop] == b"\r"
        shell = bytes(masked[:stop]).replace(b"\r", b" ")
        yield Instruction(named[1].decode().upper(), start, stop, shell, first, bool(heredoc))
        at = end + 1


def _joined(data: bytes, start: int, end: int, masked: bytearray) -> int:
    """Takes in the lines that a backslash at the end joins, as one line; comment and blank lines among them are none.

    A word that goes on over the end of a line is none that could be edited: it becomes a syntax error.
    """
    line = data[start:end]
    while True:
        bare = line.rstrip()
        going = bare.endswith(b"\\")
        masked += bare[:-1] if going else bare
        masked += b" " * (end - len(masked))
        if not going or end >= len(data):
            return end
        split = not bare[:-1].endswith((b" ", b"\t"))
        while True:
            begin, end = end + 1, _line_end(data, end + 1)
            line = data[begin:end]
            if (line.strip() and not line.lstrip().startswith(b"#")) or end >= len(data):
                break
        masked += b" " * (begin - len(masked))
        if split and line.strip() and not line.startswith((b" ", b"\t", b"&", b"|", b";")):
            masked[-1:] = b"("


def _until(data: bytes, end: int, word: bytes, masked: bytearray) -> int:
    while end < len(data):
        masked += b"\n"
        begin, end = end + 1, _line_end(data, end + 1)
        if data[begin:end].strip() == word:
            break
        masked += data[begin:end]
    return end


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _simples(node: object) -> Iterator[Simple]:
    if isinstance(node, Simple):
        yield node
    elif isinstance(node, tuple):
        for one in node:
            yield from _simples(one)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _simples(getattr(node, field.name))
