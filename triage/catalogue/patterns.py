"""What may be wrong with one RE2 pattern, before any log is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import re2

MAX_REPEAT = 255

# A group that is nothing but one repeated atom, repeated again: (a+)*. RE2 stays linear; the writer meant less.
_NESTED = re.compile(r"\((?:\?:|\?P<\w+>)?(?:\\.|\[[^\]]+\]|[^()\\\[\]])[*+]\)[*+]")
_REPEAT = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def faults(pattern: str) -> Iterator[str]:
    """Sentences; none when the pattern is fit for use."""
    found = compiled(pattern)
    if isinstance(found, str):
        yield f"does not compile ({found})"
        return
    if found.groups != len(found.groupindex):
        yield "unnamed group (write (?:...) or (?P<name>...))"
    if pattern.lstrip("^").startswith(".*"):
        yield "leading .* (it only costs time: patterns may hit anywhere in the line)"
    if found.search(b"") is not None:
        yield "hits an empty line, so every line"
    if _NESTED.search(pattern):
        yield "nested quantifier"


def compiles(pattern: str) -> bool:
    return not isinstance(compiled(pattern), str)


def largest_repeat(pattern: str) -> int:
    """The largest bound of a {n,m} outside classes and escapes; 0 without one."""
    bounds = [0]
    for at, character in _bare(pattern):
        if character == "{" and (found := _REPEAT.match(pattern, at)):
            bounds += [int(bound) for bound in found.groups() if bound]
    return max(bounds)


@functools.lru_cache(maxsize=64)
def compiled(pattern: str) -> re2._Regexp | str:
    """For UTF-8 bytes; a str says why it does not compile.

    Kept while one signature is checked, for several checks ask; all at once would take 60 MB.
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as fault:
        reason = fault.args[0] if fault.args else "no reason given"
        return reason.decode() if isinstance(reason, bytes) else str(reason)


def _bare(pattern: str) -> Iterator[tuple[int, str]]:
    """Characters that are syntax: outside classes, not escaped."""
    at, in_class = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
            continue
        if in_class:
            in_class = character != "]" or pattern[at - 1] == "["
        elif character == "[":
            in_class = True
        else:
            yield at, character
        at += 1
