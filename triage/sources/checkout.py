"""A person's own checkout: which repository it is of, whether it is clean, and a patch applied to it.

The only code that writes into it is `apply`, and git itself does the writing, all or nothing.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from triage.errors import UsageError
from triage.interfaces import Tree
from triage.sources.git import surroundings
from triage.sources.trees import git_tree

# Programs that the folder's own configuration may name: a folder that was unpacked brings its own.
_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null")
_MOST_COMPARED = 200
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
    if not is_git(checkout):
        raise UsageError(f"{checkout}: not a git checkout.", "Name a clone with --checkout.")
    if changed := uncommitted(checkout, git_tree(checkout, "HEAD")):
        raise UsageError(
            f"{checkout}: not clean ({changed[0]} is changed).", "Commit or stash first; nothing was applied."
        )


def uncommitted(checkout: Path, head: Tree) -> tuple[str, ...]:
    """Tracked paths that the index or the work tree holds otherwise than `head`, the checked-out commit.

    Git names those whose times or sizes changed; they are compared here, as git itself would start the filters that
    the folder's configuration names.
    """
    staged = _git(checkout, "diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD").stdout
    touched = _git(checkout, "diff-files", "--name-only", "-z").stdout
    changed = [path for path in staged.split("\0") if path]
    for path in touched.split("\0")[:_MOST_COMPARED]:
        if path in head and path not in changed and _differs(checkout / path, head.read(path)):
            changed.append(path)
    return tuple(sorted(changed))


def _differs(file: Path, held: bytes) -> bool:
    if held.startswith(b"version https://git-lfs"):
        return False
    try:
        return file.read_bytes().replace(b"\r\n", b"\n") != held.replace(b"\r\n", b"\n")
    except OSError:
        return True


def apply(checkout: Path, diff: str) -> None:
    """Apply a diff to the work tree. UsageError with git's own words when it does not fit; then nothing is changed."""
    unfiltered = _without_filters(checkout)
    for arguments in (["apply", "--check", "-"], ["apply", "-"]):
        ran = _git(checkout, *unfiltered, *arguments, stdin=diff)
        if ran.returncode != 0:
            said = ran.stderr.strip().splitlines()[0] if ran.stderr.strip() else "git apply failed"
            raise UsageError(f"{checkout}: {said}.", "Nothing was applied.")


def _without_filters(checkout: Path) -> list[str]:
    """Options under which git starts none of the filters that the folder's configuration names."""
    named = _git(checkout, "config", "--name-only", "-z", "--get-regexp", r"^filter\.").stdout.split("\0")
    filters = sorted({name.rpartition(".")[0] for name in named if name})
    off = [f"{name}.{key}" for name in filters for key in ("clean=", "smudge=", "process=", "required=false")]
    return [word for one in off for word in ("-c", one)]


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
