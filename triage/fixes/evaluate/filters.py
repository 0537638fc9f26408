"""Text programs in a pipe whose output follows from their input: `echo PATH | sed 's#old#new#'`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.evaluate.values import ONE_WORD, Piece, SiteKind, Value

_PLAIN = re.compile(r"[\w /,:;=@%#~<>!'\"-]")
_LEAST, _PARTS = 4, 3


def filtered(name: str, words: Sequence[Value], given: Value | None) -> Value | None:
    """What the program prints; None where that does not follow (another program, options, a real pattern)."""
    if given is None:
        return None
    if name == "cat" and len(words) == 1:
        return given
    script = words[1].text if name == "sed" and len(words) == 2 else None
    found = substitution(script) if script is not None else None
    if found is None or any(piece.text is None and piece.name not in ONE_WORD for piece in given.pieces):
        return None
    pattern, new, every = found
    return _replaced(given, pattern, new, every)


def substitution(script: str) -> tuple[re.Pattern[str], str, bool] | None:
    """Of `s<d>old<d>new<d>` with the flag g or none: texts and dots, which every dialect of patterns reads alike."""
    if len(script) < _LEAST or script[0] != "s":
        return None
    parts = script[2:].split(script[1])
    if len(parts) != _PARTS or parts[2] not in ("", "g") or set(parts[1]) & set("\\&\n") or not parts[0]:
        return None
    old = parts[0].removeprefix("^").removesuffix("$")
    if not old or not all(char == "." or _PLAIN.match(char) for char in old):
        return None
    head, tail = "^" * parts[0].startswith("^"), "$" * parts[0].endswith("$")
    return (
        re.compile(head + "".join("." if char == "." else re.escape(char) for char in old) + tail),
        parts[1],
        bool(parts[2]),
    )


def _replaced(given: Value, pattern: re.Pattern[str], new: str, every: bool) -> Value | None:
    """Within the known parts. Anchors count at the ends of the whole text only; several lines are left alone."""
    texts = [piece.text for piece in given.pieces if piece.text is not None]
    if any("\n" in text.removesuffix("\n") for text in texts):
        return None
    pieces: list[Piece] = []
    done = False
    for at, piece in enumerate(given.pieces):
        text = piece.text
        starts, ends = at == 0, at == len(given.pieces) - 1 or given.pieces[at + 1].text == "\n"
        usable = (starts or not pattern.pattern.startswith("^")) and (ends or not pattern.pattern.endswith("$"))
        if text is None or not usable or (done and not every) or not pattern.search(text):
            pieces.append(piece)
            continue
        written = pattern.sub(lambda _: new, text, count=0 if every else 1)
        site = replace(piece.site, kind=SiteKind.COMPUTED) if piece.site is not None else None
        pieces.append(Piece(written, site, piece.via, piece.name))
        done = True
    return Value(tuple(pieces))
