"""From the names at each release to the release with which one went for good, or came to stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tests.exports.history import Release, Snapshot


def gone(snapshots: Sequence[Snapshot]) -> dict[str, Release]:
    """Dotted name -> the first release without it. What went with its module is not named beside the module."""
    found: dict[str, Release] = {}
    for before, after in pairwise(snapshots):
        later = [one for one in snapshots if one.release >= after.release]
        for name in _all(before):
            if not any(_has(one, name) for one in later):
                found.setdefault(name, after.release)
    return {name: release for name, release in found.items() if found.get(name.rpartition(".")[0]) != release}


def since(snapshots: Sequence[Snapshot]) -> dict[str, Release]:
    """Name of the package itself -> the first release that has it, of those that later ones all have."""
    found: dict[str, Release] = {}
    for before, after in pairwise(snapshots):
        earlier = [one for one in snapshots if one.release <= before.release]
        later = [one for one in snapshots if one.release >= after.release]
        for name in _exported(after):
            if not any(_has(one, name) for one in earlier) and all(_has(one, name) for one in later):
                found.setdefault(name, after.release)
    return found


def _all(snapshot: Snapshot) -> Iterator[str]:
    for module, names in snapshot.modules.items():
        yield module
        yield from (f"{module}.{name}" for name in names)


def _exported(snapshot: Snapshot) -> Iterator[str]:
    package = min(snapshot.modules, key=len)
    yield from (f"{package}.{name}" for name in snapshot.modules[package])


def _has(snapshot: Snapshot, name: str) -> bool:
    """A module that makes its names as it runs may have any."""
    module, _, last = name.rpartition(".")
    if name in snapshot.modules:
        return True
    names = snapshot.modules.get(module)
    return names is not None and (not names or last in names)
