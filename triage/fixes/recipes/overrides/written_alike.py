"""A refused override whose program's configuration cannot be read: what the tree's other commands write instead."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from triage.fixes.document import is_remark, line_of
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.overrides.hits import Hit
from triage.fixes.resembling import resembling
from triage.interfaces import Tree

_OVERRIDE = re.compile(rb"(?<![\w.+/$~-])(\+{0,2})([A-Za-z_]\w*(?:\.\w+)+)=")
_TEXTS = (".sh", ".bash", ".yml", ".yaml")

Places = Mapping[str, Mapping[str, frozenset[str]]]


def as_others_write(tree: Tree, hit: Hit, site: Site) -> tuple[str, str]:
    """The override's new text and the reason: `+key` where others add it and none sets it, the one key that they set
    and that this one is a slip of; "" twice where they do not tell."""
    own = f"{site.path}:{site.line}"
    written = _written(tree)
    signs = {sign: places - {own} for sign, places in written.get(hit.key, {}).items() if places - {own}}
    if signs:
        added = sorted(signs.get("+", ()))
        return (f"+{hit.key}", f"{added[0]} adds the key with +") if added and "" not in signs else ("", "")
    others = {key: places[""] - {own} for key, places in written.items() if places.get("", frozenset()) - {own}}
    meant = meant_key(hit.key, others)
    if not meant or find_setting(hit.invocation, meant) is not None:
        return "", ""
    return f"{hit.prefix}{meant}", f"{min(others[meant])} sets `{meant}`, and nothing else sets `{hit.key}`"


def meant_key(key: str, keys: Iterable[str]) -> str:
    """The one key that differs from it in one part, and that part by a slip; "" for none and for several."""
    parts = key.split(".")
    found = {one for one in keys if _slip(parts, one.split("."))}
    leaves = {one.rpartition(".")[2] for one in found if one.rpartition(".")[0] == key.rpartition(".")[0]}
    if leaves:
        meant = resembling(parts[-1], leaves)
        return ".".join((*parts[:-1], meant)) if meant else ""
    return found.pop() if len(found) == 1 else ""


def _slip(parts: list[str], others: list[str]) -> bool:
    if len(parts) != len(others):
        return False
    off = [(one, other) for one, other in zip(parts, others, strict=True) if one != other]
    return len(off) == 1 and bool(resembling(off[0][0], (off[0][1],)))


@lru_cache(maxsize=4)
def _written(tree: Tree) -> Places:
    """By key and by sign: the places of every override that scripts and workflows write."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in tree.paths():
        data = tree.read(path) if path.endswith(_TEXTS) else b""
        for one in (hit for hit in _OVERRIDE.finditer(data) if not is_remark(data, hit.start())):
            found[one[2].decode()][one[1].decode()].add(f"{path}:{line_of(data, one.start())}")
    return {key: {sign: frozenset(places) for sign, places in signs.items()} for key, signs in found.items()}
