"""What a checkout knows beyond one commit: who changed a line, and what the base branch holds.

Reads only what is there (no fetching for partial clones), within seconds; what takes longer is not known.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from triage.model.lineage import LineChange
from triage.sources import git

MOST = 8
SECONDS = 5
_FORMAT = "--format=%x00%H%x1f%ct%x1f%s"


def line_changes(checkout: Path, sha: str, path: str, line: int) -> tuple[LineChange, ...]:
    """The commits up to `sha` that changed the line, newest first; empty when git cannot say in time."""
    where = f"-L{line},{line}:{path}"
    log = _git(checkout, "log", f"-n{MOST}", "--no-ext-diff", "--no-textconv", "--no-color", _FORMAT, where, sha)
    return tuple(_changes(log.decode("utf-8", "replace"))) if log else ()


def base_branch(checkout: Path) -> str:
    """The remote-tracking branch that the remote calls its default, `origin/main`; "" when the checkout knows none."""
    for remote in ("upstream", "origin"):
        named = _git(checkout, "symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
        if named:
            return named.decode("utf-8", "replace").strip()
    return ""


def tip_of(checkout: Path, branch: str) -> str:
    """The commit of a remote-tracking branch; "" when there is none."""
    found = _git(checkout, "rev-parse", "--verify", "--quiet", f"refs/remotes/{branch}^{{commit}}")
    return (found or b"").decode().strip()


def file_at(checkout: Path, sha: str, path: str) -> bytes | None:
    """A file's bytes; None when the commit has no such file, or its content is not here."""
    return _git(checkout, "cat-file", "blob", f"{sha}:{path}")


def _changes(log: str) -> Iterator[LineChange]:
    for entry in log.split("\x00")[1:]:
        header, _, diff = entry.partition("\n")
        sha, when, title = header.split("\x1f", 2)
        lines = [one for one in diff.split("\n") if one[:1] in "+-" and one[:4] not in ("+++ ", "--- ")]
        before = [one[1:] for one in lines if one.startswith("-")]
        after = [one[1:] for one in lines if one.startswith("+")]
        moment = datetime.fromtimestamp(int(when), UTC)
        yield LineChange(sha, title, moment, "\n".join(before), "\n".join(after))


def _git(checkout: Path, *arguments: str) -> bytes | None:
    """Standard output; None when git fails or does not answer in time."""
    try:
        ran = git.ask(checkout, *arguments, seconds=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout if ran.returncode == 0 else None
