"""Requirements of poetry's own tables: a name as the key, and a version in poetry's manner as the value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from triage.fixes.manifests import toml

_CARET = re.compile(r"\^\s*([0-9]+)(?:\.([0-9]+))?((?:\.\w+)*)\Z", re.ASCII)
_TILDE = re.compile(r"~\s*([0-9]+)(?:\.([0-9]+))?((?:\.\w+)*)\Z", re.ASCII)
_BARE = re.compile(r"[0-9][\w.*]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """`version` stands at `placed`; `extra` is "" for what is always installed, "group:NAME" for a group's."""

    name: str
    version: str
    extra: str
    placed: toml.Placed


def wanted(placed: tuple[toml.Placed, ...]) -> Iterator[Wanted]:
    for one in placed:
        match one.place:
            case ("tool", "poetry", "dependencies", str(name)) | (
                "tool",
                "poetry",
                "dependencies",
                str(name),
                "version",
            ):
                yield Wanted(name, one.value, "", one)
            case ("tool", "poetry", "dev-dependencies", str(name)) | (
                "tool", "poetry", "dev-dependencies", str(name), "version",
            ):  # fmt: skip
                yield Wanted(name, one.value, "group:dev", one)
            case ("tool", "poetry", "group", str(group), "dependencies", str(name)) | (
                "tool", "poetry", "group", str(group), "dependencies", str(name), "version",
            ):  # fmt: skip
                yield Wanted(name, one.value, f"group:{group}", one)
            case _:
                pass


def as_bounds(version: str) -> str:
    """`^1.2` as `>=1.2,<2`, `~1.2` as `>=1.2,<1.3`, `1.2` as `==1.2`, `*` as ""; other bounds as they are."""
    text = version.strip()
    caret, tilde = _CARET.match(text), _TILDE.match(text)
    if text == "*":
        return ""
    if caret:
        major, minor = int(caret[1]), caret[2]
        upper = f"{major + 1}" if major or minor is None else f"0.{int(minor) + 1}"
        return f">={text.lstrip('^ ')},<{upper}"
    if tilde:
        upper = f"{tilde[1]}.{int(tilde[2]) + 1}" if tilde[2] is not None else f"{int(tilde[1]) + 1}"
        return f">={text.lstrip('~ ')},<{upper}"
    return f"=={text}" if _BARE.match(text) else text
