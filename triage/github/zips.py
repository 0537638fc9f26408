"""The log archive of a run's attempt: the fallback when a job's own log cannot be had. Member names are untrusted."""

from __future__ import annotations

import re
import shutil
import zipfile
import zlib
from pathlib import Path

from triage.model.run import Job, Unavailable, UnavailableReason

MAX_MEMBERS = 20_000
MAX_MEMBER = 1024**3
MAX_RATIO = 400
_DROPPED = re.compile(r'[/:<>|*?"\\_]')
_BLANKS = re.compile(r"\s+")
_NUMBERED = re.compile(r"^-?\d+_")
# Legacy archives cut job names to this many UTF-16 units.
_NAME_UNITS = 90


def extract_job_log(archive: Path, job: Job, into: Path) -> Unavailable | None:
    """Writes the log of `job` to `into`; None when it is there.

    Old archives drop characters that file names may not hold, newer ones put `_`; both cut long names and number
    equal ones. Only a unique match is taken: a wrong log is worse than none.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > MAX_MEMBERS:
                return _unreadable(f"the run's log archive holds {len(members)} files")
            found = [member for member in members if _is_log_of(member.filename, job.name)]
            if len(found) != 1:
                return _unreadable(f"the run's log archive holds {len(found) or 'no'} files for this job's name")
            return _copy(opened, found[0], into)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, zlib.error, EOFError):
        return _unreadable("the run's log archive is damaged")


def _copy(opened: zipfile.ZipFile, member: zipfile.ZipInfo, into: Path) -> Unavailable | None:
    if member.file_size > MAX_MEMBER or member.file_size > MAX_RATIO * max(member.compress_size, 1024):
        return _unreadable("the log in the run's archive is too large")
    # zipfile stops at the size that the directory states, so a lying one cannot exceed it.
    with opened.open(member) as source, into.open("wb") as target:
        shutil.copyfileobj(source, target, 1024 * 1024)
    return None


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
