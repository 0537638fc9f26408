"""A tree with some files replaced: what the repository would be after a patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from triage.interfaces import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Fulfils `Tree`. `changed` holds whole new contents by path; paths that the tree lacks are added."""

    tree: Tree
    changed: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def sha(self) -> str:
        return self.tree.sha

    def paths(self) -> Sequence[str]:
        added = [path for path in self.changed if path not in self.tree]
        return sorted([*self.tree.paths(), *added]) if added else self.tree.paths()

    def __contains__(self, path: str) -> bool:
        return path in self.changed or path in self.tree

    def read(self, path: str) -> bytes:
        return self.changed[path] if path in self.changed else self.tree.read(path)


def base_of(tree: Tree) -> tuple[Tree, frozenset[tuple[str, bytes]]]:
    """The tree below all overlays, and what lies over it: equal for trees that read the same."""
    changed: dict[str, bytes] = {}
    while isinstance(tree, Overlay):
        changed = {**tree.changed, **changed}
        tree = tree.tree
    return tree, frozenset(changed.items())
