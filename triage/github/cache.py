"""The cache on disk: job logs and snapshots, the least recently used ones going first. No network in here."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from triage.errors import UsageError
from triage.model.run import Job

DEFAULT_LIMIT = 2 * 1024**3
_SUM, _PIECE = ".sum", 1 << 16
_STALE = 24 * 3600.0
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
AREAS = ("logs", "trees", "answers")


def default_folder(environ: Mapping[str, str]) -> Path:
    """TRIAGE_CACHE_DIR, else `triage` in the user's cache folder."""
    own = environ.get("TRIAGE_CACHE_DIR")
    folder = Path(own) if own else Path(environ.get("XDG_CACHE_HOME") or "~/.cache") / "triage" / "github"
    try:
        return folder.expanduser()
    except RuntimeError:
        raise UsageError(
            f"{folder}: there is no such home folder.", "Set TRIAGE_CACHE_DIR to a folder of yours."
        ) from None


@dataclass(frozen=True, slots=True)
class Area:
    """What one part of the cache holds. `oldest` is a time stamp in seconds, 0 when it is empty."""

    name: str
    files: int
    size: int  # bytes
    oldest: float


class Cache:
    """`limit` bytes in all. A temporary folder, removed by `close`, stands in when `folder` is None or read-only."""

    def __init__(self, folder: Path | None, limit: int = DEFAULT_LIMIT) -> None:
        usable = folder if folder is not None and _writable(folder) else None
        self._temporary = usable is None
        self.folder = usable or Path(tempfile.mkdtemp(prefix="triage-"))
        self._limit = limit
        self._in_use: set[Path] = set()
        self._lock = threading.Lock()

    def log_path(self, host: str, repo: str, job: Job) -> Path:
        """The same job gets the same file as long as GitHub says nothing new about it."""
        moment = job.completed_at or job.started_at or job.created_at
        stamp = int(moment.timestamp()) if moment else 0
        return self._path("logs", host, repo, f"{job.run_id}-{job.attempt}-{job.id}-{stamp}.log")

    def tree_path(self, host: str, repo: str, sha: str) -> Path:
        return self._path("trees", host, repo, f"{sha}.tar.gz")

    def _path(self, area: str, host: str, repo: str, name: str) -> Path:
        return self.folder / area / _safe(host) / _safe(repo.replace("/", "+")) / _safe(name)

    def hit(self, path: Path) -> bool:
        """Whether the file is there as it was kept; from now on it is in use and not evicted."""
        with self._lock:
            self._in_use.update((path, _sum_of(path)))
        try:
            if not _is_as_kept(path):
                return False
            os.utime(path)
            with contextlib.suppress(OSError):
                os.utime(_sum_of(path))
        except OSError:
            return False
        return True

    @contextlib.contextmanager
    def filling(self, path: Path) -> Iterator[Path]:
        """A private file to download to; `keep` puts it in place. It is gone afterwards in any case."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        os.close(handle)
        part = Path(name)
        try:
            yield part
        finally:
            part.unlink(missing_ok=True)

    def keep(self, part: Path, path: Path) -> None:
        """A power cut or a bad disk may spoil it afterwards: its sum, kept beside it, tells."""
        sums = _sum_of(path)
        # Of what is there already, it does not hold any more: that is fetched anew if this one ends here.
        try:
            sums.write_text(_sum(part), "ascii")
        except OSError:
            sums.unlink(missing_ok=True)
        part.replace(path)

    def prune(self) -> int:
        """Removes the least recently used files above the limit, and leftovers of killed processes; bytes freed."""
        files = sorted(_files(self.folder), key=lambda found: found[1])
        total, freed = sum(size for _, _, size in files), 0
        for path, used, size in files:
            stale = path.suffix == ".part" and time.time() - used > _STALE
            if not stale and (total - freed <= self._limit or path in self._in_use):
                continue
            with contextlib.suppress(OSError):
                path.unlink()
                freed += size
        return freed

    def close(self) -> None:
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            self.prune()


def _sum_of(path: Path) -> Path:
    return path.with_name(f"{path.name}{_SUM}")


def _sum(path: Path) -> str:
    size = checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            size, checksum = size + len(piece), zlib.crc32(piece, checksum)
    return f"{size} {checksum:08x}"


def _is_as_kept(path: Path) -> bool:
    """What was kept without a sum, by a triage that knew none or on a full disk, is as good as not empty."""
    try:
        told = _sum_of(path).read_bytes()
    except FileNotFoundError:
        return path.stat().st_size > 0
    return told == _sum(path).encode()


def host_of(api_url: str) -> str:
    return urlsplit(api_url).netloc


def measure(folder: Path) -> tuple[Area, ...]:
    """What `triage cache show` shows."""
    return tuple(_measured(folder, name) for name in AREAS)


def _measured(folder: Path, name: str) -> Area:
    files = [one for one in _files(folder / name) if one[0].suffix != _SUM]
    oldest = min((used for _, used, _ in files), default=0.0)
    return Area(name, len(files), sum(size for _, _, size in files), oldest)


def clear(folder: Path) -> int:
    """Removes everything that this module and the ETag cache wrote, nothing else; bytes freed."""
    freed = sum(area.size for area in measure(folder))
    for name in AREAS:
        shutil.rmtree(folder / name, ignore_errors=True)
    return freed - sum(area.size for area in measure(folder))


def _files(folder: Path) -> list[tuple[Path, float, int]]:
    """Every file with the time of its last use and its size; one that vanishes meanwhile is left out."""
    found = []
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            with contextlib.suppress(OSError):
                status = path.lstat()
                found.append((path, status.st_mtime, status.st_size))
    return found


def _safe(name: str) -> str:
    cleaned = _UNSAFE.sub("_", name)
    return f"_{cleaned}" if cleaned.startswith(".") else cleaned


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
