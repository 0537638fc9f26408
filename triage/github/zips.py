"""The log archive of a run's attempt: the fallback when a job's own log cannot be had. Member names are untrusted.

It holds a file for each job and, in a folder for each job, one for each step; either may be missing.
"""

from __future__ import annotations

import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from triage.model.run import Job, Unavailable, UnavailableReason

MAX_MEMBERS = 20_000
MAX_MEMBER = 1024**3
MAX_RATIO = 400
_DROPPED = re.compile(r'[/:<>|*?"\\_]')
_BLANKS = re.compile(r"\s+")
_NUMBERED = re.compile(r"^-?\d+_")
_STEP = re.compile(r"([^/]+)/(\d{1,4})_([^/]*)\.txt")
# Legacy archives cut job names to this many UTF-16 units.
_NAME_UNITS = 90
# Of one column, in bytes, as `triage/logs/columns.py` reads them.
_COLUMN = 300


def extract_job_log(archive: Path, job: Job, into: Path) -> Unavailable | None:
    """Writes the log of `job` to `into`; None when it is there.

    Where the job has no file of its own, its steps' files are put one after the other, each line behind the columns
    of `gh run view --log`: they say for certain which step it belongs to.

    Old archives drop characters that file names may not hold, newer ones put `_`; both cut long names and number
    equal ones. Only a unique match is taken: a wrong log is worse than none.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > MAX_MEMBERS:
                return _unreadable(f"the run's log archive holds {len(members)} files")
            found = [member for member in members if _is_log_of(member.filename, job.name)]
            if not found:
                return _join_steps(opened, _steps_of(members, job.name), job, into)
            if len(found) > 1:
                return _unreadable(f"the run's log archive holds {len(found)} files for this job's name")
            return _copy(opened, found[0], into)
    # ValueError: names that are not the UTF-8 that their flag promises, and offsets beyond all files.
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError, zlib.error, EOFError):
        return _unreadable("the run's log archive is damaged")


def _copy(opened: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> Unavailable | None:
    if _is_too_large([member]):
        return _unreadable("the log in the run's archive is too large")
    # zipfile stops at the size that the directory states, so a lying one cannot exceed it.
    with opened.open(member) as source, into.open("wb") as target:
        shutil.copyfileobj(source, target, 1024 * 1024)
    return None


def _is_too_large(members: Sequence[zipfile.ZipInfo]) -> bool:
    bombs = (one.file_size > MAX_RATIO * max(one.compress_size, 1024) for one in members)
    return sum(one.file_size for one in members) > MAX_MEMBER or any(bombs)


# A step's number, its name as far as the archive keeps it, and its file.
_Step = tuple[int, str, zipfile.ZipInfo]


def _steps_of(members: Iterable[zipfile.ZipInfo], job_name: str) -> list[_Step]:
    """In their order; none when several folders may be the job's."""
    folders: dict[str, list[_Step]] = {}
    for member in members:
        named = _STEP.fullmatch(member.filename)
        if named is not None and _normal(named[1]) == _normal(job_name):
            folders.setdefault(named[1], []).append((int(named[2]), named[3], member))
    only = next(iter(folders.values())) if len(folders) == 1 else []
    return sorted(only, key=lambda step: step[0])


def _join_steps(opened: zipfile.ZipFile, steps: Sequence[_Step], job: Job, into: Path) -> Unavailable | None:
    if not steps:
        return _unreadable("the run's log archive holds no files for this job's name")
    if _is_too_large([member for _, _, member in steps]):
        return _unreadable("the log in the run's archive is too large")
    displayed = {step.number: step.name for step in job.steps}
    with into.open("wb") as target:
        for number, kept_name, member in steps:
            prefix = b"%b\t%b\t" % (_column(job.name), _column(displayed.get(number, kept_name)))
            with opened.open(member) as source:
                target.writelines(_prefixed(source, prefix))
    return None


def _prefixed(source: IO[bytes], prefix: bytes) -> Iterator[bytes]:
    """Every line behind `prefix`, the last one ended; in pieces, for a line may be as long as the file."""
    begins = True
    while piece := source.readline(1 << 16):
        yield prefix + piece if begins else piece
        begins = piece.endswith(b"\n")
    if not begins:
        yield b"\n"


def _column(name: str) -> bytes:
    shown = _BLANKS.sub(" ", "".join(char if char.isprintable() else " " for char in name)).strip() or "?"
    return shown.encode("utf-8", "replace")[:_COLUMN].decode("utf-8", "ignore").encode()


def _unreadable(detail: str) -> Unavailable:
    return Unavailable(UnavailableReason.UNREADABLE, detail)


def _is_log_of(member: str, job_name: str) -> bool:
    """Top-level `<n>_<job>.txt`; the server's own `-2147483648_<job>.txt` is no job log."""
    if "/" in member or not member.endswith(".txt") or not _NUMBERED.match(member) or member.startswith("-"):
        return False
    stem = _NUMBERED.sub("", member).removesuffix(".txt")
    return _normal(stem) == _normal(job_name)


def _normal(name: str) -> str:
    squeezed = _BLANKS.sub(" ", _DROPPED.sub(" ", name)).strip()
    units = squeezed.encode("utf-16-le", "surrogatepass")[: 2 * _NAME_UNITS]
    return units.decode("utf-16-le", "ignore").strip()
