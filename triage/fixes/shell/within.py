"""A command more in a script that stands in another one's quotes, or on the line of a container that runs one."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.fixes.document import line_end, line_start
from triage.fixes.evaluate.invocation import Call
from triage.fixes.refusal import Refusal
from triage.fixes.shell.nested import HEREDOCS
from triage.fixes.shell.parse import has_errors, parse
from triage.fixes.shell.syntax import AndOr, Pipeline, Simple, Statement

# Commands of a shell that has others in it: what is joined to one of these may mean something else.
_COMPOUND = re.compile(
    rb"(?:\A|[\s;&|(!])(?:if|for|while|until|case|select|function|do|then|else|\{|!)(?=[\s;]|\Z)|\(\)"
)
_LEADS = re.compile(rb"(?:\A|&&|;|\n)(?:[ \t]|\\\r?\n)*\Z")
_FOLLOWS = re.compile(rb"(?:[ \t]|\\\r?\n)*(?:\Z|&&|;(?!;)|\r?\n)")
_SHOWING = ("tee", "cat", "grep", "tail", "head", "ts", "sed")
_NOTHING = ("true", ":", "echo")
# Of the shell itself: no program that a container could start.
_BUILTIN = frozenset(
    ("export", "cd", "source", ".", "set", "unset", "ulimit", "umask", "eval", "exec", "alias", "pushd", "popd", "trap",
     "shopt", "local", "declare", "read", "shift")
)  # fmt: skip


def goes_whole(rest: bytes) -> bool:
    """Whether what stands behind a command on its lines means nothing without it: redirections, a pipe into a program
    that only shows or keeps what comes, `|| true`."""
    quoted = rest.rstrip(b"\"'") if rest.strip(b"\"' \t") == b"" else rest
    match parse(b"x" + quoted):
        case (statement,):
            return _only(statement)
        case _:
            return False


def _only(statement: Statement) -> bool:
    match statement:
        case Simple():
            return True
        case Pipeline(stages):
            return all(isinstance(one, Simple) and _literal(one) in _SHOWING for one in stages[1:])
        case AndOr(left, "||", Simple() as right):
            return _only(left) and _literal(right) in _NOTHING
        case _:
            return False


def _literal(command: Simple) -> str:
    return (command.words[0].literal or "") if command.words else ""


def own_line(call: Call) -> Call:
    """The whole line that hands the command to a container."""
    return replace(call, start=call.lead, lead=-1) if call.lead >= 0 else call


def handed_over(data: bytes, call: Call, line: str) -> str | Refusal:
    """The line as the container's program runs it: with the words before the command, which stand on one line."""
    before = data[call.lead : call.start].decode("utf-8", "replace")
    statements = parse(line.encode())
    plain = statements[0] if len(statements) == 1 and not has_errors(line.encode()) else None
    if "\n" in before or not isinstance(plain, Simple) or plain.assignments or plain.redirects or not plain.words:
        return Refusal("the container's program runs one command, and no other can be put there", call.path, call.line)
    if plain.words[0].literal in _BUILTIN:
        return Refusal(f"`{plain.words[0].literal}` is no program that a container can run", call.path, call.line)
    return f"{before}{line}"


def keeps_within(data: bytes, call: Call, start: int, end: int, *, before: bool) -> bool:
    """Whether a line before or after the command's lines stands inside the quotes."""
    first, last = call.span
    begin = line_start(data, start)
    if before and data[first:begin].rstrip(b" \t\r\n").endswith((b"\\", b"|", b"&&")):
        return False
    whole = begin >= line_start(data, first) if call.nested[0] in HEREDOCS else begin > first
    return whole and (before or line_end(data, end) <= last)


def stays(data: bytes, call: Call, start: int, end: int) -> bool:
    """Whether the script has other lines, and the command's are whole lines of it."""
    first, last = call.span
    begin, stop = line_start(data, start), line_end(data, end)
    others = data[first:begin] + data[stop:last]
    return (
        first < begin
        and stop <= last
        and bool(others.strip())
        and not data[first:begin].rstrip().endswith((b"\\", b"|"))
    )


def join_within(data: bytes, call: Call, line: str, *, before: bool) -> tuple[int, str] | Refusal:
    """Where `&&` joins the line to the command, and the text that does."""
    first, last = call.span
    ahead, behind = data[first : call.start], data[call.end : last]
    if not call.insertable:
        return Refusal("this command is put together at run time", call.path, call.line)
    if _COMPOUND.search(data[first:last]) or not _LEADS.search(ahead) or not _FOLLOWS.match(behind) or "\n" in line:
        return Refusal("the command shares its line with others", call.path, call.line)
    return (call.start, f"{line} && ") if before else (call.end, f" && {line}")
