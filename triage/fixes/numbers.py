"""Numbers as programs and YAML read them, in ASCII: Python's own tests and `int` take the digits of every script."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_PLAIN = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")


def whole(text: str | None) -> int | None:
    """The whole number; None for what is none, or is longer than any count, size or limit that people write."""
    return int(text) if text is not None and _WHOLE.fullmatch(text) else None


def is_plain(text: str) -> bool:
    """Whether `text` is an unsigned number, with a point or without."""
    return _PLAIN.fullmatch(text) is not None
