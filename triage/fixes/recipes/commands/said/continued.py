"""An argument that the shell took for a command: the line before it does not go on, or a comment, an empty line, or
blanks behind the backslash end it. What stood between is moved above the command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.said.quoting import has_comment, in_here_document, state_at
from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.refusal import Refusal

# An option, or an override with a dotted key: nobody's command.
_ARGUMENT = re.compile(r"--?[A-Za-z]|\+{0,2}[A-Za-z_]\w*(?:\.\w+)+=")
# What ends a command, or has none yet to which an argument could belong.
_ENDS = re.compile(r"(?:[;&|({]|\b(?:then|do|else|fi|done|esac|in))[ \t]*\Z")
_NO_COMMAND = re.compile(r"[ \t]*(?:(?:fi|done|esac|then|do|else|if|for|while|case)\b|[})#]|\w+=\(|\w+\(\))")
_MOST_BETWEEN = 8


@dataclass(frozen=True, slots=True)
class _Gap:
    """Lines, from 0: `last` is the command's before the argument, `first` the one that it begins on."""

    first: int
    last: int
    argument: int

    @property
    def between(self) -> range:
        return range(self.last + 1, self.argument)


def continue_command(said: Said) -> Outcome:
    if not _ARGUMENT.match(said.subject):
        return Refusal(f"`{said.subject}` may be a command")
    lines = said.lines
    found = [at for at in range(len(lines)) if _begins(lines[at], said.subject) and not _in_text(said, at)]
    named = [at for at in found if at == said.number - 1] or found
    torn = [gap for at in named if (gap := _gap(lines, at)) is not None]
    if named and not torn:
        return InPlace(f"{said.script.path} hands `{said.subject}` to the command above it")
    if len(torn) != 1:
        return Refusal(f"not just one line of {said.script.path} begins with `{said.subject}`", said.script.path)
    return _joined(said, torn[0])


def _begins(line: str, word: str) -> bool:
    """The log has the word with its variables and quotes gone: as far as the first of them it is the same."""
    first = line.split(None, 1)[0] if line.strip() else ""
    plain = re.split(r"[$\"'`\\]", first, maxsplit=1)[0]
    return bool(_ARGUMENT.match(plain)) and (word == first or (plain != first and word.startswith(plain)))


def _in_text(said: Said, at: int) -> bool:
    return in_here_document(said.script.text, said.start(at + 1))


def _gap(lines: Sequence[str], argument: int) -> _Gap | None:
    """None where the line before goes on."""
    last = argument - 1
    while last >= 0 and (not lines[last].strip() or _is_comment(lines[last])):
        last -= 1
    if last < 0 or (last == argument - 1 and _goes_on(lines[last])):
        return None
    first = last
    while first > 0 and _goes_on(lines[first - 1]):
        first -= 1
    return _Gap(first, last, argument)


def _goes_on(line: str) -> bool:
    return re.search(r"(?<!\\)(?:\\\\)*\\\Z", line) is not None and not has_comment(line)


def _joined(said: Said, gap: _Gap) -> Outcome:
    """With the gap the further ones of the same command, which nothing has run into yet."""
    lines, path = said.lines, said.script.path
    gaps = [gap, *_further(lines, gap)]
    refused = next((why for one in gaps if (why := _doubt(lines, one))), "")
    if refused:
        return Refusal(f"`{said.subject}`: {refused}", path)
    indent = lines[gap.first][: len(lines[gap.first]) - len(lines[gap.first].lstrip())]
    new = list(lines)
    kept: list[str] = []
    promised: list[str] = []
    for one in reversed(gaps):
        code, comment = _parted(lines[one.last])
        kept[:0] = [lines[at].strip() for at in one.between if lines[at].strip()] + ([comment] if comment else [])
        new[one.last : one.argument] = [f"{_body(code)} \\"]
        promised.append("\n".join(line.lstrip() for line in new[one.last : one.last + 2]))
    new[gap.first : gap.first] = [indent + one for one in kept]
    why = f"`{said.subject}` is an argument of the command above it"
    return said.reread(
        new, promised, why, f"Continue the command at {path}:{said.script.line(said.start(gap.last + 1))}"
    )


def _body(code: str) -> str:
    return re.sub(r"[ \t]*\\?[ \t]*\Z", "", code)


def _further(lines: Sequence[str], gap: _Gap) -> list[_Gap]:
    found, at = [], gap.argument
    while at < len(lines):
        while at < len(lines) - 1 and _goes_on(lines[at]) and lines[at + 1].strip() and not _is_comment(lines[at + 1]):
            at += 1
        behind = next(
            (here for here in range(at + 1, len(lines)) if lines[here].strip() and not _is_comment(lines[here])), -1
        )
        torn = _gap(lines, behind) if behind > 0 and re.match(r"[ \t]*--?[A-Za-z]", lines[behind]) else None
        if torn is None or _doubt(lines, torn):
            break
        found.append(torn)
        at = behind
    return found


def _doubt(lines: Sequence[str], gap: _Gap) -> str:
    """Why the argument may belong to nothing above it; "" where it belongs there."""
    code = _parted(lines[gap.last])[0]
    body = _body(code)
    if (
        len(gap.between) > _MOST_BETWEEN
        or _ENDS.search(body)
        or _NO_COMMAND.match(lines[gap.first])
        or not body.strip()
    ):
        return "nothing above is a command that it can belong to"
    if gap.between and not code.rstrip().endswith("\\"):
        return "nothing says that it belongs to the command above the gap"
    return ""


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _parted(line: str) -> tuple[str, str]:
    """A line's command and its comment."""
    at = next((at for at in range(len(line)) if line[at] == "#" and state_at(line, at + 1) == "#"), len(line))
    return line[:at], line[at:].rstrip()
