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
    fault = _compile_fault(pattern)
    if fault:
        yield f"does not compile ({fault})"
        return
    compiled = re2.compile(pattern, _quiet())
    if compiled.groups != len(compiled.groupindex):
        yield "unnamed group (write (?:...) or (?P<name>...))"
    if pattern.lstrip("^").startswith(".*"):
        yield "leading .* (it only costs time: patterns may hit anywhere in the line)"
    if compiled.search("") is not None:
        yield "hits an empty line, so every line"
    if _NESTED.search(pattern):
        yield "nested quantifier"


def compiles(pattern: str) -> bool:
    return not _compile_fault(pattern)


def largest_repeat(pattern: str) -> int:
    """The largest bound of a {n,m} outside classes and escapes; 0 without one."""
    bounds = [0]
    for at, character in _bare(pattern):
        if character == "{" and (found := _REPEAT.match(pattern, at)):
            bounds += [int(bound) for bound in found.groups() if bound]
    return max(bounds)


def _quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options


@functools.cache
def _compile_fault(pattern: str) -> str:
    try:
        re2.compile(pattern, _quiet())
    except re2.error as fault:
        reason = fault.args[0] if fault.args else "no reason given"
        return reason.decode() if isinstance(reason, bytes) else str(reason)
    return ""


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
