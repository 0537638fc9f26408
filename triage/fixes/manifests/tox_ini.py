"""What the environments of tox install: the option `deps` of an INI file's sections, one requirement a line.

A section that sets none has those of `[testenv]`. The lines are found by a scan that is checked against
`configparser`.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.manifests.ini import lines, read_ini
from triage.fixes.refusal import Refusal

_BASE = "testenv"


@dataclass(frozen=True, slots=True)
class Dep:
    """One line of `deps`, at bytes `start`..`end`; `inline`: it stands behind the option's name."""

    text: str
    start: int
    end: int
    inline: bool


@dataclass(frozen=True, slots=True)
class Environment:
    """`deps` are those that the environment has, its own or the base's; `extras` and `groups` are of the project."""

    section: str
    deps: tuple[Dep, ...]
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


def environment(data: bytes, name: str) -> Environment | Refusal:
    """What tox installs for an environment, "" for the one that all others are made after."""
    parser = read_ini(data)
    if isinstance(parser, Refusal):
        return parser
    own = f"{_BASE}:{name}"
    section = own if parser.has_option(own, "deps") else _BASE
    deps = tuple(_deps(data, section))
    said = parser.get(section, "deps", fallback="").split("\n")
    if [one.text for one in deps] != [text for line in said if (text := line.strip())]:
        return Refusal("is laid out in a way that is not understood (deps)")
    extras, groups = (_words(parser, own, option) for option in ("extras", "dependency_groups"))
    return Environment(section, deps, extras, groups)


def _words(parser: configparser.RawConfigParser, own: str, option: str) -> tuple[str, ...]:
    text = parser.get(own, option, fallback="") or parser.get(_BASE, option, fallback="")
    return tuple(word for word in re.split(r"[\s,]+", text) if word)


def _deps(data: bytes, wanted: str) -> Iterator[Dep]:
    held = (one for one in lines(data) if (one.section, one.option) == (wanted, "deps") and one.text)
    return (Dep(one.text, one.start, one.end, one.inline) for one in held)
