"""Snapshots of a repository: at a commit of a local git repository, of a plain folder, of GitHub's tarball.

Nothing is checked out, written or executed. Symbolic links are not followed: they are no files of a snapshot.
"""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from triage.errors import UsageError
from triage.sources import git

# Files above this are left out of every kind of tree: no workflow, script or requirements file comes near it.
FILE_CAP = 8 * 1024 * 1024
TOTAL_CAP = 2 * 1024 * 1024 * 1024
MEMBERS_CAP = 500_000
_REGULAR = ("100644", "100755", "100664")
# What fixes are worked out from: workflows, scripts, requirements, project files.
_LOOKED_AT = (".yml", ".yaml", ".sh", ".txt", ".toml", ".cfg")
# What is searched through, file after file: each read brings the next ones along.
_SEARCHED, _NEXT = (".py", ".md", ".rst", ".cpp"), 200
_SKIPPED_FOLDERS = frozenset({".git", ".hg", "node_modules", "__pycache__", ".venv"})


@dataclass(frozen=True, slots=True, eq=False)
class GitTree:
    """Fulfils `Tree`. Blobs are read from git's object store when they are asked for, and kept."""

    checkout: Path
    sha: str
    blobs: Mapping[str, str] = field(repr=False)
    contents: dict[str, bytes] = field(default_factory=dict, repr=False)

    def paths(self) -> Sequence[str]:
        return tuple(self.blobs)

    def __contains__(self, path: str) -> bool:
        return path in self.blobs

    def read(self, path: str) -> bytes:
        """The first file that fixes look at brings all of their kind: one git process, not hundreds."""
        if path not in self.contents:
            looked_at = () if self.contents else (one for one in self.blobs if one.endswith(_LOOKED_AT))
            self._fetch([path, *looked_at, *self._behind(path)])
        if path not in self.contents:
            raise UsageError(
                f"{self.checkout} is a partial clone without {path} of {self.sha[:9]}.",
                f"Run `git fetch --refetch --no-filter origin {self.sha}` there, then try again.",
            )
        return self.contents[path]

    def _behind(self, path: str) -> Sequence[str]:
        """Files of the same ending that come next in the order of paths."""
        ending = next((one for one in _SEARCHED if path.endswith(one)), "")
        if not ending or not self.contents:
            return ()
        alike = [one for one in self.blobs if one > path and one.endswith(ending) and one not in self.contents]
        return alike[:_NEXT]

    def _fetch(self, paths: Iterable[str]) -> None:
        wanted = list(dict.fromkeys(paths))
        names = "".join(f"{self.blobs[path]}\n" for path in wanted).encode()
        ended = _run(self.checkout, "cat-file", "--batch", given=names)
        if ended.returncode:
            # A partial clone that may not ask its remote: git gives up at the first object that is not here.
            return self._fetch(wanted[:1]) if len(wanted) > 1 else None
        output, at = ended.stdout, 0
        for path in wanted:
            end = output.index(b"\n", at)
            size = output[at:end].rsplit(b" ", 1)[1]
            if size == b"missing":
                at = end + 1
                continue
            stop = end + 1 + int(size)
            self.contents[path] = output[end + 1 : stop]
            at = stop + 1
        return None


@dataclass(frozen=True, slots=True, eq=False)
class FolderTree:
    """Fulfils `Tree`: files of a folder that is no git repository, as they are when they are read."""

    root: Path
    sha: str
    files: Mapping[str, Path] = field(repr=False)

    def paths(self) -> Sequence[str]:
        return tuple(self.files)

    def __contains__(self, path: str) -> bool:
        return path in self.files

    def read(self, path: str) -> bytes:
        return self.files[path].read_bytes()


@dataclass(frozen=True, slots=True, eq=False)
class ContentTree:
    """Fulfils `Tree`: every file is held in memory."""

    sha: str
    contents: Mapping[str, bytes] = field(repr=False)

    def paths(self) -> Sequence[str]:
        return tuple(self.contents)

    def __contains__(self, path: str) -> bool:
        return path in self.contents

    def read(self, path: str) -> bytes:
        return self.contents[path]


def git_tree(checkout: Path, rev: str) -> GitTree:
    """The tree of a commit, without touching the work tree. Raises UsageError when the commit is not there."""
    if not checkout.is_dir():
        raise UsageError(f"{checkout} is no folder.", "Name the folder that holds the repository.")
    ended = _run(checkout, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}")
    sha = ended.stdout.decode().strip()
    if ended.returncode or not sha:
        raise UsageError(f"{checkout} has no commit {rev}.", f"Run `git fetch origin {rev}` there, then try again.")
    return GitTree(checkout, sha, _blobs(*_listing(checkout, sha)))


