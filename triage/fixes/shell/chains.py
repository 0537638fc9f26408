"""A command more among those that `&&` and backslashes join in a RUN instruction of a Dockerfile."""

from __future__ import annotations

import re

from triage.fixes.document import eol_at, line_after, line_end, line_start
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
    return _own_line(data, call, line, why) if one.heredoc else _joined(data, one, call, line, why)


def remove_from_run(data: bytes, call: Call, *, why: str) -> tuple[Edit, ...] | Refusal:
    """The command's lines, where another command follows behind `&& \\`, or in a heredoc."""
    one = instruction_at(data, call.start)
    start, end = line_start(data, call.start), line_end(data, call.end)
    if isinstance(one, Refusal) or not call.insertable or data[start : call.start].strip():
        return _shared(call)
    if not (_NEXT.match(data[call.end : end]) or (one.heredoc and not data[call.end : end].strip())):
        return Refusal("nothing follows the command in its instruction", call.path, call.line)
    return (Edit(call.path, start, min(end + 1, len(data)), b"", why),)


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


def _own_line(data: bytes, call: Call, line: str, why: str) -> tuple[Edit, ...] | Refusal:
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
    if going := _NEXT.match(rest):
        sign = b"; \\" if going[1] == b";" else b" && \\"  # `; \` may stand before `fi` and its like
        return (Edit(call.path, end, end, eol + indent + line.encode() + sign, why),)
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
    following = line_after(data, call.start)
    line = data[following : line_end(data, following)] if following < one.end else b""
    return line[: len(line) - len(line.lstrip())] or _INDENT


def _shared(call: Call) -> Refusal:
    return Refusal("the command is joined with others in a way that takes no further one", call.path, call.line)
