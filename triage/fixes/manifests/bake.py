"""Targets of a `docker buildx bake` file, HCL or JSON: which Dockerfile, which folder, which tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NAMES = ("docker-bake.hcl", "docker-bake.json", "docker-bake.override.hcl", "docker-bake.override.json")
_TARGET = re.compile(r'^[ \t]*target[ \t]+"([\w.-]{1,100})"[ \t]*\{', re.M)
_LINE = re.compile(r'^[ \t]*(\w+)[ \t]*=[ \t]*"([^"\n]*)"[ \t\r]*$', re.M)
_LIST = re.compile(r"^[ \t]*(\w+)[ \t]*=[ \t]*\[([^\]]*)\]", re.M)
_TEXT = re.compile(r'"([^"\n]*)"')
_LEVELS = 5


@dataclass(frozen=True, slots=True)
class Target:
    """`dockerfile` lies in `context`. Variables of the file stay as they are written, `${NAME}`."""

    name: str
    context: str
    dockerfile: str
    tags: tuple[str, ...]


def targets(path: str, data: bytes) -> tuple[Target, ...]:
    """Those that can be read; what a target inherits is taken from the one it names."""
    text = data.decode("utf-8", "replace")
    blocks = _of_json(text) if path.endswith(".json") else dict(_of_hcl(text))
    return tuple(_target(name, blocks) for name in blocks)


def _target(name: str, blocks: Mapping[str, Mapping[str, object]]) -> Target:
    tags = _inherited(name, blocks, "tags")
    texts = tuple(str(tag) for tag in tags) if isinstance(tags, list) else ()
    context, file = _inherited(name, blocks, "context"), _inherited(name, blocks, "dockerfile")
    return Target(name, str(context or "."), str(file or "Dockerfile"), texts)


def _inherited(name: str, blocks: Mapping[str, Mapping[str, object]], key: str, level: int = 0) -> object:
    block = blocks.get(name, {})
    parents = block.get("inherits")
    if key in block or level >= _LEVELS or not isinstance(parents, list):
        return block.get(key)
    found = (_inherited(str(parent), blocks, key, level + 1) for parent in reversed(parents))
    return next((value for value in found if value is not None), None)


def _of_json(text: str) -> Mapping[str, Mapping[str, object]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    listed = whole.get("target") if isinstance(whole, dict) else None
    return {name: one for name, one in listed.items() if isinstance(one, dict)} if isinstance(listed, dict) else {}


def _of_hcl(text: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for found in _TARGET.finditer(text):
        body = _top(text[found.end() :])
        lists = {key: _TEXT.findall(items) for key, items in _LIST.findall(body)}
        yield found[1], {**dict(_LINE.findall(body)), **lists}


def _top(text: str) -> str:
    """What stands between a block's braces, without the blocks inside of it."""
    depth, quoted, kept = 1, False, []
    for sign in text:
        quoted = quoted != (sign == '"')
        depth += 0 if quoted else (sign == "{") - (sign == "}")
        if not depth:
            break
        kept.append(sign if depth == 1 else "\n" if sign == "\n" else "")
    return "".join(kept)