def _listing(checkout: Path, sha: str) -> tuple[bytes, Mapping[str, str]]:
    """The entries of a commit, with their sizes; for a partial clone, with the sizes of the objects that it has."""
    ended = _run(checkout, "ls-tree", "-r", "-l", "-z", "--full-tree", sha)
    if not ended.returncode:
        return ended.stdout, {}
    # Git does not measure what it would have to fetch, and stops there.
    form = "--batch-check=%(objectname) %(objectsize)"
    held = _git(checkout, "cat-file", "--batch-all-objects", "--unordered", form).decode().splitlines()
    listing = _git(checkout, "ls-tree", "-r", "-z", "--full-tree", sha)
    return listing, dict(line.split(" ", 1) for line in held)


def _blobs(listing: bytes, sizes: Mapping[str, str]) -> dict[str, str]:
    """Path -> blob of regular files; links, submodules, what is too large and what is not held are left out."""
    found = {}
    for entry in listing.split(b"\0"):
        if not entry:
            continue
        head, _, path = entry.partition(b"\t")
        mode, kind, blob, *size = head.decode().split()
        # Of an object that a clone lacks, git says BAD.
        measured = size[0] if size else sizes.get(blob, "0")
        if kind == "blob" and mode in _REGULAR and measured.isdecimal() and int(measured) <= FILE_CAP:
            found[path.decode("utf-8", "surrogateescape")] = blob
    return dict(sorted(found.items()))


def _run(checkout: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return git.ask(checkout, *arguments, given=given)
    except FileNotFoundError as error:
        raise UsageError("git is not installed.", "Install git, then try again.") from error


def _git(checkout: Path, *arguments: str, given: bytes = b"") -> bytes:
    ended = _run(checkout, *arguments, given=given)
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"git {arguments[0]} failed in {checkout}: {said[-1] if said else 'no message'}.",
            "Check the repository with `git fsck`.",
        )
    return ended.stdout


def folder_tree(checkout: Path) -> FolderTree:
    """The files of a plain folder. Links, what is too large, and folders that hold no sources are left out.

    Raises UsageError.
    """
    if not checkout.is_dir():
        raise UsageError(f"{checkout} is no folder.", "Name the folder that holds the repository.")
    files = {}
    for folder, names, found in os.walk(checkout):
        names[:] = [name for name in names if name not in _SKIPPED_FOLDERS]
        for name in found:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= FILE_CAP:
                files[path.relative_to(checkout).as_posix()] = path
        if len(files) > MEMBERS_CAP:
            raise UsageError(f"{checkout} holds more than {MEMBERS_CAP} files.", "Name the repository's own folder.")
    return FolderTree(checkout, "", dict(sorted(files.items())))


def tar_tree(path: Path, sha: str) -> ContentTree:
    """GitHub's tarball, its one top folder removed. Raises UsageError for what is no such archive, or is hostile."""
    contents: dict[str, bytes] = {}
    try:
        with path.open("rb") as raw, tarfile.open(fileobj=raw, mode="r|*") as archive:
            _unpack(path, archive, contents)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise UsageError(f"{path} cannot be read as a tarball: {error}.", "Download it again.") from error
    return ContentTree(sha, dict(sorted(contents.items())))


def _unpack(path: Path, archive: tarfile.TarFile, contents: dict[str, bytes]) -> None:
    total = 0
    for number, member in enumerate(archive):
        if number > MEMBERS_CAP or total > TOTAL_CAP:
            raise UsageError(f"{path} holds too much: {number} members, {total} bytes.", "Use a checkout instead.")
        inside = _inside(path, member.name)
        total += member.size
        if not member.isreg() or inside is None or member.size > FILE_CAP:
            continue
        source = archive.extractfile(member)
        if source is not None:
            contents[inside] = source.read()


def _inside(path: Path, name: str) -> str | None:
    """The member's path below the top folder; None for that folder itself. Names that lead elsewhere are refused.

    A name with a backslash, which leads elsewhere on some systems only, is an odd file's that git may hold: left out.
    """
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\0" in name or ".." in PureWindowsPath(name).parts:
        raise UsageError(f"{path} holds a member that leads out of it: {name!r}.", "Do not use this archive.")
    return ("/".join(parts[1:]) or None) if "\\" not in name else None
