"""Text as it is written inside a scalar of each style. What a style cannot hold is refused, never approximated."""

from __future__ import annotations

import re

from triage.fixes.refusal import Refusal

# Plain scalars that YAML or GitHub reads as text, whatever version of YAML: no booleans, numbers, nulls.
_PLAIN = re.compile(r"[A-Za-z_./~^][\w./+~^=,:@%-]*", re.A)
_NOT_TEXT = re.compile(r"(?i:true|false|yes|no|on|off|y|n|null|~|\.inf|\.nan)|[0-9._+-]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n"}


def encoded(text: str, style: str, *, inside: bool = True) -> str | Refusal:
    """One line of text inside a scalar of this style; `inside`: other text of the scalar stands before it."""
    if "\n" in text or _CONTROL.search(text):
        return Refusal("a text of several lines, or with control characters, cannot be put inside a scalar")
    match style:
        case '"':
            return "".join(_ESCAPES.get(char, char) for char in text)
        case "'":
            return text.replace("'", "''")
        case "|" | ">":
            return text
        case _:
            return _plain(text, inside=inside)


def _plain(text: str, *, inside: bool) -> str | Refusal:
    if ": " in text or " #" in text or text.endswith((":", " ")) or (not inside and not is_plain(text)):
        return Refusal(f"`{text}` would end or change a plain YAML scalar")
    return text


def is_plain(text: str) -> bool:
    """Whether a text is read as that text without quotes."""
    return bool(_PLAIN.fullmatch(text)) and not _NOT_TEXT.fullmatch(text) and not text.endswith(":")


def quoted(text: str) -> str | Refusal:
    """A double-quoted scalar."""
    inner = encoded(text, '"')
    return inner if isinstance(inner, Refusal) else f'"{inner}"'
