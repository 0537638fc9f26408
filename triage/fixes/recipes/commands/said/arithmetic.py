"""A version's part such as `10rc0` in an arithmetic expansion: its digits alone are counted with."""

from __future__ import annotations

import re

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.refusal import Refusal

_EXPANSION = re.compile(r"\$\(\((?P<body>[^()]*)\)\)|\(\((?P<test>[^()]*)\)\)")
_VARIABLE = re.compile(r"\$?\{?(?P<name>[A-Za-z_]\w*)\}?")
# Where a line more before this one runs at another time, or not at all; and what cannot be given another value.
_WITHIN = re.compile(r"\s*(?:elif|else|while|until|for|\}|\)|&&|\|)")
_GOES_ON = re.compile(r"(?:\\|&&|\|\|?)\s*\Z")
# A release's suffix: of a candidate, a development or post release, or a local build.
_PART = re.compile(r"[0-9]+[._-]?[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z][A-Za-z0-9]*)*(?:\+[\w.]+)?\Z")


def count_digits(said: Said) -> Outcome:
    if not _PART.match(said.subject):
        return Refusal(f"`{said.subject}` is no number with a suffix")
    inside = [one["body"] or one["test"] for one in _EXPANSION.finditer(said.line)]
    names = {one["name"] for body in inside for one in _VARIABLE.finditer(body)}
    if len(names) != 1:
        return Refusal(f"line {said.number} does not count with one variable", said.script.path)
    (name,) = names
    above = said.lines[said.number - 2] if said.number > 1 else ""
    if _WITHIN.match(said.line) or _GOES_ON.search(above):
        return Refusal(f"line {said.number} is no command that another one can stand before", said.script.path)
    if re.search(rf"\b(?:readonly|(?:declare|local|typeset)[ \t]+-\w*r\w*)\b[^\n]*\b{name}\b", said.script.text):
        return Refusal(f"{name} cannot be given another value", said.script.path)
    strip = f"{name}=${{{name}%%[!0-9]*}}"
    title = f"Count with the digits of {name} alone"
    return said.with_line(said.number, strip, f"`{said.subject}` is no number", title)
