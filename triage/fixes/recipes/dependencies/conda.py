"""What conda, mamba and micromamba install: the commands that name packages, and how their specs read.

`name=1.2` is the series 1.2, `name==1.2` and `name=1.2=build` the release; bounds are written as pip's are
(https://docs.conda.io/projects/conda-build/en/stable/resources/package-spec.html#package-match-specifications).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.requirements import Named, normalised

PROGRAMS = ("conda", "mamba", "micromamba")
# Options that take the next word.
_TAKES = frozenset(
    (
        "-n", "--name", "-p", "--prefix", "-c", "--channel", "-f", "--file", "--solver", "--subdir", "--platform",
        "--repodata-fn", "--revision", "--experimental", "--clone", "--log-level", "-r", "--root-prefix",
    )
)  # fmt: skip
# Packages that conda-forge's channels call otherwise than PyPI does (https://github.com/prefix-dev/parselmouth).
_ON_PYPI = {
    "pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch", "opencv": "opencv-python",
    "py-opencv": "opencv-python", "msgpack-python": "msgpack", "ray-core": "ray", "ray-default": "ray",
    "pytables": "tables", "python-graphviz": "graphviz", "python-build": "build",
}  # fmt: skip
_SPEC = re.compile(r"(?P<written>(?:[\w./-]+::)?(?P<name>[A-Za-z0-9_][\w.-]*?))\s*(?P<pin>[=<>!~].*)?", re.ASCII)
_EPOCH = r"(?:[0-9]+!)?"
_ONE = re.compile(
    rf"(?P<sign>={{1,2}})\s*(?P<version>{_EPOCH}[0-9][\w.]*?)(?P<local>\+[\w.]+)?(?P<star>\.?\*)?(?P<build>=\S+)?",
    re.ASCII,
)
_BOUND = re.compile(r"(?:<=|>=|!=|~=|<|>)\s*[0-9][\w.]*", re.ASCII)
_SERIES = re.compile(rf"==({_EPOCH}[\w.]+?)\.\*", re.ASCII)


def by_conda(invocations: Iterable[Invocation]) -> tuple[Install, ...]:
    """`conda install` and `conda create`, with the packages whose specs pip's words can say."""
    return tuple(found for one in invocations if (found := _install(one)) is not None)


def _install(one: Invocation) -> Install | None:
    words = [value.text or "" for value in one.program]
    if not one.calls or one.substitution or not words or posixpath.basename(words[0]) not in PROGRAMS:
        return None
    at = next((at for at, word in enumerate(words[1:], 1) if not word.startswith("-")), 0)
    if not at or words[at] not in ("install", "create"):
        return None
    call, given = one.calls[-1], _packages(one.program[at + 1 :])
    named = tuple((found, value) for value in given for found in read_spec(value.text or "", call.path, call.line))
    return Install(one, tuple(words[:at]), words[at], named=named)


def _packages(words: Iterable[Value]) -> Iterator[Value]:
    rest = iter(words)
    for value in rest:
        word = value.text or ""
        if word in _TAKES:
            next(rest, None)
        elif word and not word.startswith("-"):
            yield value


def read_spec(text: str, path: str, line: int) -> Iterator[Named]:
    """One package, named as on PyPI and with pip's bounds; none for a spec that they cannot say."""
    found = _SPEC.fullmatch(text.partition(" #")[0].strip())
    pin = _as_pip(found["pin"] or "") if found is not None else None
    if found is not None and pin is not None:
        yield Named(_name(found["name"]), text, pin, path, line, bare=found["written"])


def names_it(text: str, name: str) -> bool:
    """Whether a spec is one of the distribution, however it is bounded."""
    found = re.match(r"(?:[\w./-]+::)?([A-Za-z0-9_][\w.-]*)", text, re.ASCII)
    return found is not None and _name(found[1]) == normalised(name)


def _name(written: str) -> str:
    return _ON_PYPI.get(written.lower(), normalised(written))


def _as_pip(pin: str) -> str | None:
    """Pip's words for all that is between commas; None where it has none for a part."""
    parts = [_part(one.strip()) for one in pin.split(",")] if pin.strip() else []
    return None if None in parts else ",".join(part for part in parts if part is not None)


def _part(text: str) -> str | None:
    one = _ONE.fullmatch(text)
    if one is None:
        return text.replace(" ", "") if _BOUND.fullmatch(text) else None
    if one["local"]:
        # Pip has no series of versions with a local part (https://peps.python.org/pep-0440/#version-matching).
        return None if one["star"] else f"=={one['version']}{one['local']}"
    exact = one["build"] or (one["sign"] == "==" and not one["star"])
    return f"=={one['version']}" if exact else f"=={one['version']}.*"


def as_conda(spec: str) -> str:
    """A spec in conda's words: of `==1.2.*` it would read `==1.2`."""
    return _SERIES.sub(r"=\1", spec)
