"""Overrides that Hydra refuses: a key misspelt, a `+` lacking, a `+` too many."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.seeded.launch import Command, commands, misspelt, pick
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_OVERRIDE = re.compile(
    r"^(?P<before>\s+[\"']?)(?P<sign>\+{0,2})(?P<key>[a-z_]\w*(?:\.\w+)+)=(?P<value>[^\s\\]*)(?P<after>.*)$"
)
_PROGRAM = re.compile(r"(?:python3?|uv run|torchrun)\b")
_TAIL = ("", "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.")
_LEAST = 4


def key_misspelt(site: Site) -> Iterator[Seed]:
    """Two letters of an override's last name swapped."""
    for command, own in _overridden(site):
        keys = [one[2]["key"] for one in own]
        usable = [(n, line) for n, line, found in own if not found["sign"] and len(found["key"].split(".")[-1]) > 6]
        chosen = pick([one for one in usable if keys.count(_of(one)["key"]) == 1], command.path)
        if chosen:
            found = _of(chosen)
            head, _, last = found["key"].rpartition(".")
            wrong = f"{head}.{misspelt(last)}"
            line = f"{found['before']}{wrong}={found['value']}{found['after']}"
            yield command.seed(chosen[0], line, _could_not(wrong, _shown(found["value"])), wrong)


def plus_lacking(site: Site) -> Iterator[Seed]:
    """The `+` taken from an override of a key that the configuration does not have."""
    for command, own in _overridden(site):
        added = [(n, line) for n, line, found in own if found["sign"] == "+" and not _set_bare(site, found["key"])]
        chosen = pick(added, command.path)
        if chosen:
            found = _of(chosen)
            line = f"{found['before']}{found['key']}={found['value']}{found['after']}"
            yield command.seed(chosen[0], line, _could_not(found["key"], _shown(found["value"])), found["key"])


def plus_too_many(site: Site) -> Iterator[Seed]:
    """A `+` before a key that the configuration has."""
    for command, own in _overridden(site):
        chosen = pick([(n, line) for n, line, found in own if not found["sign"]], command.path)
        if chosen:
            found = _of(chosen)
            key, value = found["key"], _shown(found["value"])
            line = f"{found['before']}+{key}={found['value']}{found['after']}"
            printed = (
                f"Could not append to config. An item is already at '{key}'. Either remove + prefix: '{key}={value}'",
                f"Or add a second + to add or override '{key}': '++{key}={value}'",
                *_TAIL,
            )
            yield command.seed(chosen[0], line, printed, key)


def _overridden(site: Site) -> Iterator[tuple[Command, Sequence[tuple[int, str, re.Match[str]]]]]:
    """One command of each file with overrides that stand on lines of their own."""
    seen = set()
    for command in commands(site):
        found = [(number, line, match) for number, line in command.lines if (match := _OVERRIDE.match(line))]
        if len(found) >= _LEAST and command.path not in seen and _is_hydra(site, command):
            seen.add(command.path)
            yield command, found


def _is_hydra(site: Site, command: Command) -> bool:
    """A program of the tree with `@hydra.main`; others that take `key=value` word their refusals otherwise."""
    module = re.search(r"-m ([\w.]+)", command.joined)
    script = re.search(r"(?<=[\s/])[\w./-]+\.py\b", command.joined)
    ends = f"/{module[1].replace('.', '/')}.py" if module else f"/{script[0].split('/')[-1]}" if script else "//"
    paths = [path for path in site.tree.paths() if f"/{path}".endswith(ends)]
    return bool(_PROGRAM.search(command.joined)) and any("@hydra.main" in site.text(path) for path in paths)


def _set_bare(site: Site, key: str) -> bool:
    """Whether another script sets the key without a `+`: the configuration has it after all."""
    bare = re.compile(rf"[\s\"']{re.escape(key)}=")
    return any(bare.search(site.text(path)) for path in site.tree.paths() if path.endswith((".sh", ".yml", ".yaml")))


def _of(chosen: tuple[int, str]) -> re.Match[str]:
    found = _OVERRIDE.match(chosen[1])
    assert found
    return found


def _shown(value: str) -> str:
    """What the shell makes of it; a variable is shown as some number."""
    return re.sub(r"\$\{?\w+[^}\s]*\}?|\$\(.*", "8", value.strip("\"'"))


def _could_not(key: str, value: str) -> tuple[str, ...]:
    return (
        f"Could not override '{key}'.",
        f"To append to your config use +{key}={value}",
        f"Key '{key.rpartition('.')[2]}' is not in struct",
        f"    full_key: {key}",
        "    object_type=dict",
        *_TAIL,
    )
