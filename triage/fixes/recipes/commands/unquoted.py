"""A quote of a script that is never closed: the one line at whose end a closing one lets the shell read the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.document import indent_of

# What stands alone on a line and ends a block, which no argument of a command is.
_END = re.compile(r"[ \t]*(?:fi|done|esac)[ \t]*;?[ \t]*\Z")
_BEGIN = {
    "fi": re.compile(r"[ \t]*if\b"),
    "done": re.compile(r"[ \t]*(?:for|while|until)\b"),
    "esac": re.compile(r"[ \t]*case\b"),
}
_SINGLE = re.compile(r"'[^']*'")
_ESCAPED = re.compile(r"\\.")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")


def unquoted(lines: Sequence[str]) -> Iterator[tuple[int, str, int, str]]:
    """(line, its closed text, line of the block's end behind it or -1, that line in its block's column): each line that
    may lack the quote. Whoever asks tries them; one alone must let the shell read the script."""
    for at, line in enumerate(lines):
        if not _odd(line):
            continue
        last = at
        while lines[last].endswith("\\") and last + 1 < len(lines) and not _END.match(lines[last + 1]):
            last += 1
            if _odd(lines[last]):
                break
        if last != at and _odd(lines[last]):
            continue
        end = last + 1 if last + 1 < len(lines) and lines[last].endswith("\\") and _END.match(lines[last + 1]) else -1
        closed = lines[last].rstrip("\\").rstrip() + '"'
        yield last, closed, end, _in_column(lines, end) if end >= 0 else ""


def _odd(line: str) -> bool:
    """Whether a double quote of the line has no partner in it."""
    text = _SINGLE.sub("", _ESCAPED.sub("", line.rstrip("\\")))
    return _COMMENT.sub("", text).count('"') % 2 == 1


def _in_column(lines: Sequence[str], end: int) -> str:
    """The end of a block, as far right as its nearest beginning that no other end has taken."""
    word = lines[end].strip().rstrip("; \t")
    left = 1
    for line in reversed(lines[:end]):
        if _END.match(line) and line.strip().rstrip("; \t") == word:
            left += 1
        elif _BEGIN[word].match(line):
            left -= 1
            if not left:
                return line[: indent_of(line.encode())] + lines[end].lstrip()
    return lines[end]
