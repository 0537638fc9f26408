"""What a model refuses, in words for the person who wrote the file: `must be root, symptom or wrapper`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

_DAY = "must be a day such as 2026-12-31"
_TEXT, _WHOLE, _TRUTH, _LIST, _KEYS = (
    "must be text", "must be a whole number", "must be true or false", "must be a list", "must hold keys of its own",
)  # fmt: skip
_KINDS = {
    "string_type": _TEXT,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _KEYS,
    "model_type": _KEYS,
    "model_attributes_type": _KEYS,
    "dataclass_type": _KEYS,
    "date_type": _DAY,
    "date_parsing": _DAY,
    "date_from_datetime_parsing": _DAY,
    "date_from_datetime_inexact": _DAY,
}
_DAYS = r"^\d{4}-\d{2}-\d{2}$"
_WORDS = re.compile(r"\^\(([\w|]+)\)\$\Z")
_QUOTED = re.compile(r"'([^']*)'")


def place(path: Iterable[str | int]) -> str:
    """`knob` of a path; where lists lead to it, which entry: "`with.knob` of entry 1 of `fixes`"."""
    parts: list[list[str] | int] = []
    for step in path:
        if isinstance(step, int):
            parts.append(step)
        elif parts and isinstance(parts[-1], list):
            parts[-1].append(step)
        else:
            parts.append([step])
    return " of ".join(
        f"entry {part + 1}" if isinstance(part, int) else f"`{'.'.join(part)}`" for part in reversed(parts)
    )


def said(error: Mapping[str, Any], path: tuple[str | int, ...], known: Iterable[str] = ()) -> str:
    """One error of pydantic's as a sentence about the value at `path`; `known` are the keys that may stand there."""
    kind = error["type"]
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        within = place(path[:-1])
        return f"unknown key `{path[-1]}`{f' in {within}' if within else ''}{meant(str(path[-1]), known)}"
    if kind.startswith("missing"):
        return f"{place(path)} is missing"
    where = place(path)
    return f"{where} {_must(error)}" if where else f"the file {_must(error)}"


def meant(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; `{close[0]}` was meant?" if close else ""


def _must(error: Mapping[str, Any]) -> str:
    kind, limits = error["type"], error.get("ctx", {})
    match kind:
        case "enum" | "literal_error":
            return _one_of(_QUOTED.findall(limits["expected"]), error["input"])
        case "union_tag_invalid":
            names = _QUOTED.findall(limits["expected_tags"])
            return f"names no recipe that there is{meant(str(limits['tag']), names)}"
        case "greater_than_equal":
            return f"must be {limits['ge']:g} or more"
        case "less_than_equal":
            return f"must be at most {limits['le']:g}"
        case "string_too_short":
            return "must not be empty"
        case "string_too_long":
            return f"must have at most {limits['max_length']} characters"
        case "too_short":
            entries = "entry" if limits["min_length"] == 1 else "entries"
            return f"must have at least {limits['min_length']} {entries}"
        case "string_pattern_mismatch":
            if words := _WORDS.match(limits["pattern"]):
                return _one_of(words[1].split("|"), error["input"])
            return _DAY if limits["pattern"] == _DAYS else f"must have the form {limits['pattern']}"
        case "value_error":
            return f"is not right: {error['msg'].removeprefix('Value error, ')}"
        case _:
            rest = error["msg"].removeprefix("Input should be ")
            return _KINDS.get(kind, f"must be {rest}" if rest != error["msg"] else f"is not right: {rest}")


def _one_of(words: list[str], given: object) -> str:
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    return f"must be {listed}{meant(given, words) if isinstance(given, str) else ''}"
