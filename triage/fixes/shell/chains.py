"""A command more among those that `&&` and backslashes join in a RUN instruction of a Dockerfile."""

from __future__ import annotations

import re

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.invocation import Call
from triage.fixes.manifests.dockerfile import Instruction, instruction_at
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit

_NEXT = re.compile(rb"[ \t]*(&&|;)[ \t]*\\[ \t]*\r?\Z")
_INDENT = b"    "


def insert_in_run(data: bytes, call: Call, line: str, *, why: str, before: bool = False) -> tuple[Edit, ...] | Refusal:
    """`line` runs after (or before) the command, only where that succeeded; a heredoc takes it on a line of its own."""
    one = instruction_at(data, call.start)
    if isinstance(one, Refusal) or one.name != "RUN" or not call.insertable:
        return Refusal("the command is in no instruction that can take another one", call.path, call.line)
    if before:
        return _before(data, one, call, line, why)
    return _own_line(data, one, call, line, why) if one.heredoc else _joined(data, one, call, line, why)


def removable(data: bytes, call: Call) -> bool:
    """Whether the command's lines can go: another one follows behind `&& \\`, or it stands in a heredoc."""
    one = instruction_at(data, call.start)
    if isinstance(one, Refusal):
        return False
    return one.heredoc or bool(_NEXT.match(data[call.end : line_end(data, call.end)]))


def _before(data: bytes, one: Instruction, call: Call, line: str, why: str) -> tuple[Edit, ...] | Refusal:
    head = data[line_start(data, call.start) : call.start]
    if one.heredoc:
        if head.strip():
            return _shared(call)
        new = line.encode() + eol_at(data, call.start) + head
        return (Edit(call.path, call.start, call.start, new, why),)
    if not _leads(data, one, call):
        return _shared(call)
    new = line.encode() + b" && \\" + eol_at(data, call.start) + _indent(data, one, call)
    return (Edit(call.path, call.start, call.start, new, why),)


def _leads(data: bytes, one: Instruction, call: Call) -> bool:
    """Whether the command is the first one, or follows `&&` or `;` directly."""
    before = one.shell[: call.start].rstrip()
    return not before or before.endswith((b"&&", b";")) or not data[one.start : call.start].strip()


def _own_line(data: bytes, one: Instruction, call: Call, line: str, why: str) -> tuple[Edit, ...] | Refusal:
    end = line_end(data, call.end)
    head = data[line_start(data, call.start) : call.start]
    if head.strip() or data[call.end : end].strip():
        return _shared(call)
    return (Edit(call.path, end, end, eol_at(data, call.start) + head + line.encode(), why),)


def _joined(data: bytes, one: Instruction, call: Call, line: str, why: str) -> tuple[Edit, ...] | Refusal:
    if not _leads(data, one, call):
        return _shared(call)
    end = line_end(data, call.end)
    rest, eol, indent = data[call.end : end], eol_at(data, call.start), _indent(data, one, call)
    if _NEXT.match(rest):
        return (Edit(call.path, end, end, eol + indent + line.encode() + b" && \\", why),)
    if not data[call.end : one.end].strip():
        return (Edit(call.path, call.end, call.end, b" && \\" + eol + indent + line.encode(), why),)
    if rest.lstrip().startswith((b"&&", b";")):
        return (Edit(call.path, call.end, call.end, b" && " + line.encode(), why),)
    return _shared(call)


def _indent(data: bytes, one: Instruction, call: Call) -> bytes:
    """That of the command; on the instruction's first line, that of the next one."""
    start = line_start(data, call.start)
    if start > one.named:
        line = data[start : line_end(data, start)]
        return line[: len(line) - len(line.lstrip())]
    following = line_end(data, call.start) + 1
    line = data[following : line_end(data, following)] if following < one.end else b""
    return line[: len(line) - len(line.lstrip())] or _INDENT


def _shared(call: Call) -> Refusal:
    return Refusal("the command is joined with others in a way that takes no further one", call.path, call.line)
