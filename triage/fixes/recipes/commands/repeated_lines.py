"""The lines of a script that a loop may hold: commands that stand alone on their lines, one below the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from triage.fixes.document import line_end, line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree

# More lines than this are no single download any more.
_MOST = 3
_COMMENT = re.compile(rb"[ \t]+#[^\n]*|[ \t]*")
_WRITTEN = re.compile(rb"(?:[ \t]+(?:[012]?>|&>)(?!>)[ \t]*[\w./${}\"-]+|[ \t]+2>&1)+")
# What a pipe hands its output to, as long as nothing else is done on the line.
_PIPED = re.compile(rb"[ \t]*\|[ \t]*(?![|&])[^\n;&|<>`#\\]+(?:\|[ \t]*(?![|&])[^\n;&|<>`#\\]+)*")
_PIPEFAIL = re.compile(r"(?m)^\s*set\s[^\n#]*?([-+])(?:[a-zA-Z]*o)\s+pipefail")


@dataclass(frozen=True, slots=True)
class Lines:
    """Bytes of `path`. `parts` are start, end of the command with its pipe, and end of its line, of each."""

    path: str
    parts: tuple[tuple[int, int, int], ...]
    piped: bool

    @property
    def start(self) -> int:
        return self.parts[0][0]

    @property
    def end(self) -> int:
        return self.parts[-1][2]


def lines_of_calls(tree: Tree, found: Sequence[Invocation]) -> Lines | Refusal:
    """The commands, when nothing but line breaks stands between them."""
    calls = [one.calls for one in found]
    path = calls[0][-1].path if calls else ""
    if not calls or len(calls) > _MOST or any(chain[-1].path != path for chain in calls):
        return Refusal("the commands do not stand together")
    first = calls[0][-1]
    # `bash -c "..."` is a command in the same file: its text has quotes around it.
    if any(len({call.path for call in chain}) != len(chain) or not chain[-1].insertable for chain in calls):
        return Refusal("the command is put together at run time", path, first.line)
    if is_dockerfile(path):
        return Refusal("the command is one of an instruction of a Dockerfile", path, first.line)
    data = tree.read(path)
    parts = [_part(data, chain[-1]) for chain in sorted(calls, key=lambda chain: chain[-1].start)]
    good = [part for part in parts if part is not None]
    # A comment would take the sign that leads to the next line.
    together = all(not data[one[1] : other[0]].strip() for one, other in pairwise(good))
    if len(good) != len(parts) or not together or len({_column(data, part[0]) for part in good}) > 1:
        return Refusal("the command shares its line with others", path, first.line)
    return Lines(path, tuple(good), any(b"|" in data[call[-1].end : part[1]] for call, part in _paired(calls, good)))


def _paired(
    calls: Sequence[tuple[Call, ...]], parts: Sequence[tuple[int, int, int]]
) -> list[tuple[tuple[Call, ...], tuple[int, int, int]]]:
    return list(zip(sorted(calls, key=lambda chain: chain[-1].start), parts, strict=True))


def _column(data: bytes, start: int) -> bytes:
    return data[line_start(data, start) : start]


def _part(data: bytes, call: Call) -> tuple[int, int, int] | None:
    """None where the line holds something else."""
    head = data[line_start(data, call.start) : call.start]
    stop = line_end(data, call.end)
    end = call.start + len(data[call.start : call.end].rstrip())
    for form in (_WRITTEN, _PIPED):
        if found := form.match(data, end, stop):
            end = found.end()
    end = call.start + len(data[call.start : end].rstrip())
    if not _COMMENT.fullmatch(data, end, stop):
        return None
    one_line = re.fullmatch(rb"\s*(?:- +)?run: *", head)
    return None if head.strip() and not one_line else (call.start, end, stop)


def fails_as_a_whole(data: bytes, lines: Lines, shell: str, *, of_script: bool) -> bool:
    """Whether a command that fails before a pipe fails the pipe. `shell: bash` alone is `bash -eo pipefail` for
    GitHub; a script of its own starts without."""
    begin = 0 if of_script else max(data.rfind(b"run:", 0, lines.start), 0)
    said = _PIPEFAIL.findall(data[begin : lines.start].decode("utf-8", "replace"))
    return said[-1] == "-" if said else not of_script and (shell == "bash" or "pipefail" in shell)
