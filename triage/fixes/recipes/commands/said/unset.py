"""A variable that nothing set, read where being empty is an answer: in a test, or to be put before itself."""

from __future__ import annotations

import re

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.said.quoting import state_at
from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.refusal import Refusal

_NAME = re.compile(r"[A-Za-z_]\w*\Z|[1-9]\Z")
# Tests in which the empty text is one of the cases.
_TEST = re.compile(r"(?:\[\[?|\btest)\s(?:[^\];&|]|\](?=[}\"]))*\Z")
# The test of one bracket, which sees the words that are left, and the place in it of a whole word.
_BARE = re.compile(r"(?:(?<!\[)\[|\btest)\s(?:[^\];&|]*\s)?\Z")
_NUMBERS = re.compile(r"\s-(?:eq|ne|lt|le|gt|ge)\s+")


def empty_default(said: Said) -> Outcome:
    """`[ -n "$X" ]` becomes `[ -n "${X:-}" ]`; `PATH=/a:$PATH` likewise."""
    if not _NAME.match(said.subject):
        return Refusal(f"`{said.subject}` is no variable")
    if not _comes_from_somewhere(said.script.text, said.subject):
        return Refusal(f"nothing gives {said.subject} a value: it is more than a default that lacks", said.script.path)
    read = re.compile(rf"\$(?:\{{{said.subject}(?P<item>\[[^\]\n]*\])?\}}|{said.subject}(?!\w))")
    start, spans, left = said.start(said.number), [], 0
    for found in read.finditer(said.line):
        state = state_at(said.line, found.start())
        if state in ("'", "#"):  # no read
            continue
        if _may_be_empty(said.line, found, said.subject):
            new = f"${{{said.subject}{found['item'] or ''}:-}}"
            # Without quotes it would be no word at all to `[`, and `[ -n ]` is true.
            new = f'"{new}"' if not state and _BARE.search(said.line[: found.start()]) else new
            spans.append((start + found.start(), start + found.end(), new))
        else:
            left += 1
    if not spans and re.search(rf"\$\{{{said.subject}(?:\[[^\]]*\])?:?-", said.line):
        return InPlace(f"line {said.number} gives {said.subject} a default")
    if left or not spans:
        return Refusal(f"line {said.number} needs a value of {said.subject}", said.script.path)
    why = f"`set -u` ends the script where {said.subject} is not set, which this line asks"
    return said.edited(spans, why, f"Let {said.subject} be empty where {said.script.path} asks whether it is set")


def _may_be_empty(line: str, found: re.Match[str], name: str) -> bool:
    at = found.start()
    before = line[:at]
    test = _TEST.search(before)
    if test and (test[0].count("$(") > test[0].count(")") or _counts(before, line[found.end() :])):
        return False
    itself = re.match(rf"\s*(?:export\s+)?{name}=", line) and before.endswith((":", '":'))
    first = re.match(rf"\s*(?:export\s+)?{name}=[\"']?\Z", before) and line[at:].lstrip("${}" + name)[:1] == ":"
    return bool(itself or first or test)


def _counts(before: str, after: str) -> bool:
    """Whether the test compares numbers, which nothing is none of."""
    return bool(
        _NUMBERS.search(re.split(r"\]|&&|\|\||;", after)[0]) or re.search(rf"{_NUMBERS.pattern}[\"']?\Z", before)
    )


def _comes_from_somewhere(text: str, name: str) -> bool:
    """An argument, a variable of the environment by its capitals, or one that some branch of the script sets."""
    set_here = rf"(?m)(?:^|[\s;(]){name}(?:\[[^\]\n]*\])?\+?=|\b(?:read|for|declare|local|typeset)\b[^\n;]*\b{name}\b"
    return name.upper() == name or re.search(set_here, text) is not None
