"""A person's own checkout: which repository it is of, whether it is clean, and a patch applied to it.

The only code that writes into it is `apply`, and git itself does the writing, all or nothing.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from triage.errors import UsageError
from triage.sources.git import surroundings

# Programs that the folder's own configuration may name: a folder that was unpacked brings its own.
_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null")
# A remote on this machine (`/srv/team/train`, `file:///...`) is no repository of a GitHub.
_REMOTE = re.compile(r"^(?![./]|file:).*[:/](?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?$")


def remote_repository(checkout: Path) -> str:
    """`owner/name` of the checkout's remote (origin before others); "" when there is none."""
    for remote in ("origin", "upstream"):
        ran = _git(checkout, "remote", "get-url", remote)
        if ran.returncode == 0 and (found := _REMOTE.search(ran.stdout.strip())):
            return f"{found['owner']}/{found['name']}"
    return ""


def is_git(checkout: Path) -> bool:
    return _git(checkout, "rev-parse", "--git-dir").returncode == 0


def has_commit(checkout: Path, sha: str) -> bool:
    return bool(sha) and _git(checkout, "cat-file", "-e", f"{sha}^{{commit}}").returncode == 0


def require_clean(checkout: Path) -> None:
    """UsageError unless no tracked file is changed: a patch must not mix with a person's own work."""
    ran = _git(checkout, "status", "--porcelain", "--untracked-files=no")
    if ran.returncode != 0:
        raise UsageError(f"{checkout}: not a git checkout.", "Name a clone with --checkout.")
    if ran.stdout.strip():
        first = ran.stdout.splitlines()[0][3:]
        raise UsageError(f"{checkout}: not clean ({first} is changed).", "Commit or stash first; nothing was applied.")


def apply(checkout: Path, diff: str) -> None:
    """Apply a diff to the work tree. UsageError with git's own words when it does not fit; then nothing is changed."""
    for arguments in (["apply", "--check", "-"], ["apply", "-"]):
        ran = _git(checkout, *arguments, stdin=diff)
        if ran.returncode != 0:
            said = ran.stderr.strip().splitlines()[0] if ran.stderr.strip() else "git apply failed"
            raise UsageError(f"{checkout}: {said}.", "Nothing was applied.")


def _git(checkout: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(checkout), *(word for one in _SETTINGS for word in ("-c", one)), *arguments],
            input=stdin,
            env=surroundings(),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=120,
            check=False,
        )
    except FileNotFoundError as fault:
        raise UsageError("git is not installed, or not on PATH.", "Install git.") from fault
    except subprocess.TimeoutExpired as fault:
        raise UsageError(f"{checkout}: git {arguments[0]} did not answer within 120 s.", "Is the disk busy?") from fault
