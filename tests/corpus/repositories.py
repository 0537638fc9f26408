"""Texts of public repositories at pinned commits, read from the git folders that CORPUS_GIT holds.

`CORPUS_GIT/<owner>+<name>/repo` is a clone, bare or not. Nothing is copied into this repository.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path


class MissingRepositoryError(Exception):
    """The repository, or the folder of repositories, is not on this machine."""


def read(repo: str, commit: str, path: str, lines: tuple[int, int] | None = None) -> bytes:
    """The file's bytes, or those of its lines first..last (from 1, both kept)."""
    shown = subprocess.run(
        ["git", f"--git-dir={_git_dir(repo)}", "show", f"{commit}:{path}"], capture_output=True, check=False
    )
    if shown.returncode:
        raise MissingRepositoryError(f"{repo}@{commit[:9]}:{path}")
    if lines is None:
        return shown.stdout
    first, last = lines
    return b"\n".join(shown.stdout.split(b"\n")[first - 1 : last]) + b"\n"


@cache
def _git_dir(repo: str) -> Path:
    root = os.environ.get("CORPUS_GIT", "")
    if not root:
        raise MissingRepositoryError("CORPUS_GIT names no folder of repositories")
    folder = Path(root) / repo.replace("/", "+") / "repo"
    inner = folder / ".git"
    if inner.is_dir():
        return inner
    if not folder.is_dir():
        raise MissingRepositoryError(f"{repo} is not in {root}")
    return folder
