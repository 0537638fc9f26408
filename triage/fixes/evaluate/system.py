"""Another system that a command runs in, a container or another host: what it sees of the checkout."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from triage.fixes.evaluate.values import Piece, Value, known

_WORKSPACE = "GITHUB_WORKSPACE"
# The absolute path of the workspace, as it stands in the paths of mounts.
_ROOT = f"${{{_WORKSPACE}}}"


@dataclass(frozen=True, slots=True)
class Mount:
    """`target` is a path inside; `source` one of the workspace ("." its root), None for what lies elsewhere."""

    target: str
    source: str | None


@dataclass(frozen=True, slots=True)
class System:
    """`key` tells one system of a job from another. A path below no mount is the system's own, and unknown here.
    `same_files`: it sees the files of the machine that starts it, at the same paths."""

    key: str
    mounts: tuple[Mount, ...] = ()
    same_files: bool = False

    def inside(self, path: str) -> str | None:
        """The path of the workspace that an absolute path of the system is."""
        found = [one for one in self.mounts if _below(path, one.target)]
        mount = max(found, key=lambda one: len(one.target), default=None)
        if mount is None or mount.source is None:
            return None
        return posixpath.normpath(posixpath.join(mount.source, path[len(mount.target) :].lstrip("/")))

    def path_of(self, relative: str) -> str | None:
        """The absolute path that something in the workspace has in the system."""
        for one in self.mounts:
            if one.source is not None and _below_folder(relative, one.source):
                below = posixpath.relpath(relative, one.source)
                path = posixpath.normpath(posixpath.join(one.target, below))
                if self.inside(path) == posixpath.normpath(relative):
                    return path
        return None


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _below_folder(relative: str, folder: str) -> bool:
    return folder == "." or _below(posixpath.normpath(relative), folder)


def absolute(value: Value) -> str:
    """The text of an absolute path, the workspace's as `${GITHUB_WORKSPACE}`; "" for any other value."""
    text = value.text
    if text is not None:
        return posixpath.normpath(text) if text.startswith("/") else ""
    rest = Value(value.pieces[1:]).text
    rooted = value.pieces[0].name == _WORKSPACE and rest is not None and rest[:1] in ("", "/")
    return posixpath.normpath(f"{_ROOT}{rest}") if rooted else ""


def path_value(path: str) -> Value:
    """An absolute path as a value again."""
    if not _below(path, _ROOT):
        return known(path)
    rest = path.removeprefix(_ROOT)
    return Value((Piece(None, name=_WORKSPACE), *((Piece(rest),) if rest else ())))


@dataclass(frozen=True, slots=True)
class Container:
    """What the command that made a container says of it. `folder` is an absolute path inside, "" unknown."""

    environment: Mapping[str, Value] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    folder: str = ""

    def shared(self, other: Container) -> Container:
        """What holds whichever of two commands made it."""
        theirs = {name: value.text for name, value in other.environment.items()}
        given = {name: value.text for name, value in self.environment.items()}
        same = {name: text for name, text in given.items() if text is not None and theirs.get(name) == text}
        environment = {name: known(text) for name, text in same.items()}  # two places decide it
        mounts = tuple(one for one in self.mounts if one in other.mounts)
        return Container(environment, mounts, self.folder if self.folder == other.folder else "")
