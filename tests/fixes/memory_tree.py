"""A tree of files written in the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, eq=False)
class MemoryTree:
    files: Mapping[str, bytes]
    sha: str = "0" * 40

    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def __contains__(self, path: str) -> bool:
        return path in self.files

    def read(self, path: str) -> bytes:
        return self.files[path]


def tree(files: Mapping[str, str]) -> MemoryTree:
    return MemoryTree({path: dedent(text).lstrip("\n").encode() for path, text in files.items()})


def by_path(files: Mapping[str, str]) -> dict[str, str]:
    """Files that a test gives as keywords: two underscores stand for the slash of their paths."""
    return {name.replace("__", "/"): text for name, text in files.items()}
