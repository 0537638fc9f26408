"""How a place of a shell's line is quoted, and which places of a script are no commands at all."""

from __future__ import annotations

import re

_HERE = re.compile(r"<<-?[ \t]*[\\\"']?(?P<word>[A-Za-z_]\w*)[\"']?[^\n]*\n")


def state_at(line: str, at: int) -> str:
    """`"` or `'` inside of such quotes, `#` inside of a comment, else ""."""
    state, here = "", 0
    while here < at:
        sign = line[here]
        if sign == "\\" and state != "'":
            here += 1
        elif state in ("'", '"'):
            state = "" if sign == state else state
        elif sign in ("'", '"'):
            state = sign
        elif sign == "#" and (here == 0 or line[here - 1] in " \t;"):
            return "#"
        here += 1
    return state


def line_state(text: str, at: int) -> str:
    """The same for a place of a whole script, by its own line."""
    start = text.rfind("\n", 0, at) + 1
    return state_at(text[start:at], at - start)


def has_comment(line: str) -> bool:
    return state_at(line, len(line)) == "#"


def in_here_document(text: str, at: int) -> bool:
    """Whether a place is text that is handed to a command."""
    for found in _HERE.finditer(text):
        end = re.search(rf"(?m)^[ \t]*{found['word']}[ \t]*$", text[found.end() :])
        if found.end() <= at < found.end() + (end.start() if end else len(text)):
            return True
    return False
